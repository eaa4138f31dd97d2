/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* What the programs of this folder share beyond example.h: the device that the environment chooses (device.h),
 * and the end of a program that cannot run here. */
#ifndef CLPOOL_EXAMPLES_HEADERS_OPENED_H
#define CLPOOL_EXAMPLES_HEADERS_OPENED_H

#include "../example.h"

static inline void skip(const char* reason) {
  printf("skipped: %s\n", reason);
  exit(EXAMPLE_SKIPPED);
}

/* Ends the program where a choice of the device failed: skipped without any device, an error where the
 * environment names one that there is not. */
static inline void need_device(clpool_status status) {
  clpool_device_options any = CLPOOL_DEVICE_OPTIONS_INIT;
  cl_device_id device = NULL;
  any.flags = CLPOOL_DEVICE_IGNORE_ENVIRONMENT;
  if (status == CLPOOL_ERROR_NOT_FOUND && clpool_device_choose(&any, &device) == CLPOOL_ERROR_NOT_FOUND) {
    skip(clpool_last_error_message());
  }
  CLPOOL_CHECK(status);
}

/* The device that CLPOOL_DEVICE names, else the best one, with a context and an in-order queue. */
static inline example_device open_default(void) {
  example_device device = {NULL, NULL, NULL};
  need_device(clpool_context_create_default(NULL, &device.id, &device.context, &device.queue));
  return device;
}

#endif
