// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// A table of text with aligned columns.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace clpool::program {

/// So many letters of UTF-8 from the beginning, or all.
std::string first_letters(const std::string& text, std::size_t letters);

class Table {
 public:
  enum class Align { left, right };
  struct Column {
    std::string title;
    Align align;
  };
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  /// As many cells as there are columns.
  void add_row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

  /// Titles and rows, each with its lines' ends and without trailing blanks. Where they are wider than
  /// `width`, columns of words are made narrower, the widest first, and their cells go on in the next line. Where
  /// that is not enough, rows are lists of titles and cells, a line each, and there is nothing above them.
  std::vector<std::string> rows(std::size_t width) const;

  /// All rows in one.
  std::string text(std::size_t width) const;

 private:
  std::vector<std::size_t> widths(std::size_t width) const;
  std::vector<std::string> lists(std::size_t width) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace clpool::program
