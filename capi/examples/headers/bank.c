/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* bank.h: whether a tile in local memory has bank conflicts, and the least padding that is free of them. */
#include <string.h>
#include "../example.h"

int main(void) {
  const size_t tile[2] = {32, 32};
  size_t stored[2] = {32, 32};
  uint64_t unpadded = 0;
  uint64_t conflicts = 0;
  char why[300];

  CLPOOL_CHECK(
      clpool_bank_conflicts(NULL, sizeof(float), tile, 2, NULL, 0, &unpadded, why, sizeof why, NULL));
  EXPECT(unpadded == 32); /* a column lies in one bank */

  for (conflicts = unpadded; conflicts > 1; ++stored[1]) {
    const size_t padded[2] = {stored[0], stored[1] + 1};
    CLPOOL_CHECK(clpool_bank_conflicts(NULL, sizeof(float), tile, 2, padded, 2, &conflicts, NULL, 0, NULL));
  }
  EXPECT(stored[1] == 33);
  printf("float tile[32][32]: %llu-fold (%.*s); none with float tile[%zu][%zu]\n",
         (unsigned long long)unpadded, (int)strcspn(why, ":"), why, stored[0], stored[1]);
  return 0;
}
