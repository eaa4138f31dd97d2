// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Pools to measure.
#include "pools.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace clpool::benchmarks {
namespace {

clpool_status take_numbers(void*, uint64_t size, uint64_t alignment, uint64_t* chunk) {
  static std::atomic<uint64_t> next{uint64_t{1} << 40};
  *chunk = next.fetch_add((size + 2 * alignment) & ~(alignment - 1)) & ~(alignment - 1);
  return CLPOOL_SUCCESS;
}
void give_numbers(void*, uint64_t, uint64_t) {}

}  // namespace

void require(clpool_status status, const char* what) {
  if (status != CLPOOL_SUCCESS) {
    std::fprintf(stderr, "%s: %s: %s\n", what, clpool_status_string(status), clpool_last_error_message());
    std::exit(1);
  }
}

void require_driver(cl_int code, const char* what) {
  if (code != CL_SUCCESS) {
    std::fprintf(stderr, "%s: %s (%d)\n", what, clpool_cl_error_name(code), code);
    std::exit(1);
  }
}

Device::Device() {
  cl_uint count = 0;
  clGetPlatformIDs(0, nullptr, &count);
  std::vector<cl_platform_id> platforms(count);
  clGetPlatformIDs(count, platforms.data(), nullptr);
  for (const cl_device_type type : {cl_device_type{CL_DEVICE_TYPE_GPU}, cl_device_type{CL_DEVICE_TYPE_ALL}}) {
    for (cl_platform_id platform : platforms) {
      if (device == nullptr) {
        clGetDeviceIDs(platform, type, 1, &device, nullptr);
      }
    }
  }
  if (device == nullptr) {
    std::fprintf(stderr, "there is no OpenCL device\n");
    std::exit(1);
  }
  context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, nullptr);
  queue = clCreateCommandQueueWithProperties(context, device, nullptr, nullptr);
}

Device::~Device() {
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
}

std::string Device::name() const {
  char text[256] = "";
  clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof text, text, nullptr);
  return text;
}

Device& device() {
  static auto* const the_device = new Device;  // never destroyed: no driver is called at the process's end
  return *the_device;
}

AllocatorHandle make_allocator(Kind kind) {
  clpool_allocator* allocator = nullptr;
  switch (kind) {
    case Kind::numbers: {
      clpool_allocator_ops ops = CLPOOL_ALLOCATOR_OPS_INIT;
      ops.allocate = take_numbers;
      ops.deallocate = give_numbers;
      require(clpool_allocator_create_custom(&ops, nullptr, &allocator), "custom allocator");
      break;
    }
    case Kind::buffer:
      require(clpool_allocator_create_immediate(device().queue, 0, &allocator), "immediate allocator");
      break;
    case Kind::svm:
      require(clpool_allocator_create_svm(device().context, 0, 0, device().queue, &allocator),
              "SVM allocator");
      break;
    case Kind::pinned:
      require(clpool_allocator_create_pinned(device().queue, 0, &allocator), "pinned allocator");
      break;
  }
  return AllocatorHandle(allocator);
}

PoolHandle make_pool(Kind kind, const clpool_pool_options* options) {
  const AllocatorHandle allocator = make_allocator(kind);
  clpool_pool* pool = nullptr;
  require(clpool_pool_create(allocator.get(), options, &pool), "pool");
  return PoolHandle(pool);
}

PoolHandle make_pool() {
  return make_pool(Kind::numbers);
}

clpool_pool_stats statistics(clpool_pool* pool) {
  clpool_pool_stats stats = CLPOOL_POOL_STATS_INIT;
  require(clpool_pool_statistics(pool, &stats), "statistics");
  return stats;
}

}  // namespace clpool::benchmarks
