/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* device_data.h: what a multiprocessor holds, of the device here and of an architecture by name, and padding. */
#include "opened.h"

int main(void) {
  clpool_device_limits here = CLPOOL_DEVICE_LIMITS_INIT;
  clpool_device_limits h100 = CLPOOL_DEVICE_LIMITS_INIT;
  clpool_device_data* data = NULL;
  uint64_t row = 0;

  /* An architecture needs no device. */
  CLPOOL_CHECK(clpool_device_data_create_from_architecture("sm_90", CLPOOL_MODEL_CURRENT, &data));
  CLPOOL_CHECK(clpool_device_data_limits(data, &h100));
  CLPOOL_CHECK(clpool_device_data_release(data));
  EXPECT(h100.warp_size == 32 && h100.vendor == CLPOOL_DEVICE_VENDOR_NVIDIA);
  EXPECT(h100.source == CLPOOL_SOURCE_TABLE);

  /* Rows of 1000 floats, so that each begins where accesses are best aligned. */
  CLPOOL_CHECK(clpool_align_elements(1000, sizeof(float), &row));
  EXPECT(row >= 1000 && row < 1016);

  example_device device = open_default();
  CLPOOL_CHECK(clpool_device_data_create_from_device(device.id, CLPOOL_MODEL_CURRENT, &data));
  CLPOOL_CHECK(clpool_device_data_limits(data, &here));
  EXPECT(here.warp_size > 0 && here.max_threads_per_group > 0);
  printf("sm_90: %u x %u threads, %llu KiB local; here: %u x %u, %llu KiB (%s); rows of %llu floats\n",
         h100.max_warps_per_mp, h100.warp_size, (unsigned long long)(h100.local_per_mp >> 10),
         here.max_warps_per_mp, here.warp_size, (unsigned long long)(here.local_per_mp >> 10),
         clpool_source_name(here.source), (unsigned long long)row);
  CLPOOL_CHECK(clpool_device_data_release(data));
  example_close(&device);
  return 0;
}
