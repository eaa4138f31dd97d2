/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* sampler.h: a picture of 2 x 1 pixels stretched to 8, by coordinates from 0 to 1. */
#include "opened.h"

int main(void) {
  const char* source =
      "kernel void stretch(read_only image2d_t picture, sampler_t how, global float* line) {"
      " size_t i = get_global_id(0);"
      " line[i] = read_imagef(picture, how, (float2)((i + 0.5f) / get_global_size(0), 0.5f)).x; }";
  const float pixels[2] = {1.0f, 5.0f};
  const size_t width = 8;
  float line[8] = {0};
  clpool_image_array array = CLPOOL_IMAGE_ARRAY_INIT; /* one channel of floats */
  clpool_mem* picture = NULL;
  clpool_mem* out = NULL;
  cl_sampler sampler = NULL;
  example_device device = open_default();
  array.dimensions = 2;
  array.shape[0] = 1; /* rows, as in C */
  array.shape[1] = 2;
  array.data = pixels;
  array.size = sizeof pixels;
  clpool_status status = clpool_image_create_from_array(device.context, &array, &picture);
  if (status == CLPOOL_ERROR_NOT_SUPPORTED) {
    skip(clpool_last_error_message());
  }
  CLPOOL_CHECK(status);
  CLPOOL_CHECK(
      clpool_sampler_create(device.context, 1, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST, &sampler));
  CLPOOL_CHECK(clpool_buffer_create(device.context, 0, sizeof line, NULL, 0, &out));

  cl_kernel kernel = example_kernel(&device, source, "stretch");
  CLPOOL_CHECK(clpool_mem_set_kernel_arg(picture, kernel, 0));
  CL_CHECK(clSetKernelArg(kernel, 1, sizeof sampler, &sampler)); /* a plain cl_sampler */
  CLPOOL_CHECK(clpool_mem_set_kernel_arg(out, kernel, 2));
  CL_CHECK(clEnqueueNDRangeKernel(device.queue, kernel, 1, NULL, &width, NULL, 0, NULL, NULL));
  CLPOOL_CHECK(clpool_mem_read(device.queue, out, 0, CLPOOL_WHOLE_SIZE, line, sizeof line, 1, 0, NULL, NULL));
  EXPECT(line[0] < 1.1f && line[3] < 1.1f && line[4] > 4.9f && line[7] > 4.9f);
  printf("%g %g stretched: %g %g %g %g %g %g %g %g\n", (double)pixels[0], (double)pixels[1], (double)line[0],
         (double)line[1], (double)line[2], (double)line[3], (double)line[4], (double)line[5], (double)line[6],
         (double)line[7]);
  CL_CHECK(clReleaseSampler(sampler));
  CL_CHECK(clReleaseKernel(kernel));
  CLPOOL_CHECK(clpool_mem_release(out));
  CLPOOL_CHECK(clpool_mem_release(picture));
  example_close(&device);
  return 0;
}
