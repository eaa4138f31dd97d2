// A table of text with aligned columns.
#pragma once

#include <string>
#include <vector>

namespace clpool::program {

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

  /// Titles and rows, each with its line end and without trailing blanks.
  std::vector<std::string> lines() const;

  /// All lines in one.
  std::string text() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace clpool::program
