/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Which accesses to local memory fall on the same bank. Pure arithmetic: no device is needed. For a device's
 * own figures see clpool_characterize_local_access_conflicts().
 *
 * Thread safety: any functions, from any threads, at the same time. Since 1.0. Unless a function says
 * otherwise, it does not block and makes no OpenCL calls.
 */
#ifndef CLPOOL_BANK_H
#define CLPOOL_BANK_H

#include "clpool/answer.h"
#include "clpool/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Local memory as the model sees it. Every field that is 0 means the default. */
typedef struct clpool_bank_memory {
  /** sizeof(clpool_bank_memory) of the caller. */
  uint32_t struct_size;
  /**
   * One of CLPOOL_MODEL_…. CLPOOL_MODEL_CURRENT counts the distinct words that a bank has to give within one
   * transaction: neighbours that share a word do not conflict, and wide items go in several transactions. A
   * work item that fills a transaction alone has no conflict.
   * CLPOOL_MODEL_PYOPENCL counts the work items on a bank, as PyOpenCL does.
   */
  uint32_t model;
  /** Bytes that one bank gives at a time; 0: 4. */
  uint32_t granularity;
  /** Work items that access at a time, at most 4096; 0: 32. */
  uint32_t work_items;
  /** Banks, at most 65,536; 0: 32. */
  uint32_t banks;
  /** Must be 0. */
  uint32_t reserved;
} clpool_bank_memory;

/** Initial value of a clpool_bank_memory: all defaults. */
#define CLPOOL_BANK_MEMORY_INIT \
  { sizeof(clpool_bank_memory), 0u, 0u, 0u, 0u, 0u }

/**
 * Sets a struct to CLPOOL_BANK_MEMORY_INIT, for languages without macros.
 * @param memory receives the initial value; NULL is ignored
 */
CLPOOL_API void clpool_bank_memory_init(clpool_bank_memory* memory) CLPOOL_NOEXCEPT;

/**
 * Finds the worst bank conflict of work items that run along the axes of an array in local memory, whichever
 * axis they begin with.
 * @param memory_or_null NULL for all defaults
 * @param item_size bytes of an item, 1 to 65,536; in the current model, where two items fit into all banks
 * together, all work items may access 262,144 words of `granularity` bytes at most
 * @param shape extents that are accessed, fastest axis last, none 0
 * @param rank number of extents in `shape`, at most 32
 * @param stored_shape_or_null extents that are laid out, such as (32, 33) for (32, 32); NULL: as `shape`
 * @param stored_rank number of extents in `stored_shape_or_null`; must be `rank`; ignored where that is NULL
 * @param multiplicity receives the number of accesses that one bank serves one after the other; 1: free of
 * conflicts
 * @param text receives why, cut to `capacity` and ended by a zero, "" where there is no conflict; may be NULL
 * if `capacity` is 0
 * @param capacity bytes that `text` has room for
 * @param needed_or_null receives the bytes of the whole text with its zero
 * @return CLPOOL_ERROR_INVALID_VALUE for shapes of different rank, an extent of 0, an item size of 0, a
 * stored extent under the accessed one (current model), an unknown model, a wrong struct_size, a NULL
 * argument, more than what is said above; CLPOOL_ERROR_OUT_OF_HOST_MEMORY
 */
CLPOOL_API clpool_status clpool_bank_conflicts(const clpool_bank_memory* memory_or_null, size_t item_size,
                                               const size_t* shape, size_t rank,
                                               const size_t* stored_shape_or_null, size_t stored_rank,
                                               uint64_t* multiplicity, char* text, size_t capacity,
                                               size_t* needed_or_null) CLPOOL_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif
