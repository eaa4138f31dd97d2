/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* image.h: a picture that is made, cleared, drawn into and read back, in a format that the device has. */
#include "opened.h"

int main(void) {
  const float gray[4] = {0.5f, 0.5f, 0.5f, 1.0f};
  const cl_uchar red[4] = {255, 0, 0, 255};
  const size_t all[3] = {640, 480, 1};
  const size_t dot[3] = {320, 240, 0};
  const size_t one[3] = {1, 1, 1};
  cl_uchar row[640][4];
  const size_t row_origin[3] = {0, 240, 0};
  const size_t row_region[3] = {640, 1, 1};
  size_t pixel = 0;
  size_t formats = 0;
  clpool_image_options options = CLPOOL_IMAGE_OPTIONS_INIT;
  clpool_mem* image = NULL;
  clpool_status status;
  example_device device = open_default();

  CLPOOL_CHECK(
      clpool_image_formats(device.context, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, NULL, 0, &formats));
  options.dimensions = 2;
  options.shape[0] = 640; /* x first */
  options.shape[1] = 480;
  options.format.image_channel_order = CL_RGBA;
  options.format.image_channel_data_type = CL_UNORM_INT8;
  status = clpool_image_create(device.context, &options, &image);
  if (status == CLPOOL_ERROR_NOT_SUPPORTED) {
    skip(clpool_last_error_message());
  }
  CLPOOL_CHECK(status);
  CLPOOL_CHECK(clpool_image_item_size(&options.format, &pixel));
  EXPECT(pixel == sizeof red && formats > 0);

  CLPOOL_CHECK(clpool_image_fill(device.queue, image, gray, sizeof gray, NULL, all, 0, NULL, NULL));
  CLPOOL_CHECK(clpool_image_write(device.queue, image, dot, one, 0, 0, red, sizeof red, 1, 0, NULL, NULL));
  CLPOOL_CHECK(clpool_image_read(device.queue, image, row_origin, row_region, 0, 0, row, sizeof row, 1, 0,
                                 NULL, NULL));
  EXPECT(row[319][0] >= 127 && row[319][0] <= 128 && row[319][2] == row[319][0]);
  EXPECT(row[320][0] == 255 && row[320][1] == 0);
  printf("1 of %zu formats; pixels 319 and 320 of row 240: %u,%u,%u and %u,%u,%u\n", formats, row[319][0],
         row[319][1], row[319][2], row[320][0], row[320][1], row[320][2]);
  CLPOOL_CHECK(clpool_mem_release(image));
  example_close(&device);
  return 0;
}
