// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Reading and decompressing. gzip is recognized by its first bytes, not by the name.
#include "log_file.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>

#include "failure.hpp"
#include "printable.hpp"

namespace clpool::program {
namespace {

constexpr std::string_view gzip_magic = "\x1f\x8b";

struct Closer {
  void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};

[[noreturn]] void refuse_log(const std::string& path, const std::string& reason) {
  throw Failure(ExitCode::bad_input, fmt::format("{}: {}", one_line(name_of_log(path)), reason));
}

/// `text` is what was read so far; a file, or what gzip data decompress to, may have no end.
void check_size(const std::string& path, const std::string& text, std::uint64_t most_bytes) {
  if (text.size() > most_bytes) {
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(most_bytes);
    refuse_log(path,
               fmt::format("line {}: the log has more than {} bytes, the most that are read (--largest-log)",
                           std::count(text.begin(), end, '\n') + 1, most_bytes));
  }
}

std::string read_bytes(const std::string& path, std::uint64_t most_bytes) {
  std::unique_ptr<std::FILE, Closer> opened;
  if (path.empty()) {
    throw Failure(ExitCode::bad_input, "the name of the log is empty");
  }
  if (path != "-") {
    opened.reset(std::fopen(path.c_str(), "rb"));
    if (opened == nullptr) {
      refuse_log(path, fmt::format("cannot be opened: {}", std::strerror(errno)));
    }
  }
  std::FILE* const file = opened != nullptr ? opened.get() : stdin;
  std::string bytes;
  char piece[1 << 16];
  while (const std::size_t count = std::fread(piece, 1, sizeof piece, file)) {
    bytes.append(piece, count);
    if (!bytes.starts_with(gzip_magic)) {
      check_size(path, bytes, most_bytes);
    } else if (bytes.size() > most_bytes) {
      refuse_log(path, fmt::format("more than {} bytes of gzip data, the most that are read (--largest-log)",
                                   most_bytes));
    }
  }
  if (std::ferror(file) != 0) {
    refuse_log(path, fmt::format("cannot be read: {}", std::strerror(errno)));
  }
  return bytes;
}

/// Owns the state of one decompression.
class Inflater {
 public:
  Inflater() {
    constexpr int largest_window_with_gzip_header = 15 + 16;
    if (inflateInit2(&stream_, largest_window_with_gzip_header) != Z_OK) {
      throw std::bad_alloc();
    }
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() { inflateEnd(&stream_); }

  /// Decompresses one member at the beginning of `input`, which is advanced to what follows it.
  void member(std::string_view& input, std::string& output, const std::string& path,
              std::uint64_t most_bytes) {
    inflateReset(&stream_);
    int code = Z_OK;
    while (code != Z_STREAM_END) {
      char piece[1 << 16];
      // zlib counts in 32 bits, so a large input is given in portions.
      const std::string_view portion = input.substr(0, std::size_t{1} << 30);
      stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(portion.data()));
      stream_.avail_in = static_cast<uInt>(portion.size());
      stream_.next_out = reinterpret_cast<Bytef*>(piece);
      stream_.avail_out = sizeof piece;
      code = inflate(&stream_, Z_NO_FLUSH);
      input.remove_prefix(portion.size() - stream_.avail_in);
      output.append(piece, sizeof piece - stream_.avail_out);
      check_size(path, output, most_bytes);
      const bool is_stuck = input.empty() && stream_.avail_out != 0;
      if (code == Z_BUF_ERROR || (code == Z_OK && is_stuck)) {
        refuse_log(path,
                   fmt::format("truncated: the gzip data ends after {} decompressed bytes without its end",
                               output.size()));
      }
      if (code != Z_OK && code != Z_STREAM_END) {
        refuse_log(path, fmt::format("damaged gzip data after {} decompressed bytes: {}", output.size(),
                                     stream_.msg != nullptr ? stream_.msg : "unknown reason"));
      }
    }
  }

 private:
  z_stream stream_{};
};

std::string decompress(std::string_view input, const std::string& path, std::uint64_t most_bytes) {
  Inflater inflater;
  std::string output;
  while (input.starts_with(gzip_magic)) {
    inflater.member(input, output, path, most_bytes);
  }
  if (input.find_first_not_of('\0') != std::string_view::npos) {  // padding by zeros is common on tapes
    refuse_log(path, fmt::format("{} bytes follow the end of the gzip data", input.size()));
  }
  return output;
}

}  // namespace

std::string name_of_log(const std::string& path) {
  return path == "-" ? "standard input" : path;
}

std::string read_log_file(const std::string& path, std::uint64_t most_bytes) {
  std::string bytes = read_bytes(path, most_bytes);
  if (bytes.starts_with(gzip_magic)) {
    return decompress(bytes, name_of_log(path), most_bytes);
  }
  if (path.ends_with(".gz")) {
    refuse_log(path, "not gzip data, although the name ends in .gz");
  }
  return bytes;
}

}  // namespace clpool::program
