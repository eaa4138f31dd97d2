/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* device.h: which devices there are, the one that a program should take, and a context with a queue on it. */
#include "opened.h"

int main(void) {
  clpool_device_options options = CLPOOL_DEVICE_OPTIONS_INIT;
  clpool_device_facts facts = CLPOOL_DEVICE_FACTS_INIT;
  cl_device_id devices[16];
  cl_device_id device = NULL;
  cl_context context = NULL;
  cl_command_queue queue = NULL;
  char text[200];
  size_t count = 0;
  size_t needed = 0;

  options.selector =
      NULL; /* or what the user gave as --device: "gpu", "0:1", "nvidia"; NULL: CLPOOL_DEVICE */
  need_device(clpool_device_list(&options, devices, 16, &count));
  EXPECT(count > 0);
  CLPOOL_CHECK(clpool_device_choose(&options, &device));
  EXPECT(device == devices[0]); /* the list has the chosen one first */
  CLPOOL_CHECK(
      clpool_context_create_default(&options, &device, &context, &queue)); /* or all of it in one call */

  CLPOOL_CHECK(clpool_device_describe(device, text, sizeof text, &needed));
  CLPOOL_CHECK(clpool_device_read_facts(device, &facts));
  EXPECT(facts.memory_bytes >= facts.largest_allocation_bytes && facts.compute_units > 0);
  printf("1 of %zu: %s, OpenCL %u.%u, %u units, %llu MiB, buffers of up to %llu MiB\n", count, text,
         facts.version_major, facts.version_minor, facts.compute_units,
         (unsigned long long)(facts.memory_bytes >> 20),
         (unsigned long long)(facts.largest_allocation_bytes >> 20));

  CL_CHECK(clReleaseCommandQueue(queue));
  CL_CHECK(clReleaseContext(context));
  return 0;
}
