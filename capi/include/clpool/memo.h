/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Results cached per OpenCL object: what is computed once for a context, device, queue or pool and an
 * argument, such as a built program.
 *
 * A cache holds the objects that it has results for, until it is cleared. Caches and values are
 * reference-counted. Each key is computed once, and no lock is held while a user's function runs. Nothing is
 * cleared at process exit.
 *
 * A child of fork() can make caches of its own. Caches and results that were made before are its parent's:
 * functions that are given one fail with CLPOOL_ERROR_INVALID_OPERATION, and neither wait nor call a driver
 * or a user's function. Only clpool_memo_value_get() works.
 *
 * Thread safety: any functions, from any threads, at the same time. Since 1.0. Unless a function says
 * otherwise, it does not block and makes no OpenCL calls but those of releases that were put off, which are
 * carried out where objects are made and released.
 */
#ifndef CLPOOL_MEMO_H
#define CLPOOL_MEMO_H

#include "clpool/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A cache. */
typedef struct clpool_memo clpool_memo;

/** A result that was handed out. */
typedef struct clpool_memo_value clpool_memo_value;

/** What kind of object a result belongs to. It says how the object is held, and is no part of the key: one
 * object is to be of one kind. */
enum {
  /** None: the object is any pointer, NULL too, and is not held. */
  CLPOOL_MEMO_ANY = 0,
  /** A cl_context. */
  CLPOOL_MEMO_CONTEXT = 1,
  /** A cl_device_id. */
  CLPOOL_MEMO_DEVICE = 2,
  /** A cl_command_queue. */
  CLPOOL_MEMO_QUEUE = 3,
  /** A clpool_pool. */
  CLPOOL_MEMO_POOL = 4
};

/** How results are made and unmade. */
typedef struct clpool_memo_ops {
  /** sizeof(clpool_memo_ops) of the caller. */
  uint32_t struct_size;
  /** Version of this struct: 1. */
  uint32_t version;
  /**
   * Computes a result. It may use the cache, but not for its own key; nor may two threads compute keys that
   * ask for each other: each then waits for the other for ever.
   * @param user what clpool_memo_get() was given
   * @param value receives the result, NULL too
   * @return CLPOOL_SUCCESS; anything else fails the call, and nothing is kept, as for
   * clpool_allocator_ops.allocate: CLPOOL_ERROR_OUT_OF_MEMORY and -4, -5 and -6 with
   * CLPOOL_ERROR_OUT_OF_MEMORY, other negative numbers, which are OpenCL's codes, with CLPOOL_ERROR_OPENCL,
   * anything else with CLPOOL_ERROR_CALLBACK. The message of the library's call whose status is passed on
   * becomes a part of this one's, and its OpenCL code is kept. A C++ exception, too, fails the call with
   * CLPOOL_ERROR_CALLBACK, and its text is in the message
   */
  clpool_status (*compute)(void* user, void** value);
  /**
   * Unmakes a result that neither a cache nor anyone else has any more, from whichever thread was last; may
   * be NULL. Must not throw.
   * @param user what the clpool_memo_get() was given that computed the result: it must stay valid until this
   * call, if this function uses it
   * @param value the result
   */
  void (*destroy)(void* user, void* value);
} clpool_memo_ops;

/** Initial value of a clpool_memo_ops. */
#define CLPOOL_MEMO_OPS_INIT \
  { sizeof(clpool_memo_ops), 1u, NULL, NULL }

/**
 * Sets a struct to CLPOOL_MEMO_OPS_INIT, for languages without macros.
 * @param ops receives the initial value; NULL is ignored
 */
CLPOOL_API void clpool_memo_ops_init(clpool_memo_ops* ops) CLPOOL_NOEXCEPT;

/**
 * Makes an empty cache.
 * @param out receives the cache; the caller releases it with clpool_memo_release(). NULL on failure
 * @return CLPOOL_ERROR_INVALID_VALUE for NULL; CLPOOL_ERROR_OUT_OF_HOST_MEMORY.
 * Does not block. OpenCL calls: none.
 */
CLPOOL_API clpool_status clpool_memo_create(clpool_memo** out) CLPOOL_NOEXCEPT;

/**
 * The result for an object and a key: the one that is kept, or a new one.
 * @param memo the cache
 * @param kind one of CLPOOL_MEMO_…: what `object` is
 * @param object the object; held until the result is cleared
 * @param key any bytes, copied; may be NULL if `key_size` is 0
 * @param key_size bytes
 * @param ops how to compute it; copied
 * @param user passed to ops->compute and, with the result that it gives, to ops->destroy
 * @param out receives the result; the caller releases it with clpool_memo_value_release(). NULL on failure
 * @return CLPOOL_ERROR_CALLBACK, CLPOOL_ERROR_OPENCL and CLPOOL_ERROR_OUT_OF_MEMORY if the computation fails;
 * CLPOOL_ERROR_INVALID_OPERATION if it asks for its own key, and in a child of fork();
 * CLPOOL_ERROR_OPENCL and CLPOOL_ERROR_OUT_OF_MEMORY if the object cannot be held; CLPOOL_ERROR_INVALID_VALUE
 * for a NULL argument, an unknown kind, a wrong struct_size or version.
 * Blocks while another thread computes the same key, for ever if that thread in turn waits for a key that
 * this one computes; and as long as ops->compute does. OpenCL calls: for a new result clRetainContext,
 * clRetainDevice or clRetainCommandQueue; if its computation fails clReleaseContext, clReleaseDevice or
 * clReleaseCommandQueue.
 */
CLPOOL_API clpool_status clpool_memo_get(clpool_memo* memo, uint32_t kind, void* object, const void* key,
                                         size_t key_size, const clpool_memo_ops* ops, void* user,
                                         clpool_memo_value** out) CLPOOL_NOEXCEPT;

/**
 * The result for an object and a key if it is kept.
 * @param memo the cache
 * @param object the object
 * @param key any bytes; may be NULL if `key_size` is 0
 * @param key_size bytes
 * @param out receives the result; the caller releases it with clpool_memo_value_release(). NULL on failure
 * @return CLPOOL_ERROR_NOT_FOUND, without a message, if it is not kept or still being computed;
 * CLPOOL_ERROR_INVALID_VALUE for a NULL argument; CLPOOL_ERROR_INVALID_OPERATION in a child of fork().
 * Does not block. OpenCL calls: none.
 */
CLPOOL_API clpool_status clpool_memo_find(clpool_memo* memo, void* object, const void* key, size_t key_size,
                                          clpool_memo_value** out) CLPOOL_NOEXCEPT;

/**
 * Forgets all results and gives up their objects. Values that were handed out stay valid; what is being
 * computed is kept when it is done.
 * @param memo the cache
 * @return CLPOOL_ERROR_INVALID_VALUE for NULL; CLPOOL_ERROR_INVALID_OPERATION in a child of fork().
 * May block as long as the `destroy` functions of the results do, which are called here. OpenCL calls:
 * clReleaseContext, clReleaseDevice and clReleaseCommandQueue of the objects, and those of
 * clpool_pool_release().
 */
CLPOOL_API clpool_status clpool_memo_clear(clpool_memo* memo) CLPOOL_NOEXCEPT;

/**
 * Forgets the results of one object, as clpool_memo_clear() does all.
 * @param memo the cache
 * @param object the object, which may be gone already if its kind was CLPOOL_MEMO_ANY
 * @return CLPOOL_ERROR_INVALID_VALUE for a NULL cache; CLPOOL_ERROR_INVALID_OPERATION in a child of fork().
 * May block as long as the `destroy` functions of the results do, which are called here. OpenCL calls:
 * clReleaseContext, clReleaseDevice and clReleaseCommandQueue of the objects, and those of
 * clpool_pool_release().
 */
CLPOOL_API clpool_status clpool_memo_clear_object(clpool_memo* memo, void* object) CLPOOL_NOEXCEPT;

/**
 * clpool_memo_clear() for every cache of the process, as before each test or before the drivers go. In a
 * child of fork() these are the caches that it made itself.
 * @return always CLPOOL_SUCCESS.
 * May block as long as the `destroy` functions of the results do, which are called here. OpenCL calls:
 * clReleaseContext, clReleaseDevice and clReleaseCommandQueue of the objects, and those of
 * clpool_pool_release().
 */
CLPOOL_API clpool_status clpool_memo_clear_all(void) CLPOOL_NOEXCEPT;

/**
 * Number of results that are kept.
 * @param memo the cache
 * @param size receives the number of results
 * @return CLPOOL_ERROR_INVALID_VALUE for a NULL argument; CLPOOL_ERROR_INVALID_OPERATION in a child of fork()
 */
CLPOOL_API clpool_status clpool_memo_size(clpool_memo* memo, size_t* size) CLPOOL_NOEXCEPT;

/**
 * Adds one reference, to be given up by one more clpool_memo_release().
 * @param memo the cache
 * @return CLPOOL_ERROR_INVALID_VALUE for NULL; CLPOOL_ERROR_INVALID_OPERATION in a child of fork()
 */
CLPOOL_API clpool_status clpool_memo_retain(clpool_memo* memo) CLPOOL_NOEXCEPT;

/**
 * Gives up one reference. With the last one the cache is cleared.
 * @param memo the cache; NULL is allowed and does nothing
 * @return CLPOOL_ERROR_INVALID_OPERATION in a child of fork().
 * May block like clpool_memo_clear(), with the last reference. OpenCL calls: those of clpool_memo_clear().
 */
CLPOOL_API clpool_status clpool_memo_release(clpool_memo* memo) CLPOOL_NOEXCEPT;

/**
 * Gives up one reference at some later time, for finalizers: neither waits, nor allocates, nor calls a
 * driver. The release is carried out by a later call that may do so, on any thread: one that makes or
 * releases an object of this library, other than a heap or NULL, unless a pool serves it from what it has.
 * @param memo the cache; NULL is allowed and does nothing
 * @return CLPOOL_ERROR_INVALID_OPERATION in a child of fork().
 * Thread safety: any thread, also within callbacks.
 */
CLPOOL_API clpool_status clpool_memo_release_later(clpool_memo* memo) CLPOOL_NOEXCEPT;

/**
 * What was computed.
 * @param value the result
 * @return what ops->compute gave, valid as long as `value` lives, also in a child of fork(); NULL for NULL
 */
CLPOOL_API void* clpool_memo_value_get(const clpool_memo_value* value) CLPOOL_NOEXCEPT;

/**
 * Gives a result back. The last one to do so, the cache included, destroys it.
 * @param value the result; NULL is allowed and does nothing
 * @return CLPOOL_ERROR_INVALID_OPERATION in a child of fork().
 * May block as long as the result's `destroy` function does.
 */
CLPOOL_API clpool_status clpool_memo_value_release(clpool_memo_value* value) CLPOOL_NOEXCEPT;

/**
 * Gives up one reference at some later time, for finalizers: neither waits, nor allocates, nor calls a
 * driver. The release is carried out by a later call that may do so, on any thread: one that makes or
 * releases an object of this library, other than a heap or NULL, unless a pool serves it from what it has.
 * @param value the result; NULL is allowed and does nothing
 * @return CLPOOL_ERROR_INVALID_OPERATION in a child of fork().
 * Thread safety: any thread, also within callbacks.
 */
CLPOOL_API clpool_status clpool_memo_value_release_later(clpool_memo_value* value) CLPOOL_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif
