/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* pipe.h: a pipe between two kernels, and what it holds. */
#include "opened.h"

int main(void) {
  uint64_t packet = 0;
  uint64_t packets = 0;
  clpool_mem* pipe = NULL;
  example_device device = open_default();
  const clpool_status status = clpool_pipe_create(device.context, 0, sizeof(cl_float4), 256, &pipe);

  if (status == CLPOOL_ERROR_NOT_SUPPORTED) {
    skip(clpool_last_error_message());
  }
  CLPOOL_CHECK(status);
  EXPECT(clpool_mem_kind(pipe) == CLPOOL_MEM_KIND_PIPE);
  CLPOOL_CHECK(clpool_mem_info_number(pipe, CL_PIPE_PACKET_SIZE, &packet));
  CLPOOL_CHECK(clpool_mem_info_number(pipe, CL_PIPE_MAX_PACKETS, &packets));
  EXPECT(packet == sizeof(cl_float4) && packets >= 256);
  /* To both kernels: clSetKernelArg(kernel, n, sizeof(cl_mem), &handle) of clpool_mem_handle(pipe). */
  printf("a pipe for %llu packets of %llu bytes\n", (unsigned long long)packets, (unsigned long long)packet);
  CLPOOL_CHECK(clpool_mem_release(pipe));
  example_close(&device);
  return 0;
}
