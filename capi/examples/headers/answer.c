/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* answer.h: an answer with where it comes from, and a program that trusts some sources more than others. */
#include "opened.h"

/* Work-group sizes are made for a width that somebody knows; a guess is no reason to prefer one. */
static int is_known(const clpool_answer* answer) {
  return answer->source == CLPOOL_SOURCE_QUERY || answer->source == CLPOOL_SOURCE_KERNEL_QUERY ||
         answer->source == CLPOOL_SOURCE_TABLE;
}

int main(void) {
  clpool_answer width = CLPOOL_ANSWER_INIT; /* sets struct_size, without which the call fails */
  clpool_answer banks = CLPOOL_ANSWER_INIT;
  example_device device = open_default();

  CLPOOL_CHECK(clpool_characterize_simd_group_size(device.id, CLPOOL_MODEL_CURRENT, &width));
  CLPOOL_CHECK(clpool_characterize_local_bank_count(device.id, CLPOOL_MODEL_CURRENT, &banks));
  EXPECT(width.value >= 1 && width.source != CLPOOL_SOURCE_NONE);
  EXPECT(banks.source != CLPOOL_SOURCE_NOT_APPLICABLE || banks.value == 0);

  printf("width %lld (%s%s%s), group of %lld; banks %lld (%s)%s%s\n", (long long)width.value,
         clpool_source_name(width.source), *width.basis ? ": " : "", width.basis,
         (long long)(is_known(&width) ? 4 * width.value : 64), (long long)banks.value,
         clpool_source_name(banks.source), *banks.note ? "; " : "", banks.note);
  example_close(&device);
  return 0;
}
