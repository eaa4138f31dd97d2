// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What the tests of the memory runtime share: owning handles, buffers from every source, kernels.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "clpool/clpool.h"
#include "support/opencl.hpp"

namespace clpool::test {

struct MemDeleter {
  void operator()(clpool_mem* mem) const { EXPECT_EQ(clpool_mem_release(mem), CLPOOL_SUCCESS); }
};
using OwnedMem = std::unique_ptr<clpool_mem, MemDeleter>;

struct MapDeleter {
  void operator()(clpool_map* map) const { EXPECT_EQ(clpool_map_release(map), CLPOOL_SUCCESS); }
};
using OwnedMap = std::unique_ptr<clpool_map, MapDeleter>;

/// The thread's last error, for messages of failing assertions and for searches in it.
inline std::string last_error() {
  return clpool_last_error_message();
}

inline bool last_error_names(const std::string& word) {
  return last_error().find(word) != std::string::npos;
}

/// Expects success and tells the reason otherwise.
#define EXPECT_OK(expression) EXPECT_EQ((expression), CLPOOL_SUCCESS) << clpool_last_error_message()
#define ASSERT_OK(expression) ASSERT_EQ((expression), CLPOOL_SUCCESS) << clpool_last_error_message()

/// Skips a test where the device lacks something, with the library's reason.
#define SKIP_IF_NOT_SUPPORTED(status)            \
  if ((status) == CLPOOL_ERROR_NOT_SUPPORTED) {  \
    GTEST_SKIP() << clpool_last_error_message(); \
  }

/// Its execution status, such as CL_COMPLETE; CL_QUEUED if it cannot be asked.
inline cl_int state_of(cl_event event) {
  cl_int state = CL_QUEUED;
  clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, nullptr);
  return state;
}

/// n floats 0, 1, 2, …
inline std::vector<float> floats(std::size_t n) {
  std::vector<float> values(n);
  std::iota(values.begin(), values.end(), 0.0F);
  return values;
}

/// n bytes that repeat late.
inline std::vector<unsigned char> bytes(std::size_t n) {
  std::vector<unsigned char> values(n);
  for (std::size_t i = 0; i < n; ++i) {
    values[i] = static_cast<unsigned char>((i * 7 + i / 251) & 0xFF);
  }
  return values;
}

/// Where buffers come from: all of them must be able to do the same.
struct BufferSource {
  const char* name;
  clpool_status (*make)(const OpenCl& cl, std::size_t size, clpool_mem** out);
};

namespace detail {

inline clpool_status from_pool(const OpenCl& cl, std::uint32_t strategy, std::size_t size, clpool_mem** out) {
  *out = nullptr;
  clpool_allocator* allocator = nullptr;
  clpool_status status = clpool_allocator_create_immediate(cl.queue, 0, &allocator);
  if (status != CLPOOL_SUCCESS) {
    return status;
  }
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  options.strategy = strategy;
  clpool_pool* pool = nullptr;
  status = clpool_pool_create(allocator, &options, &pool);
  clpool_allocator_release(allocator);
  if (status != CLPOOL_SUCCESS) {
    return status;
  }
  // Not the first block of its chunk, so that its offset is not 0 where blocks are parts.
  clpool_mem* first = nullptr;
  status = clpool_pool_allocate(pool, 100, &first);
  if (status == CLPOOL_SUCCESS) {
    status = clpool_pool_allocate(pool, size, out);
  }
  clpool_mem_release(first);
  clpool_pool_release(pool);  // the block keeps it alive
  return status;
}

}  // namespace detail

inline const std::vector<BufferSource>& buffer_sources() {
  static const std::vector<BufferSource> sources = {
      {"Direct", [](const OpenCl& cl, std::size_t size,
                    clpool_mem** out) { return clpool_buffer_create(cl.context, 0, size, nullptr, 0, out); }},
      {"Allocator",
       [](const OpenCl& cl, std::size_t size, clpool_mem** out) {
         clpool_allocator* allocator = nullptr;
         clpool_allocator_create_deferred(cl.context, 0, &allocator);
         const clpool_status status = clpool_allocator_allocate(allocator, size, out);
         clpool_allocator_release(allocator);
         return status;
       }},
      {"CoalescingPool",
       [](const OpenCl& cl, std::size_t size, clpool_mem** out) {
         return detail::from_pool(cl, CLPOOL_STRATEGY_COALESCING, size, out);
       }},
      {"BinnedPool",
       [](const OpenCl& cl, std::size_t size, clpool_mem** out) {
         return detail::from_pool(cl, CLPOOL_STRATEGY_BINNED, size, out);
       }},
  };
  return sources;
}

/// Fixture of tests that hold for buffers from every source.
class EveryBuffer : public testing::TestWithParam<BufferSource> {
 protected:
  void SetUp() override {
    if (cl.queue == nullptr) {
      GTEST_SKIP() << "no OpenCL device";
    }
  }
  OwnedMem make(std::size_t size) {
    clpool_mem* mem = nullptr;
    EXPECT_OK(GetParam().make(cl, size, &mem));
    return OwnedMem(mem);
  }
  template <typename T>
  OwnedMem make_with(const std::vector<T>& content) {
    const std::size_t size = content.size() * sizeof(T);
    OwnedMem mem = make(size);
    EXPECT_OK(clpool_mem_write(cl.queue, mem.get(), 0, size, content.data(), size, 1, 0, nullptr, nullptr));
    return mem;
  }
  template <typename T>
  std::vector<T> content(clpool_mem* mem, std::size_t count, std::size_t offset = 0) {
    std::vector<T> values(count);
    EXPECT_OK(clpool_mem_read(cl.queue, mem, offset, count * sizeof(T), values.data(), count * sizeof(T), 1,
                              0, nullptr, nullptr));
    return values;
  }
  /// CL_DEVICE_MEM_BASE_ADDR_ALIGN in bytes.
  std::size_t alignment() const {
    cl_uint bits = 0;
    clGetDeviceInfo(cl.device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof bits, &bits, nullptr);
    return bits / 8;
  }
  OpenCl cl;
};

#define INSTANTIATE_FOR_EVERY_BUFFER(suite)                                                   \
  INSTANTIATE_TEST_SUITE_P(Sources, suite, testing::ValuesIn(clpool::test::buffer_sources()), \
                           [](const auto& source) { return std::string(source.param.name); })

/// The kernel of a one-kernel program.
class Kernel {
 public:
  Kernel(const OpenCl& cl, const char* source, const char* name, const char* options = "") {
    cl_int code = CL_SUCCESS;
    program_ = clCreateProgramWithSource(cl.context, 1, &source, nullptr, &code);
    if (clBuildProgram(program_, 1, &cl.device, options, nullptr, nullptr) == CL_SUCCESS) {
      kernel_ = clCreateKernel(program_, name, &code);
    }
  }
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;
  ~Kernel() {
    if (kernel_ != nullptr) {
      clReleaseKernel(kernel_);
    }
    clReleaseProgram(program_);
  }
  cl_kernel get() const { return kernel_; }

 private:
  cl_program program_ = nullptr;
  cl_kernel kernel_ = nullptr;
};

}  // namespace clpool::test
