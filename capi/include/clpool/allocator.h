/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Allocators: where memory comes from. A pool is made over one; each can also be used directly.
 *
 * Allocators are reference-counted: creation gives one reference, pools and memory made by an allocator hold
 * their own.
 *
 * Thread safety: any functions, from any threads, at the same time. Since 1.0. Unless a function says
 * otherwise, it does not block and makes no OpenCL calls.
 */
#ifndef CLPOOL_ALLOCATOR_H
#define CLPOOL_ALLOCATOR_H

#include "clpool/mem.h"
#include "clpool/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A source of memory. */
typedef struct clpool_allocator clpool_allocator;

/**
 * Buffers by clCreateBuffer. The driver may put off finding the memory until a command first uses the buffer,
 * so out-of-memory may come late, where no pool can answer it: give a pool an immediate allocator instead.
 * @param context where the buffers are made; retained
 * @param flags cl_mem_flags for clCreateBuffer, 0 means CL_MEM_READ_WRITE; unknown ones go to the driver as
 * they are, with each allocation
 * @param out receives the allocator; the caller releases it with clpool_allocator_release(). NULL on failure
 * @return CLPOOL_ERROR_INVALID_VALUE for a NULL argument and for flags with CL_MEM_USE_HOST_PTR or
 * CL_MEM_COPY_HOST_PTR or with accesses that exclude each other; CLPOOL_ERROR_NOT_SUPPORTED for OpenCL 1.0;
 * CLPOOL_ERROR_OUT_OF_MEMORY; CLPOOL_ERROR_OPENCL, as for an invalid context.
 * OpenCL calls: clGetContextInfo, clGetDeviceInfo, clRetainContext; for each allocation clCreateBuffer, for
 * each release clReleaseMemObject; those of releases that were put off.
 */
CLPOOL_API clpool_status clpool_allocator_create_deferred(cl_context context, cl_mem_flags flags,
                                                          clpool_allocator** out) CLPOOL_NOEXCEPT;

/**
 * Buffers that are forced into existence when they are made: by a copy of the first byte to another buffer.
 * That changes nothing, so that no command has to come after it; but in a context of several devices, where
 * a driver may move memory, commands on other queues than this one wait for an event of this one first,
 * unless a pool knows them. Out-of-memory is reported by the allocation as far as the driver finds out when
 * the command is enqueued; see clpool_allocator_create_touching().
 * NVIDIA's driver (580.159 seen) crashes where memory is first used on a queue while another thread enqueues
 * anything there. So it is forced there by one thread at a time, and once a second thread asks the allocator
 * or a pool over it, on a queue of the library's own: one for each device of a context.
 * @param queue where the memory is forced and used; retained with its context
 * @param flags as for clpool_allocator_create_deferred()
 * @param out receives the allocator; the caller releases it with clpool_allocator_release(). NULL on failure
 * @return CLPOOL_ERROR_INVALID_VALUE for a NULL argument and for flags with CL_MEM_USE_HOST_PTR or
 * CL_MEM_COPY_HOST_PTR or with accesses that exclude each other; CLPOOL_ERROR_NOT_SUPPORTED for OpenCL 1.0;
 * CLPOOL_ERROR_OUT_OF_MEMORY; CLPOOL_ERROR_OPENCL, as for an invalid queue.
 * Does not block. OpenCL calls: clGetCommandQueueInfo, clGetContextInfo, clGetDeviceInfo, clRetainContext,
 * clRetainCommandQueue; for each allocation clCreateBuffer and clEnqueueCopyBuffer, for the first one
 * clCreateBuffer once more, of 1 byte; in a context of several devices on an out-of-order queue also what
 * clpool_allocator_create_touching() names for CLPOOL_TOUCH_WHOLE; on NVIDIA's driver clFlush, once
 * clCreateCommandQueue, and clReleaseCommandQueue with the last allocator or pool that has it; for
 * each release clReleaseMemObject; those of releases that were put off.
 */
CLPOOL_API clpool_status clpool_allocator_create_immediate(cl_command_queue queue, cl_mem_flags flags,
                                                           clpool_allocator** out) CLPOOL_NOEXCEPT;

/** The command by which an allocator forces memory to exist. */
enum {
  /** A copy of the first byte to another buffer. */
  CLPOOL_TOUCH_BYTE = 0,
  /** clEnqueueMigrateMemObjects with undefined content, as PyOpenCL does; OpenCL 1.2. Not on NVIDIA's driver,
   * which crashes in migrations (580.159 seen). */
  CLPOOL_TOUCH_MIGRATE = 1,
  /** A write of up to 4 bytes, which blocks until all before it on an in-order queue is complete. */
  CLPOOL_TOUCH_WRITE = 2,
  /** A fill of all of it, for drivers that find memory page by page as it is used; OpenCL 1.2. Where the
   * allocation does not wait for it, later commands of its queue come after it, and those of the queues that
   * a pool knows to use a block; others have to wait for an event of its queue. So it is with
   * CLPOOL_TOUCH_MIGRATE. */
  CLPOOL_TOUCH_WHOLE = 3,
  /** Added to one of these: the allocation waits for the command, so that memory which is not to be had is
   * its error and no later command's. It waits for what was enqueued on the queue before, too, unless it is
   * on one of the library's own (NVIDIA). */
  CLPOOL_TOUCH_WAIT = 0x100
};

/**
 * As clpool_allocator_create_immediate(), with a choice of how memory is forced to exist.
 * @param queue where the memory is forced and used; retained with its context
 * @param flags as for clpool_allocator_create_deferred()
 * @param touch one of CLPOOL_TOUCH_…, with or without CLPOOL_TOUCH_WAIT
 * @param out receives the allocator; the caller releases it with clpool_allocator_release(). NULL on failure
 * @return CLPOOL_ERROR_INVALID_VALUE for a NULL argument and for flags with CL_MEM_USE_HOST_PTR or
 * CL_MEM_COPY_HOST_PTR or with accesses that exclude each other; CLPOOL_ERROR_OUT_OF_MEMORY;
 * CLPOOL_ERROR_OPENCL, as for an invalid queue; CLPOOL_ERROR_INVALID_VALUE also for another `touch`;
 * CLPOOL_ERROR_NOT_SUPPORTED if the device lacks the command, or its driver crashes in it.
 * Does not block; with CLPOOL_TOUCH_WAIT or CLPOOL_TOUCH_WRITE the allocations do. OpenCL calls: those of
 * clpool_allocator_create_immediate(), but clEnqueueMigrateMemObjects, clEnqueueWriteBuffer or
 * clEnqueueFillBuffer for clEnqueueCopyBuffer, and no buffer of 1 byte, if one of them was chosen; with
 * CLPOOL_TOUCH_MIGRATE or CLPOOL_TOUCH_WHOLE on out-of-order queues, and on any of NVIDIA's driver, also
 * clGetCommandQueueInfo, clGetDeviceInfo, clGetPlatformInfo, clEnqueueBarrierWithWaitList and clReleaseEvent,
 * on PoCL clEnqueueMarkerWithWaitList too, unless it waits; where it waits clWaitForEvents and clReleaseEvent
 * for each allocation; those of releases that were put off.
 */
CLPOOL_API clpool_status clpool_allocator_create_touching(cl_command_queue queue, cl_mem_flags flags,
                                                          uint32_t touch,
                                                          clpool_allocator** out) CLPOOL_NOEXCEPT;

/**
 * Shared virtual memory by clSVMAlloc.
 * @param context where the memory is made; retained
 * @param flags cl_svm_mem_flags, 0 means CL_MEM_READ_WRITE (coarse grain)
 * @param alignment bytes, a power of two up to what the device allows (128 on most); 0 means the device's
 * default, 128. A larger one is tried at once by a small allocation.
 * @param queue_or_null an in-order queue on which the memory is used and behind which it is freed
 * (clEnqueueSVMFree); NULL: freed at once (clSVMFree)
 * @param out receives the allocator; the caller releases it with clpool_allocator_release(). NULL on failure
 * @return CLPOOL_ERROR_NOT_SUPPORTED if no device of the context (or the queue's device) has the SVM kind
 * that the flags ask for; CLPOOL_ERROR_INVALID_VALUE for a NULL argument, an out-of-order queue, a queue of
 * another context, an alignment that is not a power of two or that the device does not allow, flags with
 * CL_MEM_USE_HOST_PTR, CL_MEM_COPY_HOST_PTR or accesses that exclude each other, CL_MEM_SVM_ATOMICS without
 * CL_MEM_SVM_FINE_GRAIN_BUFFER, other flags that the driver refuses; CLPOOL_ERROR_OUT_OF_MEMORY;
 * CLPOOL_ERROR_OPENCL, as for an invalid context or queue.
 * OpenCL calls: clGetContextInfo, clGetDeviceInfo, clRetainContext; with a queue clGetCommandQueueInfo,
 * clRetainCommandQueue; clSVMAlloc and clSVMFree for an alignment over 128 and for unusual flags; for each
 * allocation clSVMAlloc, for each release clSVMFree, or with a queue clEnqueueSVMFree and clFlush, or,
 * where the driver refuses that, a marker, clFinish and clSVMFree; those of releases that were put off.
 */
CLPOOL_API clpool_status clpool_allocator_create_svm(cl_context context, cl_svm_mem_flags flags,
                                                     cl_uint alignment, cl_command_queue queue_or_null,
                                                     clpool_allocator** out) CLPOOL_NOEXCEPT;

/**
 * Page-locked host memory: buffers with CL_MEM_ALLOC_HOST_PTR that stay mapped for reading and writing as
 * long as they live, which is OpenCL's portable way to memory that transfers at full speed. A new one waits
 * for what was enqueued on the queue before, for ever if that never ends: long commands belong on others.
 * @param queue used to map and unmap; retained with its context
 * @param flags further cl_mem_flags, 0 means CL_MEM_READ_WRITE; CL_MEM_ALLOC_HOST_PTR is added
 * @param out receives the allocator; the caller releases it with clpool_allocator_release(). NULL on failure
 * @return CLPOOL_ERROR_INVALID_VALUE for a NULL argument and for flags with CL_MEM_USE_HOST_PTR or
 * CL_MEM_COPY_HOST_PTR, with accesses that exclude each other, or with CL_MEM_HOST_WRITE_ONLY,
 * CL_MEM_HOST_READ_ONLY or CL_MEM_HOST_NO_ACCESS, as it is mapped; CLPOOL_ERROR_OUT_OF_MEMORY;
 * CLPOOL_ERROR_OPENCL, as for an invalid queue.
 * Does not block; the allocations do. OpenCL calls: clGetCommandQueueInfo, clGetContextInfo, clGetDeviceInfo,
 * clRetainContext, clRetainCommandQueue; for each allocation clCreateBuffer and clEnqueueMapBuffer, where the
 * map is not aligned clEnqueueUnmapMemObject, clFlush and clReleaseMemObject and the same once more; for each
 * release clEnqueueUnmapMemObject and clFlush, or a marker and clFinish where the driver refuses;
 * clReleaseMemObject; those of releases that were put off.
 */
CLPOOL_API clpool_status clpool_allocator_create_pinned(cl_command_queue queue, cl_mem_flags flags,
                                                        clpool_allocator** out) CLPOOL_NOEXCEPT;

/** What a custom allocator does. All functions are called without any lock held, possibly from several
 * threads. */
typedef struct clpool_allocator_ops {
  /** sizeof(clpool_allocator_ops) of the caller. */
  uint32_t struct_size;
  /** Version of this struct: 1. */
  uint32_t version;
  /**
   * Makes a chunk.
   * @param user what was given at the creation
   * @param size bytes, > 0
   * @param alignment bytes, a power of two: the chunk's value must be a multiple of it if pointers are to be
   * aligned
   * @param chunk receives any value except 0; pointers of blocks are this value + the block's offset
   * @return CLPOOL_SUCCESS; CLPOOL_ERROR_OUT_OF_MEMORY or an OpenCL code -4, -5, -6 for out of memory, which
   * a pool answers by giving memory back and asking again. Any other negative number is an OpenCL code too
   * and fails the request with CLPOOL_ERROR_OPENCL, anything else with CLPOOL_ERROR_CALLBACK; so does a chunk
   * of 0, one that overlaps another which was not given back or goes beyond the largest number (it is not
   * given back), and a C++ exception
   */
  clpool_status (*allocate)(void* user, uint64_t size, uint64_t alignment, uint64_t* chunk);
  /** Takes a chunk back, with the size that it was made with. Must not throw. */
  void (*deallocate)(void* user, uint64_t chunk, uint64_t size);
  /** Called once when nothing uses the allocator any more; may be NULL. Must not throw. */
  void (*destroy)(void* user);
} clpool_allocator_ops;

/** Initial value of a clpool_allocator_ops. */
#define CLPOOL_ALLOCATOR_OPS_INIT \
  { sizeof(clpool_allocator_ops), 1u, NULL, NULL, NULL }

/**
 * Sets a struct to CLPOOL_ALLOCATOR_OPS_INIT, for languages without macros.
 * @param ops receives the initial value; NULL is ignored
 */
CLPOOL_API void clpool_allocator_ops_init(clpool_allocator_ops* ops) CLPOOL_NOEXCEPT;

/**
 * Memory from the user's own functions: any number space, such as host memory, a file, or another library's
 * buffers.
 * @param ops the functions; copied
 * @param user passed to each of them
 * @param out receives the allocator; the caller releases it with clpool_allocator_release(). NULL on failure
 * @return CLPOOL_ERROR_INVALID_VALUE for a NULL argument, a wrong struct_size or version, or where allocate
 * or deallocate is NULL; then destroy is not called.
 * OpenCL calls: those of releases that were put off.
 */
CLPOOL_API clpool_status clpool_allocator_create_custom(const clpool_allocator_ops* ops, void* user,
                                                        clpool_allocator** out) CLPOOL_NOEXCEPT;

/**
 * Another allocator with a limit: never more than `max_bytes` are taken from `inner` at a time. Bytes are
 * reserved before the call and given back if it fails, so that threads cannot exceed the limit together.
 * What exceeds the limit is CLPOOL_ERROR_OUT_OF_MEMORY of the allocation, which a pool answers by giving back
 * what it holds itself; what other pools over the same limit hold goes by their max_held_bytes, or by
 * clpool_pool_free_held(), for which a collect callback is the place.
 * @param inner the allocator; retained
 * @param max_bytes bytes, > 0
 * @param out receives the allocator; the caller releases it with clpool_allocator_release(). NULL on failure
 * @return CLPOOL_ERROR_INVALID_VALUE for NULL or a limit of 0.
 * OpenCL calls: those of releases that were put off.
 */
CLPOOL_API clpool_status clpool_allocator_create_limit(clpool_allocator* inner, uint64_t max_bytes,
                                                       clpool_allocator** out) CLPOOL_NOEXCEPT;

/**
 * Another allocator with a log: every allocation, failure and release of `inner` is written to a file that
 * clpool_trace_open() and RMM's tools read. Under a pool these are the pool's chunks, not its blocks.
 * @param inner the allocator; retained
 * @param path file to write, replaced if it exists
 * @param out receives the allocator; the caller releases it with clpool_allocator_release(). NULL on failure
 * @return CLPOOL_ERROR_INVALID_VALUE for NULL; CLPOOL_ERROR_IO if the file cannot be written;
 * CLPOOL_ERROR_NOT_SUPPORTED for a name that ends in ".gz": compress it afterwards.
 * Blocks as writing to a file does; so do allocations and releases, one in about a thousand.
 * OpenCL calls: those of releases that were put off.
 */
CLPOOL_API clpool_status clpool_allocator_create_trace(clpool_allocator* inner, const char* path,
                                                       clpool_allocator** out) CLPOOL_NOEXCEPT;

/**
 * Makes memory that goes straight back to the driver when released.
 * @param allocator the source
 * @param size bytes; 0 succeeds and gives NULL
 * @param out receives the memory; the caller releases it with clpool_mem_release(). NULL on failure
 * @return CLPOOL_ERROR_OUT_OF_MEMORY; CLPOOL_ERROR_INVALID_VALUE for a NULL argument or a size over the
 * device's largest allocation; CLPOOL_ERROR_NOT_SUPPORTED where page-locked memory cannot be mapped aligned;
 * CLPOOL_ERROR_CALLBACK where a custom allocator failed; CLPOOL_ERROR_OPENCL.
 * May block as long as the driver or the custom allocator does. OpenCL calls: those that the create function
 * names for each allocation; where memory is out, those that give back what ended pools hold, as
 * clpool_pool_release(); those of releases that were put off.
 */
CLPOOL_API clpool_status clpool_allocator_allocate(clpool_allocator* allocator, size_t size,
                                                   clpool_mem** out) CLPOOL_NOEXCEPT;

/**
 * Adds one reference, to be given up by one more clpool_allocator_release().
 * @param allocator the allocator
 * @return CLPOOL_ERROR_INVALID_VALUE for NULL; CLPOOL_ERROR_INVALID_OPERATION in a child of fork().
 */
CLPOOL_API clpool_status clpool_allocator_retain(clpool_allocator* allocator) CLPOOL_NOEXCEPT;

/**
 * Gives up one reference. The allocator lives on while pools or memory of it do.
 * @param allocator the allocator; NULL is allowed and does nothing
 * @return CLPOOL_ERROR_INVALID_OPERATION in a child of fork().
 * Does not block, but as the driver does in the release of the one byte that new buffers were copied to
 * (NVIDIA's waits for running kernels), and a decorator that writes a log at its end as writing to a file
 * does. OpenCL calls: with the last reference clReleaseContext, clReleaseCommandQueue, clReleaseMemObject;
 * those of releases that were put off.
 */
CLPOOL_API clpool_status clpool_allocator_release(clpool_allocator* allocator) CLPOOL_NOEXCEPT;

/**
 * Gives up one reference at some later time, for finalizers: neither waits, nor allocates, nor calls a
 * driver. The release is carried out by a later call that may do so, on any thread: one that makes or
 * releases an object of this library, other than a heap or NULL, unless a pool serves it from what it has.
 * @param allocator the allocator; NULL is allowed and does nothing
 * @return CLPOOL_ERROR_INVALID_OPERATION in a child of fork().
 * Thread safety: any thread, also within callbacks.
 */
CLPOOL_API clpool_status clpool_allocator_release_later(clpool_allocator* allocator) CLPOOL_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif
