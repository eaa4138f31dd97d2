// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Functions of managed code that the library calls as long as an object of its lives. The assembly may be gone by then: Mono
// unloads an application domain whatever still knows its functions. So the library gets functions of this file, which
// call those of a domain as long as it is open. (Modern .NET keeps an assembly loaded: Callbacks.Hold.)
#ifndef CLPOOL_WRAPPERS_CSHARP_CALLS_HPP
#define CLPOOL_WRAPPERS_CSHARP_CALLS_HPP

#include "clpool/clpool.h"

// One loaded assembly. It lives as long as the process.
typedef struct csharp_domain csharp_domain;

// NULL if there is no memory.
csharp_domain* csharp_domain_create();

// From now on nothing of it is called. A call in flight is the runtime's to end.
void csharp_domain_close(csharp_domain* domain);

// Put such functions in the place of managed ones, and `user`, that they are for, in the place of `*user`, which goes with
// the `destroy` that must be among them. CLPOOL_ERROR_OUT_OF_HOST_MEMORY: nothing was changed.
clpool_status csharp_guard_pool(csharp_domain* domain, clpool_pool_callbacks* callbacks, void** user);
clpool_status csharp_guard_allocator(csharp_domain* domain, clpool_allocator_ops* ops, void** user);

// What the `destroy` does, where the pool or allocator could not be made.
void csharp_guarded_pool_destroy(void* user);
void csharp_guarded_allocator_destroy(void* user);

// A result for a cache: a number of managed code, and the function that is told when nobody needs it any more.
// NULL if there is no memory.
void* csharp_result_create(csharp_domain* domain, void* forget, void* number);
void* csharp_result_number(void* result);

// Is to be the `destroy` of the cache's functions.
void* csharp_result_destroyer();

// Receives the process's messages from now on, instead of another.
void csharp_listen(void* receiver);

// Does so no more, unless another of this library's users has taken its place.
void csharp_listen_no_more(void* receiver);

#endif
