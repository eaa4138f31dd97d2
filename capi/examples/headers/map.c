/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* map.h: the host writes into a buffer in place, and reads from it, without an array of its own. */
#include "opened.h"

int main(void) {
  const char* source = "kernel void square(global float* x) { x[get_global_id(0)] *= x[get_global_id(0)]; }";
  const size_t items = 1000;
  const size_t bytes = items * sizeof(float);
  example_device device = open_default();
  cl_kernel kernel = example_kernel(&device, source, "square");
  clpool_mem* mem = NULL;
  clpool_map* map = NULL;
  float* numbers;
  float last;

  CLPOOL_CHECK(clpool_buffer_create(device.context, 0, bytes, NULL, 0, &mem));
  CLPOOL_CHECK(clpool_mem_map(device.queue, mem, CL_MAP_WRITE_INVALIDATE_REGION, 0, CLPOOL_WHOLE_SIZE, 1, 0,
                              NULL, NULL, &map));
  EXPECT(clpool_map_size(map) == bytes);
  numbers = (float*)clpool_map_pointer(map);
  for (size_t i = 0; i < items; ++i) {
    numbers[i] = (float)i;
  }
  CLPOOL_CHECK(clpool_map_release(map)); /* unmaps: `numbers` is no more, and kernels may use the buffer */

  CLPOOL_CHECK(clpool_mem_set_kernel_arg(mem, kernel, 0));
  CL_CHECK(clEnqueueNDRangeKernel(device.queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));

  CLPOOL_CHECK(clpool_mem_map(device.queue, mem, CL_MAP_READ, bytes - sizeof(float), sizeof(float), 1, 0,
                              NULL, NULL, &map)); /* the last number alone */
  last = *(const float*)clpool_map_pointer(map);
  EXPECT(last > 998000.5f && last < 998001.5f);
  CLPOOL_CHECK(clpool_map_unmap(map, NULL, 0, NULL, NULL));
  EXPECT(clpool_map_pointer(map) == NULL);
  printf("999 squared in place is %.0f\n", (double)last);

  CLPOOL_CHECK(clpool_map_release(map));
  CLPOOL_CHECK(clpool_mem_release(mem));
  CL_CHECK(clReleaseKernel(kernel));
  example_close(&device);
  return 0;
}
