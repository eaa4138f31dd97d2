// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Makes the fake driver the only one before the ICD loader is first called.
#include "fuzz/on_stub.hpp"

#include <clpool/clpool.h>

#include <cstring>
#include <vector>

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv);

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  clpool::fuzz::take_stub_alone();
  return 0;
}

namespace clpool::fuzz {

void take_stub_alone() {
  ::setenv("OCL_ICD_VENDORS", CLPOOL_STUB_VENDORS, 1);
  ::setenv("OPENCL_VENDOR_PATH", CLPOOL_STUB_VENDORS, 1);
  ::unsetenv("OCL_ICD_FILENAMES");
  ::setenv("CLPOOL_STUB", "devices=3,mode=immediate", 1);
  for (const char* name : {"CLPOOL_DEVICE", "CLPOOL_TEST", "PYOPENCL_TEST", "PYOPENCL_CTX", "CUDA_DEVICE",
                           "HOME", "OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID", "MPI_LOCALRANKID"}) {
    ::unsetenv(name);
  }
  if (stub_platform() == nullptr) {
    std::puts("skipped: the OpenCL loader finds drivers without its list of vendors");
    std::exit(77);
  }
}

void call_later() {
  clpool_allocator_ops ops = CLPOOL_ALLOCATOR_OPS_INIT;
  ops.allocate = [](void*, uint64_t, uint64_t alignment, uint64_t* chunk) -> clpool_status {
    *chunk = alignment;
    return CLPOOL_SUCCESS;
  };
  ops.deallocate = [](void*, uint64_t, uint64_t) {};
  clpool_allocator* allocator = nullptr;
  clpool_mem* mem = nullptr;
  clpool_pool* pool = nullptr;
  require(clpool_allocator_create_custom(&ops, nullptr, &allocator) == CLPOOL_SUCCESS &&
              clpool_allocator_allocate(allocator, 1, &mem) == CLPOOL_SUCCESS &&
              clpool_mem_release(mem) == CLPOOL_SUCCESS &&
              clpool_pool_create(allocator, nullptr, &pool) == CLPOOL_SUCCESS,
          "the library goes on");
  clpool_pool_release(pool);
  clpool_allocator_release(allocator);
}

cl_platform_id stub_platform() {
  cl_uint count = 0;
  cl_platform_id platforms[8] = {};
  clGetPlatformIDs(8, platforms, &count);
  for (cl_uint i = 0; i < count && i < 8; ++i) {
    char name[64] = "";
    clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, nullptr);
    if (std::strcmp(name, "clpool stub") == 0) {
      return platforms[i];
    }
  }
  return nullptr;
}

cl_device_id stub_device(std::size_t index) {
  cl_uint count = 0;
  cl_device_id devices[8] = {};
  clGetDeviceIDs(stub_platform(), CL_DEVICE_TYPE_ALL, 8, devices, &count);
  return index < count ? devices[index] : nullptr;
}

}  // namespace clpool::fuzz
