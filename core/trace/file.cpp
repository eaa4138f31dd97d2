// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Logs from files: the bytes, as far as they may be a log.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

#include "trace/reader.hpp"

namespace clpool::core {
namespace {

constexpr std::string_view gzip_magic = "\x1f\x8b";

class File {
 public:
  explicit File(const char* path) noexcept : descriptor_(::open(path, O_RDONLY | O_CLOEXEC)) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (descriptor_ >= 0) {
      ::close(descriptor_);
    }
  }
  bool is_open() const noexcept { return descriptor_ >= 0; }
  ssize_t read(char* bytes, std::size_t count) const noexcept { return ::read(descriptor_, bytes, count); }

 private:
  int descriptor_;
};

/// The number of the line in which `bytes` end.
unsigned long long lines_of(std::string_view bytes) noexcept {
  return static_cast<unsigned long long>(std::count(bytes.begin(), bytes.end(), '\n')) + 1;
}

/// What is no log is told as soon as it is seen: the file may have no end.
Status check_text(std::string_view bytes, const char* path, std::uint64_t most_bytes) {
  if (bytes.starts_with(gzip_magic)) {
    return fail(Status::not_supported, "%s: gzip-compressed: decompress it and use clpool_trace_parse()",
                path);
  }
  if (bytes.size() > most_bytes) {
    return fail(Status::bad_format, "%s:%llu: the file is larger than %llu bytes, the most that are read",
                path, lines_of(bytes.substr(0, most_bytes)), static_cast<unsigned long long>(most_bytes));
  }
  if (bytes.size() > longest_trace_line + 2 &&
      bytes.substr(bytes.size() - longest_trace_line - 2).find('\n') == std::string_view::npos) {
    return fail(Status::bad_format, "%s:%llu: the line is longer than %zu bytes, the most that are read",
                path, lines_of(bytes), longest_trace_line);
  }
  return Status::success;
}

Status read_bytes(const char* path, std::uint64_t most_bytes, std::string& bytes) {
  if (*path == '\0') {
    return fail(Status::invalid_value, "path is empty");
  }
  const File file(path);
  if (!file.is_open()) {
    return fail(Status::io, "%s: cannot be opened: %s", path, std::strerror(errno));
  }
  constexpr std::size_t step = std::size_t{1} << 20;
  for (std::size_t used = 0;;) {
    bytes.resize(used + step);
    const ssize_t got = file.read(bytes.data() + used, step);
    if (got < 0 && errno != EINTR) {
      return fail(Status::io, "%s: cannot be read: %s", path, std::strerror(errno));
    }
    if (got == 0) {
      bytes.resize(used);
      return Status::success;
    }
    used += got > 0 ? static_cast<std::size_t>(got) : 0;
    CLPOOL_TRY(check_text({bytes.data(), used}, path, most_bytes));
  }
}

}  // namespace

Status read_trace_file(const char* path, TraceLog& log, std::uint64_t most_bytes) {
  std::string bytes;
  CLPOOL_TRY(read_bytes(path, most_bytes, bytes));
  return read_trace(bytes, path, log);
}

}  // namespace clpool::core
