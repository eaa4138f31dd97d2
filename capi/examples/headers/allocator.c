/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* allocator.h: memory without a pool, under a limit: what exceeds it is out of memory, and so can be tried. */
#include "opened.h"

int main(void) {
  const size_t mib = 1 << 20;
  example_device device = open_default();
  clpool_allocator* buffers = NULL;
  clpool_allocator* limited = NULL;
  clpool_mem* blocks[8] = {NULL};
  int made = 0;
  clpool_status status = CLPOOL_SUCCESS;

  CLPOOL_CHECK(clpool_allocator_create_immediate(device.queue, 0, &buffers));
  CLPOOL_CHECK(clpool_allocator_create_limit(buffers, 4 * mib, &limited));
  CLPOOL_CHECK(clpool_allocator_release(buffers)); /* `limited` holds it */

  while (made < 8 && (status = clpool_allocator_allocate(limited, mib, &blocks[made])) == CLPOOL_SUCCESS) {
    ++made;
  }
  EXPECT(made == 4 && status == CLPOOL_ERROR_OUT_OF_MEMORY && blocks[4] == NULL);
  printf("%d blocks of 1 MiB, then: %s\n", made, clpool_last_error_message());

  CLPOOL_CHECK(clpool_mem_release(blocks[0]));
  CLPOOL_CHECK(clpool_allocator_allocate(limited, mib, &blocks[0])); /* what went back counts no more */

  CLPOOL_CHECK(clpool_allocator_release(limited)); /* lives on until the last of its blocks goes */
  for (int i = 0; i < made; ++i) {
    CLPOOL_CHECK(clpool_mem_release(blocks[i]));
  }
  example_close(&device);
  return 0;
}
