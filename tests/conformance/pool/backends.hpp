// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Every kind of pool that there is: each kind of allocator with each strategy. The suites that take a Backend
// as their parameter hold for all of them.
#pragma once

#include <clpool/clpool.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "support/opencl.hpp"
#include "support/pools.hpp"

namespace clpool::test {

enum class Kind { deferred, immediate, svm, pinned, custom };

struct Backend {
  Kind kind;
  std::uint32_t strategy;
  std::uint32_t leading_bits;
};

inline std::string name_of(const testing::TestParamInfo<Backend>& info) {
  static const char* const kinds[] = {"deferred", "immediate", "svm", "pinned", "custom"};
  const std::string kind = kinds[static_cast<int>(info.param.kind)];
  if (info.param.strategy == CLPOOL_STRATEGY_COALESCING) {
    return kind + "_coalescing";
  }
  return kind + "_binned" +
         (info.param.leading_bits == CLPOOL_LEADING_BITS_NONE ? "0"
                                                              : std::to_string(info.param.leading_bits));
}

inline std::vector<Backend> all_backends() {
  std::vector<Backend> backends;
  for (const Kind kind : {Kind::deferred, Kind::immediate, Kind::svm, Kind::pinned, Kind::custom}) {
    backends.push_back({kind, CLPOOL_STRATEGY_COALESCING, 0});
    for (const std::uint32_t bits : {4U, CLPOOL_LEADING_BITS_NONE, 26U}) {
      backends.push_back({kind, CLPOOL_STRATEGY_BINNED, bits});
    }
  }
  return backends;
}

/// Fixture: an allocator of the kind, pools over it, and a way to write and read their blocks on the device.
class PoolTest : public testing::TestWithParam<Backend> {
 protected:
  void SetUp() override {
    if (is(Kind::custom)) {
      allocator = numbers.allocator();
      return;
    }
    if (cl.queue == nullptr) {
      GTEST_SKIP() << "no OpenCL device";
    }
    clpool_allocator* made = nullptr;
    clpool_status status = CLPOOL_SUCCESS;
    if (is(Kind::deferred)) {
      status = clpool_allocator_create_deferred(cl.context, 0, &made);
    } else if (is(Kind::immediate)) {
      status = clpool_allocator_create_immediate(cl.queue, 0, &made);
    } else if (is(Kind::svm)) {
      status = clpool_allocator_create_svm(cl.context, 0, 0, cl.queue, &made);
    } else {
      status = clpool_allocator_create_pinned(cl.queue, 0, &made);
    }
    if (status == CLPOOL_ERROR_NOT_SUPPORTED) {
      GTEST_SKIP() << clpool_last_error_message();
    }
    ASSERT_EQ(status, CLPOOL_SUCCESS) << clpool_last_error_message();
    allocator.reset(made);
  }

  bool is(Kind kind) const { return GetParam().kind == kind; }
  bool is_binned() const { return GetParam().strategy == CLPOOL_STRATEGY_BINNED; }
  bool has_buffers() const { return is(Kind::deferred) || is(Kind::immediate); }

  clpool_pool_options options() const {
    clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
    options.strategy = GetParam().strategy;
    options.leading_bits_in_bin_id = GetParam().leading_bits;
    return options;
  }
  PoolHandle pool() { return make_pool(allocator.get(), options()); }

  /// Bytes that a binned pool has for a request.
  std::uint64_t rounded(std::uint64_t size) const {
    const std::uint32_t bits =
        GetParam().leading_bits == CLPOOL_LEADING_BITS_NONE ? 0 : GetParam().leading_bits;
    std::uint64_t bin = 0;
    std::uint64_t bytes = 0;
    EXPECT_EQ(clpool_bin_number(size, bits, &bin), CLPOOL_SUCCESS);
    EXPECT_EQ(clpool_bin_alloc_size(bin, bits, &bytes), CLPOOL_SUCCESS);
    return bytes;
  }

  /// Writes `value` to every byte that was asked for.
  void fill(const MemHandle& mem, unsigned char value) {
    const std::size_t size = clpool_mem_size(mem.get());
    if (has_buffers()) {
      ASSERT_EQ(clEnqueueFillBuffer(cl.queue, clpool_mem_handle(mem.get()), &value, 1, 0, size, 0, nullptr,
                                    nullptr),
                CL_SUCCESS);
    } else if (is(Kind::svm)) {
      ASSERT_EQ(
          clEnqueueSVMMemFill(cl.queue, clpool_mem_pointer(mem.get()), &value, 1, size, 0, nullptr, nullptr),
          CL_SUCCESS);
    } else if (is(Kind::pinned)) {
      std::memset(clpool_mem_pointer(mem.get()), value, size);
    }
  }
  /// Numbers have no bytes.
  bool holds(const MemHandle& mem, unsigned char value) {
    const std::size_t size = clpool_mem_size(mem.get());
    std::vector<unsigned char> bytes(size, value);
    if (has_buffers()) {
      EXPECT_EQ(clEnqueueReadBuffer(cl.queue, clpool_mem_handle(mem.get()), CL_TRUE, 0, size, bytes.data(), 0,
                                    nullptr, nullptr),
                CL_SUCCESS);
    } else if (is(Kind::svm)) {
      EXPECT_EQ(clEnqueueSVMMemcpy(cl.queue, CL_TRUE, bytes.data(), clpool_mem_pointer(mem.get()), size, 0,
                                   nullptr, nullptr),
                CL_SUCCESS);
    } else if (is(Kind::pinned)) {
      std::memcpy(bytes.data(), clpool_mem_pointer(mem.get()), size);
    }
    return bytes == std::vector<unsigned char>(size, value);
  }

  NumberSource numbers;
  OpenCl cl;
  AllocatorHandle allocator;
};

}  // namespace clpool::test
