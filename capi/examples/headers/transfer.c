/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* transfer.h: a matrix on the device: cleared, a part of it written, a column copied, and read back. */
#include "opened.h"

enum { ROWS = 4, COLUMNS = 8 };

int main(void) {
  const float zero = 0.0f;
  const float tile[2][2] = {{1.0f, 2.0f}, {3.0f, 4.0f}};
  float matrix[ROWS][COLUMNS];
  const size_t pitch = sizeof matrix[0];
  clpool_box write = CLPOOL_BOX_INIT;
  clpool_box column = CLPOOL_BOX_INIT;
  clpool_mem* mem = NULL;
  example_device device = open_default();

  CLPOOL_CHECK(clpool_buffer_create(device.context, 0, sizeof matrix, NULL, 0, &mem));
  CLPOOL_CHECK(clpool_mem_fill(device.queue, mem, &zero, sizeof zero, 0, CLPOOL_WHOLE_SIZE, 0, NULL, NULL));

  write.dimensions = 2; /* the tile to row 1, column 3; index 0 counts bytes, 1 rows */
  write.region[0] = sizeof tile[0];
  write.region[1] = 2;
  write.target_origin[0] = 3 * sizeof(float);
  write.target_origin[1] = 1;
  write.target_row_pitch = pitch;
  CLPOOL_CHECK(clpool_mem_write_box(device.queue, mem, &write, tile, sizeof tile, 1, 0, NULL, NULL));

  column.dimensions = 2; /* column 3 to column 0 of the same matrix */
  column.region[0] = sizeof(float);
  column.region[1] = ROWS;
  column.source_origin[0] = 3 * sizeof(float);
  column.source_row_pitch = pitch;
  column.target_row_pitch = pitch;
  CLPOOL_CHECK(clpool_mem_copy_box(device.queue, mem, mem, &column, 0, NULL, NULL));

  CLPOOL_CHECK(clpool_mem_read(device.queue, mem, 0, sizeof matrix, matrix, sizeof matrix, 1, 0, NULL, NULL));
  EXPECT(matrix[1][3] < 1.1f && matrix[2][4] > 3.9f && matrix[2][0] > 2.9f && matrix[3][0] < 0.1f);
  printf("row 2: %g %g %g %g %g\n", (double)matrix[2][0], (double)matrix[2][1], (double)matrix[2][2],
         (double)matrix[2][3], (double)matrix[2][4]);
  CLPOOL_CHECK(clpool_mem_release(mem));
  example_close(&device);
  return 0;
}
