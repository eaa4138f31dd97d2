/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200112L
/* Uses the installed library from C, without a device: a pool over host memory. */
#include <clpool/clpool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static clpool_status host_allocate(void* user, uint64_t size, uint64_t alignment, uint64_t* chunk) {
  void* memory = NULL;
  (void)user;
  if (posix_memalign(&memory, alignment < sizeof(void*) ? sizeof(void*) : (size_t)alignment, (size_t)size) !=
      0) {
    return CLPOOL_ERROR_OUT_OF_MEMORY;
  }
  *chunk = (uint64_t)(uintptr_t)memory;
  return CLPOOL_SUCCESS;
}

static void host_deallocate(void* user, uint64_t chunk, uint64_t size) {
  (void)user;
  (void)size;
  free((void*)(uintptr_t)chunk);
}

static int failed(const char* what) {
  fprintf(stderr, "%s: %s\n", what, clpool_last_error_message());
  return 1;
}

int main(void) {
  clpool_allocator_ops ops = CLPOOL_ALLOCATOR_OPS_INIT;
  clpool_allocator* allocator = NULL;
  clpool_pool* pool = NULL;
  clpool_mem* block = NULL;
  ops.allocate = host_allocate;
  ops.deallocate = host_deallocate;
  if (clpool_version_number() / 1000000 != CLPOOL_VERSION_MAJOR) {
    fprintf(stderr, "headers of version %d, library %s\n", CLPOOL_VERSION_MAJOR, clpool_version_string());
    return 1;
  }
  if (clpool_allocator_create_custom(&ops, NULL, &allocator) != CLPOOL_SUCCESS) {
    return failed("clpool_allocator_create_custom");
  }
  if (clpool_pool_create(allocator, NULL, &pool) != CLPOOL_SUCCESS) {
    return failed("clpool_pool_create");
  }
  if (clpool_pool_allocate(pool, 1000, &block) != CLPOOL_SUCCESS) {
    return failed("clpool_pool_allocate");
  }
  memset(clpool_mem_pointer(block), 0x5a, clpool_mem_size(block));
  if (clpool_mem_release(block) != CLPOOL_SUCCESS || clpool_pool_release(pool) != CLPOOL_SUCCESS ||
      clpool_allocator_release(allocator) != CLPOOL_SUCCESS) {
    return failed("release");
  }
  printf("C, libclpool %s: fine\n", clpool_version_string());
  return 0;
}
