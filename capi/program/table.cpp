// Column widths and padding. Width is counted in code points, which is right for the letters we print.
#include "table.hpp"

#include <algorithm>

namespace clpool::program {
namespace {

constexpr std::size_t gap = 2;

std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0) != 0x80;  // not a continuation of UTF-8
  }));
}

}  // namespace

std::vector<std::string> Table::lines() const {
  std::vector<std::string> titles;
  for (const Column& column : columns_) {
    titles.push_back(column.title);
  }
  std::vector<std::size_t> widths(columns_.size());
  const auto for_each_row = [&](auto&& visit) {
    visit(titles);
    std::for_each(rows_.begin(), rows_.end(), visit);
  };
  for_each_row([&](const std::vector<std::string>& cells) {
    for (std::size_t c = 0; c < cells.size(); ++c) {
      widths[c] = std::max(widths[c], width_of(cells[c]));
    }
  });
  std::vector<std::string> lines;
  for_each_row([&](const std::vector<std::string>& cells) {
    std::string line;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const std::string padding(widths[c] - width_of(cells[c]), ' ');
      line += c == 0 ? "" : std::string(gap, ' ');
      line += columns_[c].align == Align::right ? padding + cells[c] : cells[c] + padding;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    lines.push_back(line + "\n");
  });
  return lines;
}

std::string Table::text() const {
  std::string text;
  for (const std::string& line : lines()) {
    text += line;
  }
  return text;
}

}  // namespace clpool::program
