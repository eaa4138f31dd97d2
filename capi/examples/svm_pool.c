/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* A pool of shared virtual memory: blocks are pointers, which host and kernels both use. A list whose nodes
 * are blocks is built by the host and summed by the device, pointer by pointer: nothing is copied or
 * translated. */
#include "example.h"

static const char* const source =
    "typedef struct node { global struct node* next; int value; } node;\n"
    "kernel void sum(global const node* first, global int* result) {\n"
    "  int total = 0;\n"
    "  for (global const node* n = first; n != 0; n = n->next) { total += n->value; }\n"
    "  *result = total;\n"
    "}\n";

typedef struct node {
  struct node* next;
  cl_int value;
} node;

enum { node_count = 100 };

/* Coarse-grained memory belongs to the host between map and unmap. */
static void map(const example_device* device, clpool_mem* block) {
  CL_CHECK(clEnqueueSVMMap(device->queue, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, clpool_mem_pointer(block),
                           clpool_mem_size(block), 0, NULL, NULL));
}

static void unmap(const example_device* device, clpool_mem* block) {
  CL_CHECK(clEnqueueSVMUnmap(device->queue, clpool_mem_pointer(block), 0, NULL, NULL));
}

static cl_int sum(const example_device* device, cl_kernel kernel, clpool_mem* const* nodes,
                  clpool_mem* result) {
  const size_t one = 1;
  void* reached[node_count];
  cl_int total;
  int i;
  for (i = 0; i < node_count; ++i) {
    reached[i] = clpool_mem_pointer(nodes[i]);
  }
  CL_CHECK(clSetKernelArgSVMPointer(kernel, 0, reached[0]));
  CL_CHECK(clSetKernelArgSVMPointer(kernel, 1, clpool_mem_pointer(result)));
  CL_CHECK(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof reached, reached));
  CL_CHECK(clEnqueueNDRangeKernel(device->queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
  map(device, result);
  total = *(cl_int*)clpool_mem_pointer(result);
  unmap(device, result);
  return total;
}

int main(void) {
  example_device device = example_open();
  clpool_allocator* allocator = NULL;
  clpool_pool* pool = NULL;
  clpool_pool_stats stats = CLPOOL_POOL_STATS_INIT;
  clpool_mem* nodes[node_count];
  clpool_mem* result = NULL;
  cl_kernel kernel;
  int i;
  const clpool_status status = clpool_allocator_create_svm(device.context, 0, 0, device.queue, &allocator);
  if (status == CLPOOL_ERROR_NOT_SUPPORTED) {
    printf("skipped: %s\n", clpool_last_error_message());
    return EXAMPLE_SKIPPED;
  }
  CLPOOL_CHECK(status);
  CLPOOL_CHECK(clpool_pool_create(allocator, NULL, &pool));
  kernel = example_kernel(&device, source, "sum");

  for (i = 0; i < node_count; ++i) {
    CLPOOL_CHECK(clpool_pool_allocate(pool, sizeof(node), &nodes[i]));
    EXPECT(clpool_mem_kind(nodes[i]) == CLPOOL_MEM_KIND_SVM);
    EXPECT(clpool_mem_handle(nodes[i]) == NULL && clpool_mem_pointer(nodes[i]) != NULL);
  }
  for (i = 0; i < node_count; ++i) {
    node* current = clpool_mem_pointer(nodes[i]);
    map(&device, nodes[i]);
    current->next = i + 1 < node_count ? clpool_mem_pointer(nodes[i + 1]) : NULL;
    current->value = i + 1;
    unmap(&device, nodes[i]);
  }
  CLPOOL_CHECK(clpool_pool_allocate(pool, sizeof(cl_int), &result));
  EXPECT(sum(&device, kernel, nodes, result) == node_count * (node_count + 1) / 2);

  CLPOOL_CHECK(clpool_pool_statistics(pool, &stats));
  printf("a list of %d blocks summed on the device; %llu allocations of the driver\n", node_count,
         (unsigned long long)stats.driver_allocations);
  EXPECT(stats.active_blocks == node_count + 1);
  EXPECT(stats.driver_allocations < node_count);

  for (i = 0; i < node_count; ++i) {
    CLPOOL_CHECK(clpool_mem_release(nodes[i]));
  }
  CLPOOL_CHECK(clpool_mem_release(result));
  CLPOOL_CHECK(clpool_pool_release(pool));
  CLPOOL_CHECK(clpool_allocator_release(allocator));
  CL_CHECK(clReleaseKernel(kernel));
  example_close(&device);
  return 0;
}
