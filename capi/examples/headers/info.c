/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* info.h: what memory is, asked of it, and memory as the argument of a kernel whatever kind it is. */
#include "opened.h"

int main(void) {
  const char* source = "kernel void count(global uint* x) { x[get_global_id(0)] = get_global_id(0); }";
  cl_uint numbers[64] = {0};
  const size_t items = 64;
  void* host = NULL;
  size_t bytes = 0;
  uint64_t flags = 0;
  uint64_t references = 0;
  cl_context context = NULL;
  example_device device = open_default();
  cl_kernel kernel = example_kernel(&device, source, "count");
  clpool_mem* mem = NULL;
  cl_int done = CL_SUCCESS;

  CLPOOL_CHECK(clpool_buffer_create(device.context, CL_MEM_USE_HOST_PTR, sizeof numbers, numbers,
                                    sizeof numbers, &mem));
  CLPOOL_CHECK(clpool_mem_info_number(mem, CL_MEM_FLAGS, &flags));
  CLPOOL_CHECK(clpool_mem_info_number(mem, CL_MEM_REFERENCE_COUNT, &references));
  CLPOOL_CHECK(clpool_mem_context(mem, &context));
  CLPOOL_CHECK(clpool_mem_host_memory(mem, &host, &bytes));
  EXPECT((flags & CL_MEM_USE_HOST_PTR) != 0 && references == 1 && context == device.context);
  EXPECT(host == numbers && bytes == sizeof numbers);

  CLPOOL_CHECK(clpool_mem_set_kernel_arg(mem, kernel, 0));
  CL_CHECK(clEnqueueNDRangeKernel(device.queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
  (void)clEnqueueMapBuffer(device.queue, clpool_mem_handle(mem), CL_TRUE, CL_MAP_READ, 0, bytes, 0, NULL,
                           NULL, &done);
  CL_CHECK(done);
  EXPECT(numbers[63] == 63); /* the map has brought here what the device wrote */
  printf("%zu bytes over the program's own array, flags 0x%llx; the kernel wrote %u\n", bytes,
         (unsigned long long)flags, numbers[63]);

  CL_CHECK(clEnqueueUnmapMemObject(device.queue, clpool_mem_handle(mem), numbers, 0, NULL, NULL));
  CL_CHECK(clFinish(device.queue));
  CLPOOL_CHECK(clpool_mem_release(mem));
  CL_CHECK(clReleaseKernel(kernel));
  example_close(&device);
  return 0;
}
