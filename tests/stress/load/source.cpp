// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
#include "source.hpp"

#include <cinttypes>
#include <cstdlib>

namespace clpool::load {
namespace {

std::atomic<std::int64_t> living_sources{0};
std::atomic<std::int64_t> all_bytes{0};

/// Numbers without any order.
std::uint64_t mixed(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9U;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBU;
  return value ^ (value >> 31);
}

}  // namespace

std::int64_t Source::living() {
  return living_sources;
}

std::int64_t Source::bytes() {
  return all_bytes;
}

Allocator Source::make(bool has_memory, std::uint32_t failing_of, std::uint64_t seed) {
  auto* source = new Source(has_memory, failing_of, seed);
  ++living_sources;
  clpool_allocator_ops ops = CLPOOL_ALLOCATOR_OPS_INIT;
  ops.allocate = [](void* user, std::uint64_t size, std::uint64_t alignment, std::uint64_t* chunk) {
    return static_cast<Source*>(user)->take(size, alignment, *chunk);
  };
  ops.deallocate = [](void* user, std::uint64_t chunk, std::uint64_t size) {
    static_cast<Source*>(user)->give_back(chunk, size);
  };
  ops.destroy = [](void* user) {
    auto* ended = static_cast<Source*>(user);
    if (ended->bytes_ != 0) {
      report().wrong("a custom allocator ended with %" PRId64 " bytes out", ended->bytes_.load());
    }
    --living_sources;
    delete ended;
  };
  clpool_allocator* allocator = nullptr;
  if (clpool_allocator_create_custom(&ops, source, &allocator) != CLPOOL_SUCCESS) {
    report().wrong("no custom allocator: %s", clpool_last_error_message());
  }
  return Allocator(allocator);
}

clpool_status Source::take(std::uint64_t size, std::uint64_t alignment, std::uint64_t& chunk) {
  const std::uint64_t choice = mixed(++calls_);
  if (failing_of_ != 0 && choice % failing_of_ == 0) {
    constexpr clpool_status failures[] = {CLPOOL_ERROR_OUT_OF_MEMORY, CL_MEM_OBJECT_ALLOCATION_FAILURE,
                                          CL_OUT_OF_RESOURCES,        CL_OUT_OF_HOST_MEMORY,
                                          CL_INVALID_BUFFER_SIZE,     CLPOOL_ERROR_IO};
    return failures[(choice >> 32) % (sizeof failures / sizeof *failures)];
  }
  if (has_memory_) {
    const std::uint64_t step = alignment < sizeof(void*) ? sizeof(void*) : alignment;
    chunk = reinterpret_cast<std::uintptr_t>(std::aligned_alloc(step, (size + step - 1) / step * step));
    if (chunk == 0) {
      return CLPOOL_ERROR_OUT_OF_MEMORY;
    }
  } else {
    const std::uint64_t taken = next_.fetch_add(size + alignment);
    chunk = (taken + alignment - 1) / alignment * alignment;
  }
  bytes_ += static_cast<std::int64_t>(size);
  all_bytes += static_cast<std::int64_t>(size);
  return CLPOOL_SUCCESS;
}

void Source::give_back(std::uint64_t chunk, std::uint64_t size) {
  bytes_ -= static_cast<std::int64_t>(size);
  all_bytes -= static_cast<std::int64_t>(size);
  if (has_memory_) {
    std::free(reinterpret_cast<void*>(static_cast<std::uintptr_t>(chunk)));
  }
}

}  // namespace clpool::load
