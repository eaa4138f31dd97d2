/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* status.h: whether the library fits the headers, and what a failed call tells: status, message, OpenCL's code. */
#include <string.h>
#include "opened.h"

int main(void) {
  example_device device = open_default();
  clpool_mem* buffer = NULL;
  char bytes[64];
  clpool_status status;
  const uint32_t headers =
      CLPOOL_VERSION_MAJOR * 1000000u + CLPOOL_VERSION_MINOR * 1000u + CLPOOL_VERSION_PATCH;

  EXPECT(clpool_version_number() >= headers); /* an older library may lack functions that the headers have */

  /* An argument that the library refuses by itself: there is no code of OpenCL behind it. */
  status = clpool_buffer_create(device.context, 0, 0, NULL, 0, &buffer);
  EXPECT(status == CLPOOL_ERROR_INVALID_VALUE && buffer == NULL);
  EXPECT(strlen(clpool_last_error_message()) > 0 && clpool_last_cl_error() == CL_SUCCESS);

  /* A command that the driver refuses: the host has no access to what this buffer holds. */
  CLPOOL_CHECK(clpool_buffer_create(device.context, CL_MEM_HOST_NO_ACCESS, sizeof bytes, NULL, 0, &buffer));
  status = clpool_mem_read(device.queue, buffer, 0, CLPOOL_WHOLE_SIZE, bytes, sizeof bytes, 1, 0, NULL, NULL);
  EXPECT(status == CLPOOL_ERROR_OPENCL && clpool_last_cl_error() == CL_INVALID_OPERATION);
  printf("libclpool %s; %s: %s: %s\n", clpool_version_string(), clpool_status_string(status),
         clpool_cl_error_name(clpool_last_cl_error()), clpool_last_error_message());

  CLPOOL_CHECK(clpool_mem_release(buffer));
  example_close(&device);
  return 0;
}
