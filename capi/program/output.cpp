// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Standard output, files of JSON, the terminal's width.
#include "output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "failure.hpp"

namespace clpool::program {
namespace {

[[noreturn]] void refuse_file(const std::string& path, const std::string& reason) {
  throw Failure(ExitCode::bad_input, fmt::format("{}: {}", path, reason));
}

constexpr std::uintmax_t largest_overwritten = std::uintmax_t{64} << 20;  ///< bytes that are looked through

/// Refuses a file that has something in it that is no JSON, or that cannot be looked through. Devices and pipes are none.
void require_json_or_nothing(const std::string& path) {
  std::error_code failure;
  if (!std::filesystem::is_regular_file(path, failure)) {
    return;
  }
  const std::uintmax_t size = std::filesystem::file_size(path, failure);
  if (!failure && size == 0) {
    return;
  }
  if (!failure && size > largest_overwritten) {
    refuse_file(path, fmt::format("exists and has {} bytes, the most that --json overwrites are {}", size,
                                  largest_overwritten));
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    refuse_file(path, fmt::format("exists and cannot be read, so --json does not overwrite it: {}",
                                  std::strerror(errno)));
  }
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const bool has_zeros = text.find('\0') != std::string::npos;  // at which the parser takes the text to end
  if (has_zeros || !nlohmann::json::accept(text)) {
    refuse_file(path,
                "exists and is no JSON, so --json does not overwrite it (for standard output: --json -)");
  }
}

/// Before anything of it is overwritten: where the disk is full, or the file may not be as long, it stays what it is.
void reserve_space(int file, const std::string& path, std::size_t bytes) {
  struct stat before = {};
  if (::fstat(file, &before) != 0 || !S_ISREG(before.st_mode)) {
    return;
  }
  const int failure = ::posix_fallocate(file, 0, static_cast<off_t>(bytes));
  if (failure == ENOSPC || failure == EFBIG || failure == EDQUOT || failure == EIO) {
    const bool is_as_before = ::ftruncate(file, before.st_size) == 0;
    refuse_file(path, fmt::format("cannot be written: {}{}", std::strerror(failure),
                                  is_as_before ? "" : "; it may be longer than it was"));
  }
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
  require_json_or_nothing(path_);
  // What it has stays until there is something else.
  const int file = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  file_.reset(file >= 0 ? ::fdopen(file, "w") : nullptr);
  if (file_ == nullptr) {
    const int why = errno;
    if (file >= 0) {
      ::close(file);
    }
    refuse_file(path_, fmt::format("cannot be created: {}", std::strerror(why)));
  }
}

void JsonOption::write_file(const std::string& text) {
  reserve_space(::fileno(file_.get()), path_, text.size());
  const bool written =
      std::fwrite(text.data(), 1, text.size(), file_.get()) == text.size() && std::fflush(file_.get()) == 0;
  // Devices and pipes have no size to set.
  const bool ends = written && (::ftruncate(::fileno(file_.get()), static_cast<off_t>(text.size())) == 0 ||
                                errno == EINVAL);
  if (!ends || std::fclose(file_.release()) != 0) {
    refuse_file(path_, fmt::format("cannot be written: {}", std::strerror(errno)));
  }
}

void keep_standard_streams_apart() noexcept {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) < 0) {
      // The lowest number that is free is this one. It cannot be read where it is for input, nor written for output.
      static_cast<void>(::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY));
    }
  }
}

std::size_t output_width() {
  if (const char* const columns = ::secure_getenv("COLUMNS")) {
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
