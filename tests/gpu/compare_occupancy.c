/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Reads CUDA's occupancy answers (occupancy_kernels.cu) and puts the same questions to libclpool. */
#include <clpool/occupancy.h>
#include <stdio.h>

struct row {
  int major, minor, threads, registers, fixed, dynamic, blocks;
};

static clpool_status ask(const struct row* row, clpool_occupancy* answer) {
  clpool_device_data* data = NULL;
  clpool_occupancy_request request = CLPOOL_OCCUPANCY_REQUEST_INIT;
  clpool_status status =
      clpool_device_data_create_from_compute_capability(row->major, row->minor, CLPOOL_MODEL_CURRENT, &data);
  request.threads = row->threads;
  request.registers_per_thread = row->registers;
  request.local_bytes = (int64_t)row->fixed + row->dynamic;
  if (status == CLPOOL_SUCCESS) {
    status = clpool_occupancy_compute(data, &request, answer);
  }
  clpool_device_data_release(data);
  return status;
}

int main(void) {
  char line[256];
  unsigned long rows = 0, equal = 0;
  int least = 1 << 30, most = 0;
  while (fgets(line, sizeof line, stdin) != NULL) {
    struct row row;
    clpool_occupancy answer = CLPOOL_OCCUPANCY_INIT;
    if (sscanf(line, "%d,%d,%d,%d,%d,%d,%d", &row.major, &row.minor, &row.threads, &row.registers, &row.fixed,
               &row.dynamic, &row.blocks) != 7) {
      continue; /* the titles */
    }
    if (ask(&row, &answer) != CLPOOL_SUCCESS) {
      fprintf(stderr, "%s", line);
      fprintf(stderr, "libclpool: %s\n", clpool_last_error_message());
      return 2;
    }
    ++rows;
    least = row.registers < least ? row.registers : least;
    most = row.registers > most ? row.registers : most;
    if (answer.groups_per_mp == (uint32_t)row.blocks) {
      ++equal;
    } else {
      printf("cc %d.%d, %d threads, %d registers, %d + %d bytes: CUDA %d, libclpool %u\n", row.major,
             row.minor, row.threads, row.registers, row.fixed, row.dynamic, row.blocks, answer.groups_per_mp);
    }
  }
  printf("%lu of %lu answers agree (%d to %d registers per thread)\n", equal, rows, least, most);
  return rows >= 500 && equal == rows ? 0 : 1;
}
