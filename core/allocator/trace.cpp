// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// A row "allocate" is written after the memory was made and a row "free" before it is given back, so that an
// address that the driver reuses at once never seems to be live twice; should it not be given back after all,
// a row "allocate" follows.
#include "allocator/trace.hpp"

#include <atomic>
#include <utility>

#include "base/message.hpp"
#include "trace/writer.hpp"

namespace clpool::core {
namespace {

class TraceAllocator final : public Allocator {
 public:
  TraceAllocator(Reference<Allocator> inner, Reference<TraceWriter> writer)
      : Allocator(inner->traits()), inner_(std::move(inner)), writer_(std::move(writer)) {}

  Status allocate(std::uint64_t size, std::uint64_t alignment, Chunk& chunk) noexcept override {
    const Status status = inner_->allocate(size, alignment, chunk);
    if (status == Status::success) {
      write({.action = TraceAction::allocate, .pointer = chunk.value, .size = size});
    } else {
      write({.action = TraceAction::allocate_failure, .size = size, .status = status});
    }
    return status;
  }

  void deallocate(const Chunk& chunk) noexcept override {
    write({.action = TraceAction::release, .pointer = chunk.value, .size = chunk.size});
    inner_->deallocate(chunk);
  }

  Status deallocate_on(const Chunk& chunk, const cl::Order& order) noexcept override {
    write({.action = TraceAction::release, .pointer = chunk.value, .size = chunk.size});
    const Status status = inner_->deallocate_on(chunk, order);
    if (status != Status::success) {
      write({.action = TraceAction::allocate, .pointer = chunk.value, .size = chunk.size});
    }
    return status;
  }

 private:
  /// What the log cannot take fails no allocation: the first failure to write is sent as a message, and then
  /// no more is tried, which would also hide the reason of a failed allocation behind that of the log.
  void write(const TraceRecord& record) noexcept {
    if (has_failed_.load(std::memory_order_relaxed)) {
      return;
    }
    if (writer_->write(record) != Status::success && !has_failed_.exchange(true)) {
      send_message({}, Severity::error, "allocation log: %s", last_error_message());
    }
  }

  Reference<Allocator> inner_;
  Reference<TraceWriter> writer_;
  std::atomic<bool> has_failed_{false};
};

}  // namespace

Status make_trace_allocator(Allocator& inner, const char* path, Reference<Allocator>& result) {
  CLPOOL_TRY(inner.require_own_process("the allocator"));
  Reference<TraceWriter> writer;
  CLPOOL_TRY(TraceWriter::create(path, writer));
  result =
      Reference<Allocator>::adopt(new TraceAllocator(Reference<Allocator>::share(&inner), std::move(writer)));
  return Status::success;
}

}  // namespace clpool::core
