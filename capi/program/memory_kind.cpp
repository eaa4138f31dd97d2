// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Allocators over a device, and the dry one, whose addresses are just numbers.
#include "memory_kind.hpp"

#include <fmt/format.h>

#include <atomic>
#include <utility>

#include "failure.hpp"

namespace clpool::program {
namespace {

/// What NVIDIA's devices ask of a part of a buffer, the strictest of the common ones.
constexpr std::uint64_t dry_alignment = 512;

/// Numbers that were never given out before, so that no memory is needed behind them.
struct NumberSpace {
  std::atomic<std::uint64_t> next{std::uint64_t{1} << 32};
};

clpool_status take_numbers(void* user, uint64_t size, uint64_t alignment, uint64_t* chunk) {
  std::atomic<std::uint64_t>& next = static_cast<NumberSpace*>(user)->next;
  std::uint64_t expected = next.load(std::memory_order_relaxed);
  std::uint64_t begin = 0;
  do {
    begin = (expected + alignment - 1) & ~(alignment - 1);
    if (begin < expected || size > UINT64_MAX - begin) {
      return CLPOOL_ERROR_OUT_OF_MEMORY;
    }
  } while (!next.compare_exchange_weak(expected, begin + size, std::memory_order_relaxed));
  *chunk = begin;
  return CLPOOL_SUCCESS;
}

void forget_numbers(void*, uint64_t, uint64_t) {}

void delete_number_space(void* user) {
  delete static_cast<NumberSpace*>(user);
}

Allocator make_dry_allocator() {
  clpool_allocator_ops ops = CLPOOL_ALLOCATOR_OPS_INIT;
  ops.allocate = take_numbers;
  ops.deallocate = forget_numbers;
  ops.destroy = delete_number_space;
  auto space = std::make_unique<NumberSpace>();
  clpool_allocator* allocator = nullptr;
  check(clpool_allocator_create_custom(&ops, space.get(), &allocator));
  static_cast<void>(space.release());  // the allocator's now
  return Allocator(allocator);
}

Queue make_queue(cl_context context, cl_device_id device) {
  cl_int code = CL_SUCCESS;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  Queue queue(clCreateCommandQueue(context, device, 0, &code));  // there in every version of OpenCL
#pragma GCC diagnostic pop
  check_cl(code, "clCreateCommandQueue");
  return queue;
}

}  // namespace

MemorySource::MemorySource(std::string kind, const Device& device) : kind_(std::move(kind)) {
  if (kind_ == "dry") {
    return;
  }
  cl_int code = CL_SUCCESS;
  const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                              reinterpret_cast<cl_context_properties>(device.platform), 0};
  context_.reset(clCreateContext(properties, 1, &device.id, nullptr, nullptr, &code));
  check_cl(code, fmt::format("clCreateContext for {}", device.name));
  queue_ = make_queue(context_.get(), device.id);
}

Allocator MemorySource::make_allocator() const {
  if (kind_ == "dry") {
    return make_dry_allocator();
  }
  clpool_allocator* allocator = nullptr;
  if (kind_ == "svm") {
    check(clpool_allocator_create_svm(context_.get(), 0, 0, nullptr, &allocator));
  } else if (kind_ == "pinned") {
    check(clpool_allocator_create_pinned(queue_.get(), 0, &allocator));
  } else {
    check(clpool_allocator_create_immediate(queue_.get(), 0, &allocator));
  }
  return Allocator(allocator);
}

std::uint64_t MemorySource::pool_alignment() const noexcept {
  return kind_ == "dry" ? dry_alignment : 0;
}

}  // namespace clpool::program
