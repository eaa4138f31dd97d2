// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Uses the installed library from C++17, without a device: a pool over host memory.
#include <clpool/clpool.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace {

struct Release {
  void operator()(clpool_allocator* allocator) const { clpool_allocator_release(allocator); }
  void operator()(clpool_pool* pool) const { clpool_pool_release(pool); }
  void operator()(clpool_mem* mem) const { clpool_mem_release(mem); }
};

clpool_status host_allocate(void*, uint64_t size, uint64_t alignment, uint64_t* chunk) {
  const std::size_t step = alignment < sizeof(void*) ? sizeof(void*) : alignment;
  void* memory = std::aligned_alloc(step, (size + step - 1) / step * step);
  *chunk = reinterpret_cast<std::uintptr_t>(memory);
  return memory != nullptr ? CLPOOL_SUCCESS : CLPOOL_ERROR_OUT_OF_MEMORY;
}

void host_deallocate(void*, uint64_t chunk, uint64_t) {
  std::free(reinterpret_cast<void*>(static_cast<std::uintptr_t>(chunk)));
}

int failed(const char* what) {
  std::fprintf(stderr, "%s: %s\n", what, clpool_last_error_message());
  return 1;
}

}  // namespace

int main() {
  clpool_allocator_ops ops = CLPOOL_ALLOCATOR_OPS_INIT;
  ops.allocate = host_allocate;
  ops.deallocate = host_deallocate;

  clpool_allocator* raw_allocator = nullptr;
  if (clpool_allocator_create_custom(&ops, nullptr, &raw_allocator) != CLPOOL_SUCCESS) {
    return failed("clpool_allocator_create_custom");
  }
  const std::unique_ptr<clpool_allocator, Release> allocator(raw_allocator);

  clpool_pool* raw_pool = nullptr;
  if (clpool_pool_create(allocator.get(), nullptr, &raw_pool) != CLPOOL_SUCCESS) {
    return failed("clpool_pool_create");
  }
  const std::unique_ptr<clpool_pool, Release> pool(raw_pool);

  clpool_mem* raw_block = nullptr;
  if (clpool_pool_allocate(pool.get(), 1000, &raw_block) != CLPOOL_SUCCESS) {
    return failed("clpool_pool_allocate");
  }
  const std::unique_ptr<clpool_mem, Release> block(raw_block);
  std::memset(clpool_mem_pointer(block.get()), 0x5a, clpool_mem_size(block.get()));
  std::printf("C++, libclpool %s: fine\n", clpool_version_string());
  return 0;
}
