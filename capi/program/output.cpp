// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Standard output, files of JSON, the terminal's width.
#include "output.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "failure.hpp"

namespace clpool::program {
namespace {

[[noreturn]] void refuse_file(const std::string& path, const std::string& reason) {
  throw Failure(ExitCode::bad_input, fmt::format("{}: {}", path, reason));
}

/// True if the file can be read and has something in it that JSON does not begin with.
bool holds_something_else(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) {
    return false;
  }
  std::FILE* const file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) {
    return false;
  }
  int first = std::fgetc(file);
  while (first == ' ' || first == '\n' || first == '\r' || first == '\t') {
    first = std::fgetc(file);
  }
  std::fclose(file);
  return first != EOF && first != '{' && first != '[';
}

}  // namespace

void print(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    refuse_file("standard output", fmt::format("cannot be written: {}", std::strerror(errno)));
  }
}

void JsonOption::add(CLI::App& verb, JsonOption& option) {
  verb.add_option_function<std::vector<std::string>>(
          "--json",
          [&option](const std::vector<std::string>& given) {
            option.is_given_ = true;
            option.path_ = given.empty() ? "" : given.front();
          },
          "Write JSON: to FILE beside the text, or to standard output in its place (no FILE, or -)")
      ->expected(0, 1)
      ->type_name("[FILE]");
}

void JsonOption::open(const std::vector<std::string>& inputs) {
  if (!is_given_ || goes_to_output()) {
    return;
  }
  std::error_code ignored;
  for (const std::string& input : inputs) {
    if (input == path_ || std::filesystem::equivalent(input, path_, ignored)) {
      refuse_file(path_, "--json would overwrite what is read");
    }
  }
  if (holds_something_else(path_)) {
    refuse_file(path_,
                "exists and is no JSON, so --json does not overwrite it (for standard output: --json -)");
  }
  file_.reset(std::fopen(path_.c_str(), "a"));  // what it has stays until there is something else
  if (file_ == nullptr) {
    refuse_file(path_, fmt::format("cannot be created: {}", std::strerror(errno)));
  }
}

void JsonOption::write_file(const std::string& text) {
  // Devices and pipes have no size to set.
  const bool is_empty = ::ftruncate(::fileno(file_.get()), 0) == 0 || errno == EINVAL;
  const bool written = is_empty && std::fwrite(text.data(), 1, text.size(), file_.get()) == text.size();
  if (!written || std::fclose(file_.release()) != 0) {
    refuse_file(path_, fmt::format("cannot be written: {}", std::strerror(errno)));
  }
}

std::size_t output_width() {
  if (const char* const columns = std::getenv("COLUMNS")) {
    char* end = nullptr;
    const unsigned long width = std::strtoul(columns, &end, 10);
    if (end != columns && *end == '\0' && width != 0) {
      return width;
    }
  }
  return terminal_width(STDOUT_FILENO);
}

std::size_t terminal_width(int file) {
  winsize size = {};
  const bool is_terminal = ::isatty(file) != 0 && ::ioctl(file, TIOCGWINSZ, &size) == 0;
  return is_terminal && size.ws_col != 0 ? size.ws_col : SIZE_MAX;
}

}  // namespace clpool::program
