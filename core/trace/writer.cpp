// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Rows to bytes, buffered, one lock around the buffer.
#include "trace/writer.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/message.hpp"
#include "base/utf8.hpp"
#include "trace/broken_pipe.hpp"

namespace clpool::core {
namespace {

constexpr std::string_view header = "Thread,Time,Action,Pointer,Size,Stream,Status,Tag\n";
constexpr const char* what = "the log's writer";
constexpr std::size_t longest_tag = 200;
constexpr std::size_t longest_row = 256 + longest_tag;

/// The kernel's number of the calling thread, which is what RMM writes.
std::uint64_t thread_number() noexcept {
  return static_cast<std::uint64_t>(::syscall(SYS_gettid));
}

/// Microseconds since midnight (UTC).
std::uint64_t time_of_day() noexcept {
  constexpr std::uint64_t day = std::uint64_t{24} * 60 * 60 * 1000000;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(now).count()) % day;
}

const char* action_text(TraceAction action) noexcept {
  switch (action) {
    case TraceAction::allocate:
      return "allocate";
    case TraceAction::release:
      return "free";
    case TraceAction::allocate_failure:
      return "allocate failure";
  }
  return "unknown";
}

/// Copies a tag so that it cannot break the row, nor a reader that wants UTF-8: as many whole characters as
/// fit.
void copy_tag(const char* tag, char (&copy)[longest_tag + 1]) noexcept {
  std::string_view rest(tag != nullptr ? tag : "", tag != nullptr ? ::strnlen(tag, longest_tag + 4) : 0);
  std::size_t length = 0;
  while (!rest.empty()) {
    const std::size_t bytes = utf8_character(rest);
    const std::size_t taken = bytes == 0 ? 1 : bytes;
    if (length + taken > longest_tag) {
      break;
    }
    const char first = rest[0];
    const bool harmless =
        bytes > 1 || (bytes == 1 && first >= ' ' && first != ',' && first != '"' && first != '\x7f');
    std::memcpy(copy + length, harmless ? rest.data() : "_", taken);
    length += taken;
    rest.remove_prefix(taken);
  }
  copy[length] = '\0';
}

std::size_t format_row(const TraceRecord& record, char (&row)[longest_row]) noexcept {
  char tag[longest_tag + 1];
  copy_tag(record.tag, tag);
  const std::uint64_t time = time_of_day();
  const std::uint64_t seconds = time / 1000000;
  const int length = std::snprintf(
      row, sizeof row, "%llu,%02u:%02u:%02u.%06u,%s,0x%llx,%llu,%llu,%d,%s\n",
      static_cast<unsigned long long>(thread_number()), static_cast<unsigned>(seconds / 3600),
      static_cast<unsigned>(seconds / 60 % 60), static_cast<unsigned>(seconds % 60),
      static_cast<unsigned>(time % 1000000), action_text(record.action),
      static_cast<unsigned long long>(record.pointer), static_cast<unsigned long long>(record.size),
      static_cast<unsigned long long>(record.stream), static_cast<int>(record.status), tag);
  return length > 0 ? static_cast<std::size_t>(length) : 0;
}

}  // namespace

Status TraceWriter::create(const char* path, Reference<TraceWriter>& result) {
  if (*path == '\0') {
    return fail(Status::invalid_value, "path is empty");
  }
  if (std::string_view(path).ends_with(".gz")) {
    return fail(Status::not_supported, "%s: logs are written uncompressed: compress the file afterwards",
                path);
  }
  const int descriptor = ::open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) {
    return fail(Status::io, "%s: cannot be created: %s", path, std::strerror(errno));
  }
  Reference<TraceWriter> writer;
  try {
    writer = Reference<TraceWriter>::adopt(new TraceWriter(path, descriptor));
  } catch (...) {
    ::close(descriptor);
    throw;
  }
  CLPOOL_TRY(writer->append_locked(header.data(), header.size()));
  CLPOOL_TRY(writer->flush());
  result = std::move(writer);
  return Status::success;
}

TraceWriter::~TraceWriter() {
  // What a child of fork() has buffered is the parent's to write.
  const bool is_own = require_own_process(what) == Status::success;
  if (is_own && error_ == 0 && flush_locked() != Status::success) {
    send_message({}, Severity::error, "%s", last_error_message());
  }
  if (::close(descriptor_) != 0) {
    send_message({}, Severity::error, "%s: cannot be closed: %s", path_.c_str(), std::strerror(errno));
  }
}

Status TraceWriter::write(const TraceRecord& record) noexcept {
  CLPOOL_TRY(require_own_process(what));
  char row[longest_row];
  const std::size_t length = format_row(record, row);
  const std::lock_guard lock(mutex_);
  return append_locked(row, length);
}

Status TraceWriter::flush() noexcept {
  CLPOOL_TRY(require_own_process(what));
  const std::lock_guard lock(mutex_);
  return flush_locked();
}

Status TraceWriter::append_locked(const char* bytes, std::size_t count) noexcept {
  if (error_ != 0 || used_ + count > buffer_size) {
    CLPOOL_TRY(flush_locked());
  }
  std::memcpy(buffer_ + used_, bytes, count);
  used_ += count;
  return Status::success;
}

Status TraceWriter::flush_locked() noexcept {
  const BrokenPipe broken_pipe;
  for (std::size_t written = 0; error_ == 0 && written < used_;) {
    const ssize_t count = ::write(descriptor_, buffer_ + written, used_ - written);
    if (count >= 0) {
      written += static_cast<std::size_t>(count);
    } else if (errno != EINTR) {
      error_ = errno;
    }
  }
  if (error_ != 0) {
    return fail(Status::io, "%s: cannot be written: %s", path_.c_str(), std::strerror(error_));
  }
  used_ = 0;
  return Status::success;
}

}  // namespace clpool::core
