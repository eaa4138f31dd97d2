/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* svm.h: a list whose pointers host and kernel share, in coarse-grain shared virtual memory. */
#include "opened.h"

typedef struct node {
  struct node* next;
  cl_uint value;
} node;

int main(void) {
  const char* source =
      "struct node { global struct node* next; uint value; };"
      "kernel void sum(global struct node* n) { uint s = 0; global struct node* first = n;"
      " for (; n; n = n->next) s += n->value; first->value = s; }";
  const size_t one = 1;
  cl_bitfield kinds = 0;
  clpool_mem* mem = NULL;
  clpool_map* map = NULL;
  node* nodes;
  example_device device = open_default();

  CLPOOL_CHECK(clpool_svm_capabilities(device.id, &kinds));
  if ((kinds & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER) == 0) {
    skip("the device has no shared virtual memory");
  }
  CLPOOL_CHECK(clpool_svm_create(device.context, 0, 100 * sizeof(node),
                                 clpool_svm_alignment_for(sizeof(node)), device.queue, &mem));
  nodes = (node*)clpool_mem_pointer(mem);
  CLPOOL_CHECK(clpool_mem_map(device.queue, mem, CL_MAP_WRITE, 0, CLPOOL_WHOLE_SIZE, 1, 0, NULL, NULL, &map));
  for (cl_uint i = 0; i < 100; ++i) {
    nodes[i].next = i < 99 ? &nodes[i + 1] : NULL;
    nodes[i].value = i + 1;
  }
  CLPOOL_CHECK(clpool_map_release(map));

  cl_kernel kernel = example_kernel(&device, source, "sum");
  CLPOOL_CHECK(clpool_mem_set_kernel_arg(mem, kernel, 0));
  CL_CHECK(clEnqueueNDRangeKernel(device.queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
  CLPOOL_CHECK(clpool_mem_map(device.queue, mem, CL_MAP_READ, 0, sizeof(node), 1, 0, NULL, NULL, &map));
  EXPECT(nodes[0].value == 5050);
  printf("the kernel followed 100 pointers of the host: sum %u\n", nodes[0].value);
  CLPOOL_CHECK(clpool_map_release(map));

  CLPOOL_CHECK(clpool_mem_release(mem)); /* freed behind what is enqueued on the queue */
  CL_CHECK(clReleaseKernel(kernel));
  example_close(&device);
  return 0;
}
