/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* clpool_mem: one piece of memory, whatever made it: a buffer, sub-region, image, pipe, SVM or pinned
 * allocation, pooled or not.
 *
 * Thread safety: any thread may use a clpool_mem, one at a time; different objects may be used at the same
 * time. Since 1.0. Unless a function says otherwise, it does not block and makes no OpenCL calls. Where a
 * device is older than OpenCL 1.2, clEnqueueMarker and clEnqueueWaitForEvents stand for
 * clEnqueueMarkerWithWaitList and clEnqueueBarrierWithWaitList.
 */
#ifndef CLPOOL_MEM_H
#define CLPOOL_MEM_H

#include "clpool/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A piece of memory. Made by allocators, pools and the create functions; given back by clpool_mem_release().
 */
typedef struct clpool_mem clpool_mem;

/** Holds one of the numbers below. */
typedef int32_t clpool_mem_kind_t;
/** What a piece of memory is. */
enum {
  /** A cl_mem buffer, or a part of one that a pool handed out. */
  CLPOOL_MEM_KIND_BUFFER = 1,
  /** A sub-region that was asked for; it keeps its parent alive. */
  CLPOOL_MEM_KIND_SUB_REGION = 2,
  /** A cl_mem image of any type. */
  CLPOOL_MEM_KIND_IMAGE = 3,
  /** A cl_mem pipe. */
  CLPOOL_MEM_KIND_PIPE = 4,
  /** Shared virtual memory: has a pointer, no handle. */
  CLPOOL_MEM_KIND_SVM = 5,
  /** Page-locked host memory, mapped for good: has a pointer, no handle. */
  CLPOOL_MEM_KIND_PINNED = 6,
  /** Memory of a custom allocator: the pointer is its chunk value plus the offset in the chunk. */
  CLPOOL_MEM_KIND_CUSTOM = 7
};

/**
 * Gives up one reference. The last one returns the memory to the pool that it came from, else to the driver.
 * Parts (clpool_mem_sub_region()), maps and views (clpool_svm_as_buffer(), images over a buffer) have
 * references of their own: the memory goes back with the last of these, if that is later. The handle is not
 * to be used any more all the same: a second release is an error, other uses may go unnoticed until then.
 * There may be 262143 parts, maps and views of one memory; what makes more fails with
 * CLPOOL_ERROR_INVALID_OPERATION.
 *
 * The memory of a pool may be handed out again at once: see clpool_pool_options.queues and
 * clpool_mem_release_after() for programs whose commands on it run on several queues or out of order. SVM and
 * page-locked memory of no pool is freed behind what this library enqueued on it; that a program's own
 * commands have ended is for the program to know. Drivers that fail what waits for a command that failed
 * never free it then.
 * @param mem the memory; NULL is allowed and does nothing
 * @return CLPOOL_SUCCESS; CLPOOL_ERROR_INVALID_OPERATION if it is known to have been released already.
 * Thread safety: any thread, also another than the one that allocated. Does not block on a pool's hit path.
 * May block as long as the driver does for memory of no pool, or as the commands on it do if the driver
 * refuses to free it behind them, and for up to 0.5 ms where a pool holds more than
 * clpool_pool_options.max_held_bytes. The last block of a pool that was given up ends it, as the last
 * clpool_pool_release() does. OpenCL calls: none for a pooled block that the pool keeps; else
 * clReleaseMemObject, clSVMFree, clEnqueueSVMFree with clFlush, or for page-locked memory
 * clEnqueueUnmapMemObject with clFlush; clReleaseContext, clReleaseCommandQueue; for memory that this library
 * used on queues clGetCommandQueueInfo, clGetDeviceInfo, clEnqueueMarkerWithWaitList, clFlush,
 * clReleaseEvent, and clFinish and clWaitForEvents where one of these fails; to find out whether a pool may
 * give memory back clEnqueueMarkerWithWaitList, clFlush, clGetEventInfo; those of releases that were put off.
 */
CLPOOL_API clpool_status clpool_mem_release(clpool_mem* mem) CLPOOL_NOEXCEPT;

/**
 * Adds one reference, to be given up by one more clpool_mem_release().
 * @param mem the memory
 * @return CLPOOL_SUCCESS, CLPOOL_ERROR_INVALID_VALUE for NULL, CLPOOL_ERROR_INVALID_OPERATION for released
 * memory, and for memory with 16383 references
 */
CLPOOL_API clpool_status clpool_mem_retain(clpool_mem* mem) CLPOOL_NOEXCEPT;

/**
 * The cl_mem to pass to kernels, commands and other libraries. A pool's is mostly a part of a chunk, of which
 * clCreateSubBuffer makes no parts: clpool_mem_sub_region() does. Its own CL_MEM_SIZE may exceed
 * clpool_mem_capacity(), in large pools up to four times: programs go by clpool_mem_size(). Where drivers go
 * wrong in copies between parts and images (docs/concepts/drivers.md) clpool_image_copy_to_buffer() and
 * clpool_image_copy_from_buffer() do not.
 * @param mem the memory
 * @return the handle, whose reference stays with `mem`; NULL for SVM, pinned and custom memory, for NULL, and
 * after the release
 */
CLPOOL_API cl_mem clpool_mem_handle(const clpool_mem* mem) CLPOOL_NOEXCEPT;

/**
 * The address of SVM, pinned and custom memory.
 * @param mem the memory
 * @return chunk address + offset, valid as long as `mem` lives; NULL for buffers, for NULL, and after the
 * release
 */
CLPOOL_API void* clpool_mem_pointer(const clpool_mem* mem) CLPOOL_NOEXCEPT;

/**
 * Size as requested: the bytes that every command, map, image and sub-region may use.
 * @param mem the memory
 * @return bytes; 0 for NULL and after the release
 */
CLPOOL_API size_t clpool_mem_size(const clpool_mem* mem) CLPOOL_NOEXCEPT;

/**
 * Size as reserved for it, by which statistics go. What it has beyond clpool_mem_size() is out of bounds for
 * the functions of this library.
 * @param mem the memory
 * @return bytes, at least clpool_mem_size(); 0 for NULL and after the release
 */
CLPOOL_API size_t clpool_mem_capacity(const clpool_mem* mem) CLPOOL_NOEXCEPT;

/**
 * What the memory is.
 * @param mem the memory
 * @return one of CLPOOL_MEM_KIND_…; 0 for NULL and after the release
 */
CLPOOL_API clpool_mem_kind_t clpool_mem_kind(const clpool_mem* mem) CLPOOL_NOEXCEPT;

/**
 * Whether the memory returns to a pool.
 * @param mem the memory
 * @return 1 if so, else 0
 */
CLPOOL_API int32_t clpool_mem_is_pooled(const clpool_mem* mem) CLPOOL_NOEXCEPT;

/**
 * From now on the memory is used on this queue and freed behind its commands. If it was bound to another one,
 * commands enqueued on the new queue from now on wait for those enqueued on the old one so far.
 * @param mem SVM that clpool_svm_create() or clpool_allocator_allocate() made, or any block of a pool: the
 * pool reuses it only when the queue's commands up to the release are complete
 * @param queue an in-order queue; retained
 * @return CLPOOL_ERROR_INVALID_VALUE for a NULL argument, an out-of-order queue or one of another context;
 * CLPOOL_ERROR_INVALID_OPERATION for other memory and released one; CLPOOL_ERROR_OUT_OF_MEMORY;
 * CLPOOL_ERROR_OPENCL.
 * Does not block. OpenCL calls: clGetCommandQueueInfo, clRetainCommandQueue, clReleaseCommandQueue; where it
 * was bound to another queue clGetDeviceInfo, clGetPlatformInfo, clEnqueueMarkerWithWaitList, clFlush,
 * clEnqueueBarrierWithWaitList, clReleaseEvent; clGetEventInfo for a block of a pool over other queues.
 */
CLPOOL_API clpool_status clpool_mem_bind_queue(clpool_mem* mem, cl_command_queue queue) CLPOOL_NOEXCEPT;

/**
 * Waits for the queue that the memory is bound to and forgets it: the memory is freed as its allocator does.
 * A queue that the memory or its allocator was made with is waited for, and the memory still goes behind it.
 * @param mem as for clpool_mem_bind_queue()
 * @return CLPOOL_ERROR_INVALID_VALUE for NULL; CLPOOL_ERROR_INVALID_OPERATION for other memory and released
 * one; CLPOOL_ERROR_OUT_OF_MEMORY; CLPOOL_ERROR_OPENCL.
 * Blocks until the queue is empty. OpenCL calls: clGetCommandQueueInfo, clGetDeviceInfo,
 * clEnqueueMarkerWithWaitList (clEnqueueMarker before OpenCL 1.2), clWaitForEvents, clGetEventInfo where that
 * fails, clReleaseEvent, clFinish, clReleaseCommandQueue, for a block of a pool over several queues
 * clRetainCommandQueue; none where the memory is bound to no queue.
 */
CLPOOL_API clpool_status clpool_mem_unbind_queue(clpool_mem* mem) CLPOOL_NOEXCEPT;

/**
 * clpool_mem_release() with a choice of queue, events to wait for and an event of the free. For a block of a
 * pool the event is that of its uses, after which the pool may hand it out again (at once, where nothing else
 * was declared for the block, the pool is over that queue alone, in order, and the host does not write: its
 * order suffices). If other references are left, such as those of views, parts and maps, one is given up and
 * nothing is freed yet: the event is complete when the commands enqueued on the queue so far and those waited
 * for are, and the last reference, however it is given up, frees behind them. If one of the events ends in an
 * error, so does the free of SVM of no pool, which then stays allocated; a block of a pool comes free.
 * @param mem as for clpool_mem_bind_queue()
 * @param queue_or_null the queue to free behind; NULL: the one that the memory is bound to
 * @param wait_count number of events
 * @param wait_list events to wait for; for a block of a pool as in clpool_mem_release_after()
 * @param event_or_null receives the event, which the caller releases; NULL on failure
 * @return CLPOOL_ERROR_INVALID_VALUE for NULL, where there is no queue, for a queue of another context, and
 * for a wait list that does not match its count; CLPOOL_ERROR_INVALID_OPERATION for other memory and released
 * one; CLPOOL_ERROR_OUT_OF_MEMORY and CLPOOL_ERROR_OPENCL, and then the memory is as before.
 * Does not block. OpenCL calls: clGetCommandQueueInfo; clEnqueueSVMFree, clFlush, clReleaseCommandQueue,
 * clReleaseContext; with other references, for a block of a pool and for a queue out of order
 * clGetDeviceInfo, clEnqueueMarkerWithWaitList, clRetainCommandQueue, clRetainEvent, clReleaseEvent instead
 * or before; for a block of a pool also those of clpool_mem_release() and clpool_mem_release_after().
 */
CLPOOL_API clpool_status clpool_mem_release_on(clpool_mem* mem, cl_command_queue queue_or_null,
                                               cl_uint wait_count, const cl_event* wait_list,
                                               cl_event* event_or_null) CLPOOL_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif
