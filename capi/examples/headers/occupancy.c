/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* occupancy.h: how full a kernel makes an H100's multiprocessors, what limits it, and a better group size. */
#include "../example.h"

int main(void) {
  clpool_occupancy_request request = CLPOOL_OCCUPANCY_REQUEST_INIT;
  clpool_occupancy now = CLPOOL_OCCUPANCY_INIT;
  clpool_occupancy best = CLPOOL_OCCUPANCY_INIT;
  clpool_device_data* h100 = NULL;
  uint32_t sizes[32];
  size_t count = 0;

  CLPOOL_CHECK(clpool_device_data_create_from_architecture("sm_90", CLPOOL_MODEL_CURRENT, &h100));
  request.threads = 1024;
  request.registers_per_thread = 40; /* as the compiler's report says */
  request.local_bytes = 4096;
  CLPOOL_CHECK(clpool_occupancy_compute(h100, &request, &now));
  CLPOOL_CHECK(clpool_occupancy_suggest(h100, &request, sizes, 32, &count, &best));
  EXPECT(now.groups_per_mp == 1 && (now.limiting_factors & CLPOOL_LIMITED_BY_REGISTERS) != 0);
  EXPECT(count > 0 && best.occupancy > now.occupancy);
  printf("groups of 1024: %.0f %%, limited by %s; groups of %u: %.0f %%\n", 100 * now.occupancy,
         clpool_occupancy_factor_name(CLPOOL_LIMITED_BY_REGISTERS, CLPOOL_MODEL_CURRENT), sizes[0],
         100 * best.occupancy);
  CLPOOL_CHECK(clpool_device_data_release(h100));
  return 0;
}
