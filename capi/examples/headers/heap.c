/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* heap.h: ranges of one large vertex array, which a renderer hands out to meshes as they come and go. */
#include "../example.h"

int main(void) {
  const uint64_t sizes[3] = {1000, 5000, 300}; /* vertices: the heap counts in whatever unit it is given */
  clpool_heap_stats stats = CLPOOL_HEAP_STATS_INIT;
  clpool_heap* heap = NULL;
  clpool_heap_range* meshes[3] = {NULL, NULL, NULL};
  clpool_heap_range* late = NULL;
  uint64_t array = 0;

  CLPOOL_CHECK(clpool_heap_create(64, &heap)); /* ranges begin at multiples of 64 vertices */
  CLPOOL_CHECK(clpool_heap_add_space(heap, 8192, &array));
  for (int i = 0; i < 3; ++i) {
    CLPOOL_CHECK(clpool_heap_allocate(heap, sizes[i], &meshes[i]));
    EXPECT(clpool_heap_range_offset(meshes[i]) % 64 == 0 && clpool_heap_range_size(meshes[i]) >= sizes[i]);
  }

  EXPECT(clpool_heap_allocate(heap, 4000, &late) == CLPOOL_ERROR_OUT_OF_MEMORY && late == NULL);
  CLPOOL_CHECK(clpool_heap_free(heap, meshes[1]));
  meshes[1] = NULL;
  CLPOOL_CHECK(clpool_heap_allocate(heap, 4000, &late)); /* into the gap */

  CLPOOL_CHECK(clpool_heap_statistics(heap, &stats));
  EXPECT(stats.active_ranges == 3 && stats.managed == 8192);
  printf("late mesh at vertex %llu of array %llu; %llu vertices free, the largest range %llu\n",
         (unsigned long long)clpool_heap_range_offset(late),
         (unsigned long long)clpool_heap_range_space(late), (unsigned long long)stats.free,
         (unsigned long long)stats.largest_free);
  clpool_heap_destroy(heap); /* and all its ranges */
  return 0;
}
