// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Calls of the user's functions and the meaning of what they return.
#include "allocator/custom.hpp"

#include <iterator>
#include <map>
#include <mutex>
#include <new>

#include "base/reported.hpp"

namespace clpool::core {
namespace {

/// Parts of chunks of memory that nothing is known of: a multiple of what GPUs and SIMD types ask for.
constexpr std::uint64_t custom_granularity = 256;

class CustomAllocator final : public Allocator {
 public:
  CustomAllocator(const AllocatorTraits& traits, const CustomFunctions& functions)
      : Allocator(traits), functions_(functions) {
    traits_.sources = {this};
  }
  CustomAllocator(const CustomAllocator&) = delete;
  CustomAllocator& operator=(const CustomAllocator&) = delete;
  ~CustomAllocator() override {
    if (functions_.destroy != nullptr) {
      functions_.destroy(functions_.user);
    }
  }

  Status allocate(std::uint64_t size, std::uint64_t alignment, Chunk& chunk) noexcept override {
    if (size == 0) {
      return fail(Status::invalid_value, "a chunk of 0 bytes was asked for, the least is 1");
    }
    std::uint64_t value = 0;
    std::int32_t code = 0;
    Reported reported;
    if (const Thrown thrown([&] { code = functions_.allocate(functions_.user, size, alignment, &value); });
        thrown) {
      return fail(Status::callback, "the custom allocator threw for %llu bytes%s",
                  static_cast<unsigned long long>(size), thrown.text());
    }
    if (code != 0) {
      reported.look(code);
    }
    if (code < 0) {
      return fail_cl(code, "custom allocator", "%llu bytes%s", static_cast<unsigned long long>(size),
                     reported.text());
    }
    if (code != 0) {
      const Status status = Reported::status_of(code);
      return status == Status::out_of_memory
                 ? fail_behind(status, reported.code(), "the custom allocator has no %llu bytes%s",
                               static_cast<unsigned long long>(size), reported.text())
                 : fail_behind(status, reported.code(),
                               "the custom allocator failed with status %d (%s) for %llu bytes%s", code,
                               status_text(static_cast<Status>(code)), static_cast<unsigned long long>(size),
                               reported.text());
    }
    if (value == 0) {
      return fail(Status::callback, "the custom allocator reported success but chunk 0 for %llu bytes",
                  static_cast<unsigned long long>(size));
    }
    CLPOOL_TRY(enter(value, size));
    chunk = Chunk{value, size, nullptr};
    return Status::success;
  }

  void deallocate(const Chunk& chunk) noexcept override {
    {
      const std::lock_guard lock(mutex_);
      living_.erase(chunk.value);
    }
    functions_.deallocate(functions_.user, chunk.value, chunk.size);
  }

 private:
  /// Refuses a chunk that is not its own: it does not go back, as that would take another one's memory.
  Status enter(std::uint64_t value, std::uint64_t size) noexcept {
    const auto first = static_cast<unsigned long long>(value);
    if (size > UINT64_MAX - value) {
      return fail(Status::callback,
                  "the custom allocator's chunk 0x%llx of %llu bytes goes beyond the largest address", first,
                  static_cast<unsigned long long>(size));
    }
    try {
      const std::lock_guard lock(mutex_);
      auto next = living_.lower_bound(value);
      const auto other = next != living_.begin() && std::prev(next)->first + std::prev(next)->second > value
                             ? std::prev(next)
                             : next;
      if (other != living_.end() && other->first < value + size) {
        return fail(
            Status::callback,
            "the custom allocator's chunk 0x%llx of %llu bytes overlaps 0x%llx of %llu bytes, which was not "
            "given back",
            first, static_cast<unsigned long long>(size), static_cast<unsigned long long>(other->first),
            static_cast<unsigned long long>(other->second));
      }
      living_.emplace_hint(next, value, size);
      return Status::success;
    } catch (const std::bad_alloc&) {
      functions_.deallocate(functions_.user, value, size);
      return fail(Status::out_of_host_memory, "no host memory to note a chunk of the custom allocator");
    }
  }

  CustomFunctions functions_;
  std::mutex mutex_;
  std::map<std::uint64_t, std::uint64_t> living_;  ///< sizes of the chunks that are out, in bytes
};

}  // namespace

Status make_custom_allocator(const CustomFunctions& functions, Reference<Allocator>& result) {
  if (functions.allocate == nullptr || functions.deallocate == nullptr) {
    return fail(Status::invalid_value, "a custom allocator needs allocate and deallocate, %s is NULL",
                functions.allocate == nullptr ? "allocate" : "deallocate");
  }
  AllocatorTraits traits;  // of the kind `custom`
  traits.granularity = custom_granularity;
  result = Reference<Allocator>::adopt(new CustomAllocator(traits, functions));
  return Status::success;
}

}  // namespace clpool::core
