/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* allocator.h as first pinned, without its comments: see ../../README.md. Never changed. */
#ifndef CLPOOL_ALLOCATOR_H
#define CLPOOL_ALLOCATOR_H

#include "clpool/mem.h"
#include "clpool/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct clpool_allocator clpool_allocator;

CLPOOL_API clpool_status clpool_allocator_create_deferred(cl_context context, cl_mem_flags flags,
                                                          clpool_allocator** out) CLPOOL_NOEXCEPT;

CLPOOL_API clpool_status clpool_allocator_create_immediate(cl_command_queue queue, cl_mem_flags flags,
                                                           clpool_allocator** out) CLPOOL_NOEXCEPT;

CLPOOL_API clpool_status clpool_allocator_create_svm(cl_context context, cl_svm_mem_flags flags,
                                                     cl_uint alignment, cl_command_queue queue_or_null,
                                                     clpool_allocator** out) CLPOOL_NOEXCEPT;

CLPOOL_API clpool_status clpool_allocator_create_pinned(cl_command_queue queue, cl_mem_flags flags,
                                                        clpool_allocator** out) CLPOOL_NOEXCEPT;

typedef struct clpool_allocator_ops {
  uint32_t struct_size;

  uint32_t version;

  clpool_status (*allocate)(void* user, uint64_t size, uint64_t alignment, uint64_t* chunk);

  void (*deallocate)(void* user, uint64_t chunk, uint64_t size);

  void (*destroy)(void* user);
} clpool_allocator_ops;

#define CLPOOL_ALLOCATOR_OPS_INIT \
  { (uint32_t)sizeof(clpool_allocator_ops), 1u, NULL, NULL, NULL }

CLPOOL_API void clpool_allocator_ops_init(clpool_allocator_ops* ops) CLPOOL_NOEXCEPT;

CLPOOL_API clpool_status clpool_allocator_create_custom(const clpool_allocator_ops* ops, void* user,
                                                        clpool_allocator** out) CLPOOL_NOEXCEPT;

CLPOOL_API clpool_status clpool_allocator_create_limit(clpool_allocator* inner, uint64_t max_bytes,
                                                       clpool_allocator** out) CLPOOL_NOEXCEPT;

CLPOOL_API clpool_status clpool_allocator_create_trace(clpool_allocator* inner, const char* path,
                                                       clpool_allocator** out) CLPOOL_NOEXCEPT;

CLPOOL_API clpool_status clpool_allocator_allocate(clpool_allocator* allocator, size_t size,
                                                   clpool_mem** out) CLPOOL_NOEXCEPT;

CLPOOL_API clpool_status clpool_allocator_retain(clpool_allocator* allocator) CLPOOL_NOEXCEPT;

CLPOOL_API clpool_status clpool_allocator_release(clpool_allocator* allocator) CLPOOL_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif
