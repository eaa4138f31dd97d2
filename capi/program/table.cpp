// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Column widths, wrapping and padding. Width is counted in code points, which is right for the letters we
// print.
#include "table.hpp"

#include <algorithm>
#include <numeric>

namespace clpool::program {
namespace {

constexpr std::size_t gap = 2;
constexpr std::size_t least_width = 10;  ///< no column is made narrower

bool goes_on(char byte) {  // a continuation of UTF-8
  return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
}

std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char byte) { return !goes_on(byte); }));
}

/// The bytes of the first `letters` letters.
std::size_t bytes_of(const std::string& text, std::size_t letters) {
  std::size_t bytes = 0;
  while (bytes < text.size() && (letters > 0 || goes_on(text[bytes]))) {
    letters -= goes_on(text[bytes]) ? 0 : 1;
    ++bytes;
  }
  return bytes;
}

/// Lines of at most `width`, broken at blanks; within words that are longer after an underscore or the like.
std::vector<std::string> wrapped(std::string text, std::size_t width) {
  std::vector<std::string> lines;
  while (width_of(text) > width) {
    const std::size_t most = bytes_of(text, width);
    const std::size_t blank = text.rfind(' ', most);
    const bool at_blank = blank != std::string::npos && text.find_first_not_of(' ') < blank;
    const std::size_t joint = text.find_last_of("_-/", most - 1);
    const bool at_joint = !at_blank && joint != std::string::npos && joint > 0;
    const std::size_t end = at_blank ? blank : at_joint ? joint + 1 : most;
    lines.push_back(text.substr(0, end));
    text.erase(0, end + (at_blank ? 1 : 0));
  }
  lines.push_back(std::move(text));
  return lines;
}

}  // namespace

std::vector<std::size_t> Table::widths(std::size_t width) const {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    widths.push_back(width_of(columns_[c].title));
    for (const std::vector<std::string>& cells : rows_) {
      widths[c] = std::max(widths[c], width_of(cells[c]));
    }
  }
  std::size_t total = gap * (columns_.size() - 1);
  for (const std::size_t column : widths) {
    total += column;
  }
  while (total > width) {
    std::size_t widest = columns_.size();
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (columns_[c].align == Align::left && widths[c] > least_width &&
          (widest == columns_.size() || widths[c] > widths[widest])) {
        widest = c;
      }
    }
    if (widest == columns_.size()) {
      break;  // it cannot be made to fit
    }
    --widths[widest];
    --total;
  }
  return widths;
}

std::vector<std::string> Table::lists(std::size_t width) const {
  std::size_t widest_title = 0;
  for (const Column& column : columns_) {
    widest_title = std::max(widest_title, width_of(column.title));
  }
  const std::size_t before = widest_title + gap;
  const std::size_t room = width > before + least_width ? width - before : least_width;
  std::vector<std::string> rows = {""};
  for (const std::vector<std::string>& cells : rows_) {
    std::string row;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      if (cells[c].empty()) {
        continue;
      }
      std::string title = columns_[c].title;
      for (const std::string& line : wrapped(cells[c], room)) {
        row += title;
        row.append(before - width_of(title), ' ');
        row += line;
        row += '\n';
        title.clear();
      }
    }
    rows.push_back(row + "\n");
  }
  return rows;
}

std::vector<std::string> Table::rows(std::size_t width) const {
  const std::vector<std::size_t> widths = this->widths(width);
  if (std::accumulate(widths.begin(), widths.end(), gap * (widths.size() - 1)) > width) {
    return lists(width);
  }
  std::vector<std::string> rows;
  const auto add = [&](const std::vector<std::string>& cells) {
    std::vector<std::vector<std::string>> columns;
    std::size_t height = 1;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      columns.push_back(wrapped(cells[c], widths[c]));
      height = std::max(height, columns[c].size());
    }
    std::string row;
    for (std::size_t i = 0; i < height; ++i) {
      std::string line;
      for (std::size_t c = 0; c < columns.size(); ++c) {
        const std::string cell = i < columns[c].size() ? columns[c][i] : "";
        const std::string padding(widths[c] - std::min(widths[c], width_of(cell)), ' ');
        line += c == 0 ? "" : std::string(gap, ' ');
        line += columns_[c].align == Align::right ? padding + cell : cell + padding;
      }
      line.erase(line.find_last_not_of(' ') + 1);
      row += line + "\n";
    }
    rows.push_back(std::move(row));
  };
  std::vector<std::string> titles;
  for (const Column& column : columns_) {
    titles.push_back(column.title);
  }
  add(titles);
  std::for_each(rows_.begin(), rows_.end(), add);
  return rows;
}

std::string Table::text(std::size_t width) const {
  std::string text;
  for (const std::string& row : rows(width)) {
    text += row;
  }
  return text;
}

std::string first_letters(const std::string& text, std::size_t letters) {
  return text.substr(0, bytes_of(text, letters));
}

}  // namespace clpool::program
