// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Bytes are reserved before the inner call and given back when it fails, so that threads cannot exceed the
// limit together.
#include "allocator/limit.hpp"

#include <atomic>
#include <utility>

namespace clpool::core {
namespace {

class LimitAllocator final : public Allocator {
 public:
  LimitAllocator(Reference<Allocator> inner, std::uint64_t max_bytes)
      : Allocator(inner->traits()), inner_(std::move(inner)), max_bytes_(max_bytes) {}

  Status allocate(std::uint64_t size, std::uint64_t alignment, Chunk& chunk) noexcept override {
    CLPOOL_TRY(reserve(size));
    const Status status = inner_->allocate(size, alignment, chunk);
    if (status != Status::success) {
      taken_.fetch_sub(size, std::memory_order_relaxed);
    }
    return status;
  }

  void deallocate(const Chunk& chunk) noexcept override {
    inner_->deallocate(chunk);
    taken_.fetch_sub(chunk.size, std::memory_order_relaxed);
  }

  Status deallocate_on(const Chunk& chunk, const cl::Order& order) noexcept override {
    CLPOOL_TRY(inner_->deallocate_on(chunk, order));
    taken_.fetch_sub(chunk.size, std::memory_order_relaxed);
    return Status::success;
  }

 private:
  Status reserve(std::uint64_t size) noexcept {
    std::uint64_t taken = taken_.load(std::memory_order_relaxed);
    do {
      if (size > max_bytes_ - taken) {
        return fail(Status::out_of_memory,
                    "%llu bytes asked for, limit %llu, taken %llu by all that share it",
                    static_cast<unsigned long long>(size), static_cast<unsigned long long>(max_bytes_),
                    static_cast<unsigned long long>(taken));
      }
    } while (!taken_.compare_exchange_weak(taken, taken + size, std::memory_order_relaxed));
    return Status::success;
  }

  Reference<Allocator> inner_;
  std::uint64_t max_bytes_;
  std::atomic<std::uint64_t> taken_{0};  ///< never over max_bytes_
};

}  // namespace

Status make_limit_allocator(Allocator& inner, std::uint64_t max_bytes, Reference<Allocator>& result) {
  CLPOOL_TRY(inner.require_own_process("the allocator"));
  if (max_bytes == 0) {
    return fail(Status::invalid_value, "max_bytes is 0, the least limit is 1");
  }
  result = Reference<Allocator>::adopt(new LimitAllocator(Reference<Allocator>::share(&inner), max_bytes));
  return Status::success;
}

}  // namespace clpool::core
