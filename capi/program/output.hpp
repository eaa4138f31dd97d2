// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Where results go: standard output, and files for JSON. What cannot be written is an error, also at the end.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace clpool::program {

/// Writes to standard output at once. Throws Failure (bad_input) if it cannot.
void print(const std::string& text);

/// `--json [FILE]`: JSON on standard output instead of the text, or in a file beside it.
class JsonOption {
 public:
  /// Adds the option to a verb.
  static void add(CLI::App& verb, JsonOption& option);

  /// To be called before any work, so that a path that cannot be written costs no results. A file that exists
  /// and is no JSON is not overwritten; nor is one of `inputs`.
  void open(const std::vector<std::string>& inputs = {});

  /// Writes the text, or the JSON, or both to where they belong. Each is made only if it is needed.
  template <typename Text, typename Json>
  void write(Text&& text, Json&& json) {
    if (goes_to_output()) {
      print(json());
      return;
    }
    print(text());
    if (file_ != nullptr) {
      write_file(json());
    }
  }

 private:
  bool goes_to_output() const { return is_given_ && (path_.empty() || path_ == "-"); }
  void write_file(const std::string& text);

  struct Closer {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
  };
  bool is_given_ = false;
  std::string path_;
  std::unique_ptr<std::FILE, Closer> file_;
};

/// Has the three standard streams, as far as they are closed, fail as closed ones do: no file that is opened later becomes
/// one of them.
void keep_standard_streams_apart() noexcept;

/// Columns that tables may take: COLUMNS of the environment, or the terminal's width; no end where standard
/// output is none.
std::size_t output_width();

/// Columns of the terminal that an open file is; no end if it is none.
std::size_t terminal_width(int file);

}  // namespace clpool::program
