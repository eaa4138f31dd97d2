/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* clpool_heap: the pools' engine without any device. It hands out ranges of a number space that the caller
 * owns (a buffer, a file, a shader's heap) by best fit, with splitting and merging, in constant time.
 *
 * Thread safety: a heap is used by one thread at a time; different heaps may be used at the same time. Since
 * 1.0. Unless a function says otherwise, it does not block and makes no OpenCL calls.
 */
#ifndef CLPOOL_HEAP_H
#define CLPOOL_HEAP_H

#include "clpool/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A heap over some number space. */
typedef struct clpool_heap clpool_heap;

/** A range that a heap handed out. */
typedef struct clpool_heap_range clpool_heap_range;

/** Figures of a heap. */
typedef struct clpool_heap_stats {
  /** sizeof(clpool_heap_stats) of the caller. */
  uint32_t struct_size;
  /** Must be 0. */
  uint32_t reserved;
  /** Units of all spaces. */
  uint64_t managed;
  /** Units that are free. */
  uint64_t free;
  /**
   * Units of the largest free range; where more than 2048 differ from it by less than 1/64, it may be one of
   * those.
   */
  uint64_t largest_free;
  /** Ranges handed out. */
  uint64_t active_ranges;
  /** Spaces. */
  uint64_t spaces;
} clpool_heap_stats;

/** Initial value of a clpool_heap_stats. */
#define CLPOOL_HEAP_STATS_INIT \
  { sizeof(clpool_heap_stats), 0u, 0u, 0u, 0u, 0u, 0u }

/**
 * Sets a struct to CLPOOL_HEAP_STATS_INIT, for languages without macros.
 * @param stats receives the initial value; NULL is ignored
 */
CLPOOL_API void clpool_heap_stats_init(clpool_heap_stats* stats) CLPOOL_NOEXCEPT;

/**
 * Makes an empty heap.
 * @param granule units, a power of two: offsets and sizes of ranges are multiples of it; 0 means 1
 * @param out receives the heap; the caller ends it with clpool_heap_destroy(), which releases it
 * @return CLPOOL_ERROR_INVALID_VALUE for a granule that is not a power of two or a NULL result;
 * CLPOOL_ERROR_OUT_OF_HOST_MEMORY
 */
CLPOOL_API clpool_status clpool_heap_create(uint64_t granule, clpool_heap** out) CLPOOL_NOEXCEPT;

/**
 * Gives a heap a space to hand out ranges of. Ranges never cross from one space to another.
 * @param heap the heap
 * @param size units, > 0; a part at the end that is no whole granule is left unused
 * @param space receives the space's number, from 0, in the order of the calls
 * @return CLPOOL_ERROR_INVALID_VALUE for a NULL argument, a size below one granule, or spaces of 2^64 units
 * or more together; CLPOOL_ERROR_OUT_OF_HOST_MEMORY
 */
CLPOOL_API clpool_status clpool_heap_add_space(clpool_heap* heap, uint64_t size,
                                               uint64_t* space) CLPOOL_NOEXCEPT;

/**
 * Takes a wholly free space away again; its number is not used any more.
 * @param heap the heap
 * @param space number of the space
 * @return CLPOOL_ERROR_INVALID_VALUE for NULL or an unknown number; CLPOOL_ERROR_INVALID_OPERATION if ranges
 * of it are handed out
 */
CLPOOL_API clpool_status clpool_heap_remove_space(clpool_heap* heap, uint64_t space) CLPOOL_NOEXCEPT;

/**
 * Hands out a range.
 * @param heap the heap
 * @param size units; 0 counts as 1
 * @param out receives the range, which stays valid until clpool_heap_free() or the end of the heap; NULL on
 * failure
 * @return CLPOOL_ERROR_OUT_OF_MEMORY if no free range is large enough; CLPOOL_ERROR_INVALID_VALUE for a NULL
 * argument or a size that its rounding up takes beyond the largest number; CLPOOL_ERROR_OUT_OF_HOST_MEMORY
 */
CLPOOL_API clpool_status clpool_heap_allocate(clpool_heap* heap, uint64_t size,
                                              clpool_heap_range** out) CLPOOL_NOEXCEPT;

/**
 * Takes a range back and merges it with its free neighbours.
 * @param heap the heap that handed it out
 * @param range the range; NULL is allowed and does nothing
 * @return CLPOOL_ERROR_INVALID_VALUE for a NULL heap; CLPOOL_ERROR_INVALID_OPERATION for a range of another
 * heap, or one that is known to have been taken back already
 */
CLPOOL_API clpool_status clpool_heap_free(clpool_heap* heap, clpool_heap_range* range) CLPOOL_NOEXCEPT;

/**
 * The space in which a range lies.
 * @param range the range
 * @return the space's number; 0 for NULL
 */
CLPOOL_API uint64_t clpool_heap_range_space(const clpool_heap_range* range) CLPOOL_NOEXCEPT;

/**
 * Where a range begins.
 * @param range the range
 * @return units from the start of its space; 0 for NULL
 */
CLPOOL_API uint64_t clpool_heap_range_offset(const clpool_heap_range* range) CLPOOL_NOEXCEPT;

/**
 * How large a range is.
 * @param range the range
 * @return units, at least what was asked for; 0 for NULL
 */
CLPOOL_API uint64_t clpool_heap_range_size(const clpool_heap_range* range) CLPOOL_NOEXCEPT;

/**
 * Figures of a heap at this moment.
 * @param heap the heap
 * @param stats receives the figures; initialized by its _INIT macro
 * @return CLPOOL_ERROR_INVALID_VALUE for a NULL argument or a wrong struct_size
 */
CLPOOL_API clpool_status clpool_heap_statistics(const clpool_heap* heap,
                                                clpool_heap_stats* stats) CLPOOL_NOEXCEPT;

/**
 * Checks a heap's books against a recount; for tests. Linear in the number of ranges.
 * @param heap the heap
 * @return CLPOOL_ERROR_INTERNAL with what is wrong in the message; CLPOOL_ERROR_INVALID_VALUE for NULL
 */
CLPOOL_API clpool_status clpool_heap_check(const clpool_heap* heap) CLPOOL_NOEXCEPT;

/**
 * Ends a heap, once; ranges still handed out end with it.
 * @param heap the heap; NULL is allowed and does nothing
 */
CLPOOL_API void clpool_heap_destroy(clpool_heap* heap) CLPOOL_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif
