/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* characterize.h: what a program asks of a device before it builds its kernels, and how fast transfers are. */
#include "opened.h"

int main(void) {
  clpool_answer doubles = CLPOOL_ANSWER_INIT;
  clpool_answer multiple = CLPOOL_ANSWER_INIT;
  clpool_answer local = CLPOOL_ANSWER_INIT;
  clpool_performance_options quick = CLPOOL_PERFORMANCE_OPTIONS_INIT;
  clpool_performance speed = CLPOOL_PERFORMANCE_INIT;
  char options[200];
  size_t needed = 0;
  example_device device = open_default();

  CLPOOL_CHECK(clpool_characterize_fast_build_options(device.id, CLPOOL_MODEL_CURRENT, options,
                                                      sizeof options, &needed));
  EXPECT(needed <= sizeof options); /* else they were cut */
  CLPOOL_CHECK(clpool_characterize_double_support(device.id, CLPOOL_MODEL_CURRENT, &doubles));
  CLPOOL_CHECK(clpool_characterize_work_group_size_multiple(device.id, device.context, CLPOOL_MODEL_CURRENT,
                                                            &multiple));
  CLPOOL_CHECK(clpool_characterize_usable_local_memory(device.id, -1, &local));
  EXPECT(multiple.value > 0 && local.value > 0);

  quick.repetitions = 3;
  quick.warm_ups = 1;
  quick.transfer_bytes = 1 << 20;
  quick.least_ns = 1000000;
  CLPOOL_CHECK(clpool_characterize_performance(device.context, device.id, &quick, &speed));
  EXPECT(speed.write_bandwidth > 0 && speed.transfer_bytes == quick.transfer_bytes);
  printf(
      "kernels of %s by %lld (%s) with \"%s\", %lld KiB local; 1 MiB written at %.1f GB/s, a launch %.1f "
      "us\n",
      doubles.value == 1 ? "double" : "float", (long long)multiple.value, clpool_source_name(multiple.source),
      options, (long long)(local.value >> 10), (double)speed.write_bandwidth / 1e9,
      (double)speed.kernel_round_trip_ns / 1e3);
  example_close(&device);
  return 0;
}
