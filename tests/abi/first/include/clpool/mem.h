/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* mem.h as first pinned, without its comments: see ../../README.md. Never changed. */
#ifndef CLPOOL_MEM_H
#define CLPOOL_MEM_H

#include "clpool/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct clpool_mem clpool_mem;

typedef int32_t clpool_mem_kind_t;
enum {
  CLPOOL_MEM_KIND_BUFFER = 1,

  CLPOOL_MEM_KIND_SUB_REGION = 2,

  CLPOOL_MEM_KIND_IMAGE = 3,

  CLPOOL_MEM_KIND_PIPE = 4,

  CLPOOL_MEM_KIND_SVM = 5,

  CLPOOL_MEM_KIND_PINNED = 6,

  CLPOOL_MEM_KIND_CUSTOM = 7
};

CLPOOL_API clpool_status clpool_mem_release(clpool_mem* mem) CLPOOL_NOEXCEPT;

CLPOOL_API clpool_status clpool_mem_retain(clpool_mem* mem) CLPOOL_NOEXCEPT;

CLPOOL_API cl_mem clpool_mem_handle(const clpool_mem* mem) CLPOOL_NOEXCEPT;

CLPOOL_API void* clpool_mem_pointer(const clpool_mem* mem) CLPOOL_NOEXCEPT;

CLPOOL_API size_t clpool_mem_size(const clpool_mem* mem) CLPOOL_NOEXCEPT;

CLPOOL_API size_t clpool_mem_capacity(const clpool_mem* mem) CLPOOL_NOEXCEPT;

CLPOOL_API clpool_mem_kind_t clpool_mem_kind(const clpool_mem* mem) CLPOOL_NOEXCEPT;

CLPOOL_API int32_t clpool_mem_is_pooled(const clpool_mem* mem) CLPOOL_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif
