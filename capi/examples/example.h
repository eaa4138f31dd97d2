/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* What the examples share: the end of the program where a call fails, and the choice of a device. Nothing of
 * it is needed to use the library. */
#ifndef CLPOOL_EXAMPLES_EXAMPLE_H
#define CLPOOL_EXAMPLES_EXAMPLE_H

#define CL_USE_DEPRECATED_OPENCL_1_2_APIS /* clCreateCommandQueue: the one that every version has */
#include <clpool/clpool.h>
#include <stdio.h>
#include <stdlib.h>

/* Exit status by which a test says that it could not run here. */
#define EXAMPLE_SKIPPED 77

/* Ends the program with the library's own words where a clpool call fails. */
#define CLPOOL_CHECK(call)                                                                              \
  do {                                                                                                  \
    const clpool_status status_ = (call);                                                               \
    if (status_ != CLPOOL_SUCCESS) {                                                                    \
      fprintf(stderr, "%s:%d: %s: %s (%s)\n", __FILE__, __LINE__, #call, clpool_status_string(status_), \
              clpool_last_error_message());                                                             \
      exit(1);                                                                                          \
    }                                                                                                   \
  } while (0)

/* The same for a code of OpenCL. */
#define CL_CHECK(code)                                                                            \
  do {                                                                                            \
    const cl_int code_ = (code);                                                                  \
    if (code_ != CL_SUCCESS) {                                                                    \
      fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #code, clpool_cl_error_name(code_)); \
      exit(1);                                                                                    \
    }                                                                                             \
  } while (0)

/* Ends the program where something is not as it must be. */
#define EXPECT(condition)                                                     \
  do {                                                                        \
    if (!(condition)) {                                                       \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                                \
    }                                                                         \
  } while (0)

/* A device with what is needed to use it. */
typedef struct example_device {
  cl_device_id id;
  cl_context context;
  cl_command_queue queue;
} example_device;

/* The first device of exactly these types (simulators claim several at once), or of any for
 * CL_DEVICE_TYPE_ALL; NULL if there is none. */
static inline cl_device_id example_find(cl_device_type wanted) {
  cl_platform_id platforms[16];
  cl_device_id devices[16];
  cl_uint platform_count = 0;
  cl_uint p;
  if (clGetPlatformIDs(16, platforms, &platform_count) != CL_SUCCESS) {
    return NULL;
  }
  for (p = 0; p < platform_count && p < 16; ++p) {
    cl_uint device_count = 0;
    cl_uint d;
    if (clGetDeviceIDs(platforms[p], wanted, 16, devices, &device_count) != CL_SUCCESS) {
      continue;
    }
    for (d = 0; d < device_count && d < 16; ++d) {
      cl_device_type type = 0;
      CL_CHECK(clGetDeviceInfo(devices[d], CL_DEVICE_TYPE, sizeof type, &type, NULL));
      type &= ~(cl_device_type)CL_DEVICE_TYPE_DEFAULT;
      if (wanted == CL_DEVICE_TYPE_ALL || type == wanted) {
        return devices[d];
      }
    }
  }
  return NULL;
}

/* A GPU, else a CPU, else anything, with a context and an in-order queue. */
static inline example_device example_open(void) {
  example_device device = {NULL, NULL, NULL};
  cl_int code = CL_SUCCESS;
  device.id = example_find(CL_DEVICE_TYPE_GPU);
  device.id = device.id != NULL ? device.id : example_find(CL_DEVICE_TYPE_CPU);
  device.id = device.id != NULL ? device.id : example_find(CL_DEVICE_TYPE_ALL);
  if (device.id == NULL) {
    printf("skipped: no OpenCL device\n");
    exit(EXAMPLE_SKIPPED);
  }
  device.context = clCreateContext(NULL, 1, &device.id, NULL, NULL, &code);
  CL_CHECK(code);
  device.queue = clCreateCommandQueue(device.context, device.id, 0, &code);
  CL_CHECK(code);
  return device;
}

static inline void example_close(example_device* device) {
  CL_CHECK(clReleaseCommandQueue(device->queue));
  CL_CHECK(clReleaseContext(device->context));
}

/* Builds the only kernel of a source. */
static inline cl_kernel example_kernel(const example_device* device, const char* source, const char* name) {
  cl_int code = CL_SUCCESS;
  cl_kernel kernel = NULL;
  cl_program program = clCreateProgramWithSource(device->context, 1, &source, NULL, &code);
  CL_CHECK(code);
  CL_CHECK(clBuildProgram(program, 1, &device->id, "", NULL, NULL));
  kernel = clCreateKernel(program, name, &code);
  CL_CHECK(code);
  CL_CHECK(clReleaseProgram(program));
  return kernel;
}

#endif
