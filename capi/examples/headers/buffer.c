/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* buffer.h: a buffer made of an array, its second half as a buffer of its own, and where that half lies. */
#include "opened.h"

int main(void) {
  cl_uint numbers[4096];
  cl_uint first = 0;
  size_t offset = 0;
  cl_mem root = NULL;
  clpool_mem* whole = NULL;
  clpool_mem* half = NULL;
  clpool_mem* wrapped = NULL;
  example_device device = open_default();
  clpool_device_facts facts = CLPOOL_DEVICE_FACTS_INIT;
  for (cl_uint i = 0; i < 4096; ++i) {
    numbers[i] = i;
  }
  CLPOOL_CHECK(clpool_device_read_facts(device.id, &facts));
  EXPECT(sizeof numbers / 2 % facts.alignment == 0); /* parts may begin at multiples of this only */

  CLPOOL_CHECK(
      clpool_buffer_create(device.context, CL_MEM_COPY_HOST_PTR, 0, numbers, sizeof numbers, &whole));
  CLPOOL_CHECK(clpool_mem_sub_region(whole, sizeof numbers / 2, CLPOOL_WHOLE_SIZE, 0, &half));
  CLPOOL_CHECK(clpool_mem_release(whole)); /* the part keeps it alive */
  EXPECT(clpool_mem_size(half) == sizeof numbers / 2);

  CL_CHECK(clEnqueueReadBuffer(device.queue, clpool_mem_handle(half), CL_TRUE, 0, sizeof first, &first, 0,
                               NULL, NULL));
  EXPECT(first == 2048);

  CLPOOL_CHECK(clpool_mem_root(half, &root, &offset)); /* for kernels that take a buffer and an offset */
  EXPECT(offset == sizeof numbers / 2 && root != clpool_mem_handle(half));
  CLPOOL_CHECK(clpool_mem_wrap(root, 1, &wrapped)); /* any cl_mem, as from another library; it is retained */
  EXPECT(clpool_mem_size(wrapped) == sizeof numbers);
  printf("the half at byte %zu of %zu begins with %u\n", offset, clpool_mem_size(wrapped), first);

  CLPOOL_CHECK(clpool_mem_release(wrapped));
  CLPOOL_CHECK(clpool_mem_release(half));
  example_close(&device);
  return 0;
}
