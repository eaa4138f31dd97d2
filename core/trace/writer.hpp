// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// TraceWriter: writes an allocation log that our reader and RMM's tools load: RMM's six columns first, ours
// (Status, Tag) after them. It calls no driver.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>

#include "base/reference.hpp"
#include "base/status.hpp"
#include "trace/log.hpp"

namespace clpool::core {

/// One row to write; thread and time are the writer's to find.
struct TraceRecord {
  TraceAction action = TraceAction::allocate;
  std::uint64_t pointer = 0;
  std::uint64_t size = 0;  ///< bytes
  std::uint64_t stream = 0;
  Status status = Status::success;  ///< why an allocation failed
  const char* tag = nullptr;        ///< free text; commas, quotes and control characters become '_'
};

/// Thread-safe; rows stand in the order of the calls. Rows are kept in memory until the buffer is full.
class TraceWriter final : public Shared {
 public:
  /// Creates or empties the file and writes the header. IO if that fails; NOT_SUPPORTED for a path that ends
  /// in ".gz".
  static Status create(const char* path, Reference<TraceWriter>& result);
  /// Writes what is buffered; a failure is sent as a message.
  ~TraceWriter() override;

  /// IO if the file could not be written, now or before: a log with a hole would be useless, so nothing more
  /// is written after the first failure.
  Status write(const TraceRecord& record) noexcept;

  /// Hands everything buffered to the system.
  Status flush() noexcept;

 private:
  static constexpr std::size_t buffer_size = std::size_t{1} << 16;

  TraceWriter(const char* path, int descriptor) : path_(path), descriptor_(descriptor) {}
  Status flush_locked() noexcept;
  Status append_locked(const char* bytes, std::size_t count) noexcept;

  const std::string path_;
  std::mutex mutex_;
  int descriptor_;
  int error_ = 0;  ///< errno of the first failure
  std::size_t used_ = 0;
  char buffer_[buffer_size];
};

}  // namespace clpool::core
