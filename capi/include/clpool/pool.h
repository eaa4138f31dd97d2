/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Memory pools: allocation that is nearly free, and wastes little.
 *
 * A pool takes chunks from an allocator, hands out blocks of them, and keeps what is released for the next
 * request. Pools are reference-counted, and every block holds its pool: a pool may be released before its
 * blocks.
 *
 * Thread safety: any functions, from any threads; two threads may use one pool at once. No lock is held
 * across a driver call or a callback, but for one on NVIDIA's driver. Since 1.0. Unless a function says
 * otherwise, it does not block and makes no OpenCL calls.
 *
 * That a function does not block leaves out other threads' bookkeeping of the same pool, which takes
 * microseconds. A hit (memory that was released before serves the request) makes no OpenCL call. What is no
 * hit also does what releases of other threads have left to be done, besides the calls that it names:
 * clReleaseMemObject, clReleaseCommandQueue, clReleaseEvent and the releases of the allocator; in a guarded
 * pool the fills and reads that look at its blocks, with clCreateCommandQueue for new chunks,
 * clEnqueueFillBuffer, clEnqueueWriteBuffer, clEnqueueReadBuffer, clEnqueueSVMMemFill, clEnqueueSVMMemcpy,
 * clFlush, clGetEventInfo. Where a device is older than OpenCL 1.2, clEnqueueMarker and
 * clEnqueueWaitForEvents stand for clEnqueueMarkerWithWaitList and clEnqueueBarrierWithWaitList.
 *
 * Some drivers are not as thread-safe as OpenCL demands (3.0, appendix A.2): on NVIDIA's (580.159 seen) and
 * Mesa's rusticl (22.3 seen) one queue is to be used by one thread at a time, also by what the pool enqueues
 * there: give threads queues of their own, and let them allocate, use and release their blocks themselves.
 * NVIDIA's crashes where two parts of one buffer are first used, or released, at once: a pool of buffers
 * there uses each new part itself, one at a time, as soon as a thread other than the one that made the pool
 * asks for memory. For that it must know a queue: its allocator's, or one of clpool_pool_options.queues, or
 * the first that is named to it. Within that turn a program's clSetMemObjectDestructorCallback() of a part
 * runs: it must not wait for another thread that uses the pool.
 */
#ifndef CLPOOL_POOL_H
#define CLPOOL_POOL_H

#include "clpool/allocator.h"
#include "clpool/device.h"
#include "clpool/mem.h"
#include "clpool/message.h"
#include "clpool/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A memory pool. */
typedef struct clpool_pool clpool_pool;

/** How a pool finds memory. */
enum {
  /** CLPOOL_STRATEGY_COALESCING. */
  CLPOOL_STRATEGY_DEFAULT = 0,
  /** Blocks are split from large chunks and merged again; wastes least, and fastest. */
  CLPOOL_STRATEGY_COALESCING = 1,
  /** Whole chunks in bins by their leading bits: exactly what PyOpenCL's and PyCUDA's pools do. */
  CLPOOL_STRATEGY_BINNED = 2
};

/** Whether a pool looks for mistakes of the program that uses it: clpool_pool_options.guard.
 *
 * A guarded pool tells these, each as a message of severity error to the pool's receiver or the process's, or
 * as a line on standard error where there is neither. A message begins with "guard: ", a line with "clpool
 * guard: "; each has the block's size and tag (clpool_mem_set_tag()); at most 100 lines are printed:
 * - any use of a handle after its release, a second release too, which also fails as it does without a guard
 *   (clpool_mem_try_release() and clpool_mem_equal() only answer, and while a part, a map or a view keeps the
 *   memory only releases are told): a handle is not given to anybody else
 *   before 8192 other blocks were released and their rest has ended. As the pool itself may have ended, this
 *   goes to the process's receiver, not to the pool's, and does not name the pool;
 * - bytes beyond the end of a block that were written: found at the release, of the first 64 KiB there;
 * - bytes of a block that were written after its release, as long as it rests: of blocks beyond 1 MiB the
 *   first and last 512 KiB are looked at. A write after the rest is found as one beyond the end of the next
 *   block, or not at all; so is one before it. The rest begins at the release for commands, where the pool
 *   has one queue, in order; for commands in other pools, and for the host where it can address the memory,
 *   only when what was enqueued before the release is complete and the pool was called two or three times
 *   since.
 * What was still handed out when its pool was released is told as it is without a guard.
 * Memory that nobody has written yet, or that was released, holds 0xDD.
 *
 * Released blocks rest, at most 256 of them and 32 MiB or a 16th of the pool, counted as pending; then their
 * memory is reused. Nothing rests where a request would fail otherwise, and where memory is given back
 * (clpool_pool_free_held(), clpool_pool_trim()), which wait up to a second for what is looked at; limits of
 * what is held and ages do not count what rests. Every block
 * has at least 64 bytes, and the device's alignment, more than it was asked for, unless memory is out; these
 * count against `max_bytes`, too.
 *
 * Memory is looked at only where a pool knows its queue (clpool_pool_options.queues, or the allocator's):
 * fills and reads are enqueued there, behind what uses the block, and come back later; new chunks are filled
 * on queues of their own, for which a request waits up to a second for each, beside
 * clpool_pool_options.wait_ns. A queue that is not
 * told of, and whose commands still use a block, is not waited for. Custom memory and that of pools without
 * queues is not touched: of these only handles are looked after. A program that itself migrates the buffer of
 * a block with CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED may lose the bytes beyond the block as well, which is
 * told as a write. Nothing is cached for threads: a release calls the driver and takes up to milliseconds,
 * and a new chunk is filled before it is used. Without a guard nothing of this costs anything. */
enum {
  /** As the variable CLPOOL_GUARD says, which is read once, and not in set-uid programs: off if it is not
   * set, empty or 0; on otherwise. With "abort" the first finding of any pool ends the process. */
  CLPOOL_GUARD_DEFAULT = 0,
  /** On. */
  CLPOOL_GUARD_ON = 1,
  /** Off, whatever the environment says. */
  CLPOOL_GUARD_OFF = 2
};

/** clpool_pool_options.leading_bits_in_bin_id for bins by the highest bit alone (0 there means the default,
 * 4). */
#define CLPOOL_LEADING_BITS_NONE UINT32_MAX

/** Functions of the user that a pool calls, without any lock held, from the thread that needed them. They
 * must not throw. */
typedef struct clpool_pool_callbacks {
  /** sizeof(clpool_pool_callbacks) of the caller. */
  uint32_t struct_size;
  /** Version of this struct: 1. */
  uint32_t version;
  /**
   * Asked when the driver is out of memory or the pool's own limit is reached, before the pool gives up what
   * it holds: run a garbage collector, drop caches. It may release, trim and allocate. NULL: none.
   */
  void (*collect)(void* user);
  /**
   * Asked last, when nothing has helped. It may release, trim and allocate.
   * @param size the bytes that were asked for
   * @param attempt 1 for the first call for a request, then 2, 3, …
   * @return not 0 to try once more, 0 to let the request fail. NULL: the request fails.
   */
  int32_t (*out_of_memory)(void* user, uint64_t size, uint32_t attempt);
  /** Receives the pool's messages; NULL: they go where clpool_set_message_callback() says. */
  clpool_message_callback message;
  /** Called once when none of these functions is called any more: with the pool's last reference and its last
   * block, from the thread that carried the last release out. What is found in the pool's memory later goes
   * where clpool_set_message_callback() says. Not called where the pool could not be made. NULL: none. */
  void (*destroy)(void* user);
} clpool_pool_callbacks;

/** Initial value of a clpool_pool_callbacks. */
#define CLPOOL_POOL_CALLBACKS_INIT \
  { sizeof(clpool_pool_callbacks), 1u, NULL, NULL, NULL, NULL }

/**
 * Sets a struct to CLPOOL_POOL_CALLBACKS_INIT, for languages without macros.
 * @param callbacks receives the initial value; NULL is ignored
 */
CLPOOL_API void clpool_pool_callbacks_init(clpool_pool_callbacks* callbacks) CLPOOL_NOEXCEPT;

/** What a pool is to be like. Every field that is 0 (or NULL) means the default. */
typedef struct clpool_pool_options {
  /** sizeof(clpool_pool_options) of the caller. */
  uint32_t struct_size;
  /** One of CLPOOL_STRATEGY_…. */
  uint32_t strategy;
  /** Binned only: bits after the leading one that tell bins apart, 1…26; 0 means 4; CLPOOL_LEADING_BITS_NONE
   * none. */
  uint32_t leading_bits_in_bin_id;
  /** Not 0: send a trace message for what PyOpenCL's pool traces (bin served, new memory, out of memory,
   * return). */
  uint32_t trace_messages;
  /** Most bytes that the pool may have from its allocator at a time; 0: no limit. */
  uint64_t max_bytes;
  /** Most bytes that the pool may hold without their being in use: more than that goes back to the allocator
   * as soon as whole chunks of it are free and no command uses them, which releases (that poll the queues for
   * up to 0.5 ms), requests and clpool_pool_tick() find out; 0: no limit. */
  uint64_t max_held_bytes;
  /** Coalescing only: bytes of the smallest chunk; 0: chosen from what the program uses. */
  uint64_t min_chunk_bytes;
  /** Bytes, a power of two: every block starts at a multiple, as far as the allocator's own alignment allows;
   * 0: the least that the device allows for a part of a chunk. */
  uint64_t alignment;
  /** Bytes: clpool_pool_tick() gives back what is held beyond them, and chunks go back for their age only
   * beyond them; 0: ticks give nothing back for being too much, and by age all of it goes. */
  uint64_t release_threshold;
  /** Held chunks that were not used for this many nanoseconds go back, on slow paths and in
   * clpool_pool_tick(); 0: never by age. */
  uint64_t decay_ns;
  /** Functions to call; copied. NULL: none. */
  const clpool_pool_callbacks* callbacks;
  /** Passed to the callbacks; must stay valid until their destroy is called: until the pool's last reference
   * and its last block are released, and no such release is put off. */
  void* user;
  /** Queues on which the pool's memory is used; retained. With several, with one that is out of order, and
   * for memory to which the host writes without a command (page-locked, fine-grain SVM), the pool reuses a
   * released block only when commands enqueued before the release are complete, or when
   * clpool_mem_release_idle() says so. NULL: the allocator's queue; without one, the first in-order queue on
   * which the library uses the memory: of SVM then goes back to the driver only what was released idle, or
   * with uses that the library enqueued or that were declared. */
  const cl_command_queue* queues;
  /** Number of queues. */
  uint32_t queue_count;
  /** Must be 0. */
  uint32_t reserved;
  /** Name for messages and dumps; copied. NULL: "", and messages call the pool by a number. */
  const char* name;
  /** Nanoseconds that a request without memory waits while nothing comes free, before the out_of_memory
   * callback is asked or the request fails: for releases whose commands have not ended, and for other threads
   * that are taking or giving back memory. Blocks that are in use are not waited for, but for 10 ms in all,
   * and once more after each answer of that callback, where commands on released blocks of other threads have
   * ended since the request began. While others release what does not help it, six times as long at most;
   * before that at max_bytes, as long as the device brings that much, 0.1 s by the number of requests that
   * wait; in a guarded pool 0.1 s more. 0: 10 seconds. */
  uint64_t wait_ns;
  /** One of CLPOOL_GUARD_…. Since 1.0. */
  uint32_t guard;
  /** Must be 0. */
  uint32_t reserved_2;
} clpool_pool_options;

/** Initial value of a clpool_pool_options: all defaults. */
#define CLPOOL_POOL_OPTIONS_INIT                                                                             \
  {                                                                                                          \
    sizeof(clpool_pool_options), 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, NULL, NULL, NULL, 0u, 0u, NULL, 0u, 0u, \
        0u                                                                                                   \
  }

/**
 * Sets a struct to CLPOOL_POOL_OPTIONS_INIT, for languages without macros.
 * @param options receives the initial value; NULL is ignored
 */
CLPOOL_API void clpool_pool_options_init(clpool_pool_options* options) CLPOOL_NOEXCEPT;

/** Figures of a pool. The first four are those of PyOpenCL's pools, exactly. */
typedef struct clpool_pool_stats {
  /** sizeof(clpool_pool_stats) of the caller. */
  uint32_t struct_size;
  /** Must be 0. */
  uint32_t reserved;
  /** Blocks that were given back and are kept. Coalescing: free stretches of which some part was handed out
   * before; neighbours merge into one, but for pending blocks and those in the caches of threads, of which
   * each is one. */
  uint64_t held_blocks;
  /** Blocks that are handed out. */
  uint64_t active_blocks;
  /** Bytes that the pool has from its allocator. */
  uint64_t managed_bytes;
  /** Bytes that were requested for the blocks that are handed out. */
  uint64_t active_bytes;
  /** Bytes that the pool has and that are in no block handed out. */
  uint64_t held_bytes;
  /** The most that managed_bytes ever was. */
  uint64_t peak_managed_bytes;
  /**
   * The most that active_bytes ever was. Exact if one thread uses the pool. Where several do, what each
   * reuses from its own cache is seen when it comes by, together with what the others have then: it may be
   * off by what threads reused since they last came by, but is never less than an active_bytes that was told
   * and never more than peak_managed_bytes.
   */
  uint64_t peak_active_bytes;
  /** Successful allocations of chunks. */
  uint64_t driver_allocations;
  /** Chunks given back. */
  uint64_t driver_releases;
  /**
   * Bytes of the largest block that can be handed out without a new chunk. While more than 256 blocks are in
   * threads' caches, these count as in use. While more than 2048 free blocks differ from the largest by less
   * than 1/64 (in binned pools: are in the last bin), one of those may be told of instead.
   */
  uint64_t largest_free_bytes;
  /** Requests served. */
  uint64_t allocations;
  /** Requests served from memory that the pool had. */
  uint64_t hits;
  /** Requests that needed a new chunk. */
  uint64_t misses;
  /** Times that the allocator or a limit said out of memory. */
  uint64_t out_of_memory_events;
  /** Bytes reserved for the blocks that are handed out, at least active_bytes. */
  uint64_t reserved_bytes;
  /** Bytes in the caches of recently released blocks, part of held_bytes. */
  uint64_t cached_bytes;
  /** Bytes released but still in use by queues, part of held_bytes. */
  uint64_t pending_bytes;
  /** Chunks that the pool has. */
  uint64_t chunks;
  /** Free memory that is not in the largest free block, in parts per million of all free memory; 0 when none
   * is free. */
  uint64_t fragmentation_ppm;
  /** Sub-buffers made by clCreateSubBuffer. */
  uint64_t sub_buffers_created;
} clpool_pool_stats;

/** Initial value of a clpool_pool_stats. */
#define CLPOOL_POOL_STATS_INIT                                                                             \
  {                                                                                                        \
    sizeof(clpool_pool_stats), 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, \
        0u, 0u                                                                                             \
  }

/**
 * Sets a struct to CLPOOL_POOL_STATS_INIT, for languages without macros.
 * @param stats receives the initial value; NULL is ignored
 */
CLPOOL_API void clpool_pool_stats_init(clpool_pool_stats* stats) CLPOOL_NOEXCEPT;

/**
 * Makes a pool.
 * @param allocator where chunks come from; retained. A deferred one works, with a warning message:
 * out-of-memory may come where the pool cannot answer it.
 * @param options_or_null NULL for all defaults
 * @param out receives the pool; the caller releases it with clpool_pool_release(). NULL on failure
 * @return CLPOOL_ERROR_INVALID_VALUE for a NULL argument, a wrong struct_size or version, an unknown strategy
 * or guard, leading bits over 26, an alignment that is not a power of two, a NULL queue or one of another
 * context; CLPOOL_ERROR_OPENCL for an invalid queue; CLPOOL_ERROR_OUT_OF_HOST_MEMORY.
 * Does not block. OpenCL calls: clRetainCommandQueue, clGetCommandQueueInfo and clGetDeviceInfo for the
 * queues; those that give back what pools that have ended hold, as clpool_pool_release(); those of releases
 * that were put off.
 */
CLPOOL_API clpool_status clpool_pool_create(clpool_allocator* allocator,
                                            const clpool_pool_options* options_or_null,
                                            clpool_pool** out) CLPOOL_NOEXCEPT;

/** The memory of a pool that clpool_pool_create_default() makes. */
enum {
  /** Buffers: blocks have a clpool_mem_handle(). */
  CLPOOL_MEMORY_BUFFER = 0,
  /** Shared virtual memory, coarse grain: blocks have a clpool_mem_pointer(). */
  CLPOOL_MEMORY_SVM = 1,
  /** Page-locked host memory: blocks have a clpool_mem_pointer(). */
  CLPOOL_MEMORY_PINNED = 2,
  /** Shared virtual memory where the device has it, else buffers. */
  CLPOOL_MEMORY_SVM_OR_BUFFER = 3
};

/**
 * Makes a pool for a device that it chooses, with a context that has the device alone, an in-order queue and
 * an allocator. The pool knows the queue.
 * @param device_options_or_null which device, as for clpool_device_choose()
 * @param memory one of CLPOOL_MEMORY_…
 * @param pool_options_or_null as for clpool_pool_create(); `queues` must be NULL
 * @param pool receives the pool; the caller releases it with clpool_pool_release(). NULL on failure
 * @param device receives the device, to which no reference is added; may be NULL
 * @param context receives the context; the caller releases it with clReleaseContext()
 * @param queue receives the queue; the caller releases it with clReleaseCommandQueue()
 * @return CLPOOL_ERROR_INVALID_VALUE for a NULL result, an unknown `memory`, or queues that are given; else
 * as clpool_context_create_default(), the allocator's create function and clpool_pool_create(). On failure
 * all results are NULL.
 * May block as long as the drivers take to load. OpenCL calls: those of clpool_context_create_default(), the
 * allocator's create function and clpool_pool_create(); on failure clReleaseCommandQueue and
 * clReleaseContext.
 */
CLPOOL_API clpool_status clpool_pool_create_default(const clpool_device_options* device_options_or_null,
                                                    uint32_t memory,
                                                    const clpool_pool_options* pool_options_or_null,
                                                    clpool_pool** pool, cl_device_id* device,
                                                    cl_context* context,
                                                    cl_command_queue* queue) CLPOOL_NOEXCEPT;

/**
 * Hands out a block. A failed call leaves every counter of blocks and bytes as it was, but for held memory
 * that was given back.
 * @param pool the pool
 * @param size bytes; 0 gives a block of 1 byte, whose clpool_mem_size() is 0
 * @param out receives the block, with undefined content; the caller releases it with clpool_mem_release().
 * NULL on failure. Its capacity is the size, rounded up to the pool's alignment, or as the strategy rounds;
 * up to twice that, or 16 times the alignment more, where other threads are in the way, or were of late, as
 * long as all that the calling thread then has in use takes no more than a quarter more like that, and all
 * threads' blocks a sixteenth of what the pool has, and no more than max_bytes left when it last grew
 * @return CLPOOL_ERROR_OUT_OF_MEMORY, with figures in the message, after everything that could help was
 * tried: completed releases, the collect callback, held memory given back, the exact size, waiting for
 * releases in flight, the out_of_memory callback; CLPOOL_ERROR_INVALID_VALUE for a NULL argument, a size over
 * the device's largest allocation or near SIZE_MAX; whatever else the allocator fails with, such as
 * CLPOOL_ERROR_CALLBACK, CLPOOL_ERROR_NOT_SUPPORTED and CLPOOL_ERROR_OPENCL; CLPOOL_ERROR_OUT_OF_HOST_MEMORY.
 * Does not block on a hit. May block as long as the allocator does for new memory. Where queues and events
 * still use more than 64 MiB, or an eighth of the rest of the pool, of what was released (or more, where
 * that has made the device faster), and the calling thread was handed out its share of that, it waits until
 * what it needs comes free of its own, unless much else is free (while it is to be seen whether more in
 * flight makes the device faster, in spite of that); where they use twice as much, and it none, for a block
 * larger than its share: for 10 ms, or, where that is at least 1 MiB, or more than max_bytes leaves, or they
 * use 16 MiB more than so much, and the device has brought as much lately, for 100 ms by the number of
 * requests that wait; where what it waits for does not get on, ever less often. Where
 * chunks could go back first if the queues were through with them: for at most 10 ms, ever less often while
 * the device stays busy. Where memory is out, as clpool_pool_options.wait_ns and the callbacks say.
 * OpenCL calls: none for a hit; else those of the allocator for making memory, and of its releases where
 * memory goes back; those of pools that have ended, as clpool_pool_release(); clCreateSubBuffer;
 * clEnqueueCopyBuffer, with one clCreateBuffer for all, for new memory of an allocator without a queue; with
 * clFlush, and clCreateCommandQueue once, for the first use of a part on NVIDIA's driver, in a context of
 * several devices with clWaitForEvents and clReleaseEvent, as it waits for that copy of a byte there;
 * clEnqueueMarkerWithWaitList, clFlush and clGetEventInfo to know how far the queues are. Over
 * CLPOOL_TOUCH_WHOLE and CLPOOL_TOUCH_MIGRATE, and in a context of several devices, where the pool has an
 * out-of-order queue or others than the one on which new memory is touched, and over any allocator whose
 * queue is none of the pool's, unless it waits: that copy, clFlush, clGetCommandQueueInfo, clGetDeviceInfo,
 * clGetPlatformInfo, clEnqueueBarrierWithWaitList, on PoCL clEnqueueMarkerWithWaitList, and clReleaseEvent,
 * so that they come after what made the memory.
 */
CLPOOL_API clpool_status clpool_pool_allocate(clpool_pool* pool, size_t size,
                                              clpool_mem** out) CLPOOL_NOEXCEPT;

/**
 * Hands out a block as clpool_pool_allocate(), but only if that takes neither waiting nor a driver call.
 * @param pool the pool
 * @param size bytes, as for clpool_pool_allocate()
 * @param out receives the block, with undefined content; the caller releases it with clpool_mem_release().
 * NULL on failure
 * @return CLPOOL_ERROR_WOULD_BLOCK (without a message) when clpool_pool_allocate() has to be called;
 * CLPOOL_ERROR_INVALID_VALUE for a NULL argument or a size that it refuses; CLPOOL_ERROR_OUT_OF_HOST_MEMORY.
 * Does not block. OpenCL calls: none.
 */
CLPOOL_API clpool_status clpool_pool_try_allocate(clpool_pool* pool, size_t size,
                                                  clpool_mem** out) CLPOOL_NOEXCEPT;

/**
 * Hands out a block that commands on one queue will use, and on no other unless clpool_mem_used_on() says so.
 * Such a block, when released, waits for that queue alone; and it is handed out again at once, without any
 * waiting, to a request for the same in-order queue and of the same size when rounded. It is not cut up, nor
 * joined to others, before the queue is through with it: where a limit leaves no room, requests of other
 * sizes wait for that. For the one in-order queue of a pool it is as any block.
 * @param pool the pool
 * @param queue where the block is used; retained until the block is reused
 * @param size bytes, as for clpool_pool_allocate()
 * @param out receives the block, with undefined content; the caller releases it with clpool_mem_release().
 * NULL on failure
 * @return as clpool_pool_allocate(); CLPOOL_ERROR_INVALID_VALUE also for a NULL queue and one of another
 * context; CLPOOL_ERROR_OPENCL also for an invalid queue, or where the driver refuses a command that keeps
 * the queue behind what used the memory before: the block that was found goes back then, and the figures
 * count it as a request that was served.
 * May block like clpool_pool_allocate(). OpenCL calls: those of clpool_pool_allocate(); unless it is the one
 * in-order queue of the pool, or takes back what that queue alone used, also where it would be a hit
 * clGetCommandQueueInfo; clRetainCommandQueue, clGetDeviceInfo; where this is none of the pool's queues
 * clGetCommandQueueInfo, clGetDeviceInfo, clGetPlatformInfo, clEnqueueMarkerWithWaitList, clFlush and
 * clEnqueueBarrierWithWaitList, as for clpool_mem_used_on().
 */
CLPOOL_API clpool_status clpool_pool_allocate_on(clpool_pool* pool, cl_command_queue queue, size_t size,
                                                 clpool_mem** out) CLPOOL_NOEXCEPT;

/**
 * Figures of the pool at this moment. With several threads at work, those of one moment each.
 * @param pool the pool
 * @param stats receives the figures; initialized by its _INIT macro
 * @return CLPOOL_ERROR_INVALID_VALUE for a NULL argument or a wrong struct_size.
 * Does not block. OpenCL calls: none besides those at the top.
 */
CLPOOL_API clpool_status clpool_pool_statistics(clpool_pool* pool, clpool_pool_stats* stats) CLPOOL_NOEXCEPT;

/**
 * Gives every chunk that has no block handed out back to the allocator. Blocks that queues are known to use
 * stay; before it leaves one, it polls the queues, and not again while what it polled for is still running.
 * For giving memory back without waiting see clpool_pool_tick().
 * @param pool the pool
 * @return CLPOOL_ERROR_INVALID_VALUE for NULL.
 * May block for up to 2 ms, in which it polls the queues, in a guarded pool for up to a second, and as long
 * as the driver does in the release of a buffer that a command still uses (NVIDIA's). OpenCL calls: the
 * allocator's releases, clReleaseMemObject, clEnqueueMarkerWithWaitList, clFlush, clGetEventInfo.
 */
CLPOOL_API clpool_status clpool_pool_free_held(clpool_pool* pool) CLPOOL_NOEXCEPT;

/**
 * Stops keeping released memory, until clpool_pool_resume_holding(), and gives back what is held. The pool
 * still works: blocks come from the allocator and go back to it, as soon as a release, a request or
 * clpool_pool_tick() finds that the queues are through with them where memory must be idle before it goes.
 * @param pool the pool
 * @return CLPOOL_ERROR_INVALID_VALUE for NULL.
 * May block for up to 2 ms, in which it polls the queues, in a guarded pool for up to a second, and as long
 * as the driver does in the release of a buffer that a command still uses (NVIDIA's). OpenCL calls: the
 * allocator's releases, clReleaseMemObject, clEnqueueMarkerWithWaitList, clFlush, clGetEventInfo.
 */
CLPOOL_API clpool_status clpool_pool_stop_holding(clpool_pool* pool) CLPOOL_NOEXCEPT;

/**
 * Keeps released memory again after clpool_pool_stop_holding(); else does nothing.
 * @param pool the pool
 * @return CLPOOL_ERROR_INVALID_VALUE for NULL.
 * Does not block. OpenCL calls: none besides those at the top.
 */
CLPOOL_API clpool_status clpool_pool_resume_holding(clpool_pool* pool) CLPOOL_NOEXCEPT;

/**
 * Gives free chunks back, largest first, until at most `keep_bytes` are held or no wholly free chunk is left.
 * @param pool the pool
 * @param keep_bytes bytes that may stay held
 * @return CLPOOL_ERROR_INVALID_VALUE for NULL.
 * May block for up to 2 ms, in which it polls the queues, in a guarded pool for up to a second, and as long
 * as the driver does in the release of a buffer that a command still uses (NVIDIA's). OpenCL calls: the
 * allocator's releases, clReleaseMemObject, clEnqueueMarkerWithWaitList, clFlush, clGetEventInfo.
 */
CLPOOL_API clpool_status clpool_pool_trim(clpool_pool* pool, uint64_t keep_bytes) CLPOOL_NOEXCEPT;

/**
 * Does what a background thread would: takes in completed releases, gives back chunks that were not used for
 * decay_ns while more than release_threshold bytes are held, and idle chunks beyond max_held_bytes.
 * @param pool the pool
 * @return CLPOOL_ERROR_INVALID_VALUE for NULL.
 * Does not block, unless the driver does in a release; where very many blocks wait for events, it asks about
 * these for some milliseconds at most, and about the others the next time. OpenCL calls: the allocator's
 * releases, clReleaseMemObject, clGetEventInfo, and on each queue clEnqueueMarkerWithWaitList and clFlush if
 * anything was released since the last one; those of releases that were put off.
 */
CLPOOL_API clpool_status clpool_pool_tick(clpool_pool* pool) CLPOOL_NOEXCEPT;

/**
 * Adds one reference, to be given up by one more clpool_pool_release().
 * @param pool the pool
 * @return CLPOOL_ERROR_INVALID_VALUE for NULL
 */
CLPOOL_API clpool_status clpool_pool_retain(clpool_pool* pool) CLPOOL_NOEXCEPT;

/**
 * Gives up one reference. After the last one the pool lives on while blocks of it do (a warning message lists
 * how many, by tag); then it gives all memory back. Where commands are known to use memory that is freed at
 * once (not buffers, which drivers keep for their commands), it goes back by a later call of the library if
 * they do not end in time.
 * @param pool the pool; NULL is allowed and does nothing
 * @return CLPOOL_ERROR_INVALID_OPERATION in a child of fork().
 * May block for up to 10 ms, in which it polls the queues for such commands; for custom memory on queues at
 * most clpool_pool_options.wait_ns, in a guarded pool up to a second; and as long as the driver does in the
 * release of a buffer that was used (NVIDIA's waits for running kernels). OpenCL calls: the allocator's
 * releases, clReleaseMemObject, clEnqueueMarkerWithWaitList, clFlush, clGetEventInfo, clReleaseCommandQueue,
 * clReleaseContext; those of releases that were put off.
 */
CLPOOL_API clpool_status clpool_pool_release(clpool_pool* pool) CLPOOL_NOEXCEPT;

/**
 * Gives up one reference at some later time, for finalizers: neither waits, nor allocates, nor calls a
 * driver. The release is carried out by a later call that may do so, on any thread: one that makes or
 * releases an object of this library, other than a heap or NULL, unless a pool serves it from what it has.
 * @param pool the pool; NULL is allowed and does nothing
 * @return CLPOOL_ERROR_INVALID_OPERATION in a child of fork().
 * Thread safety: any thread, also within callbacks. OpenCL calls: none.
 */
CLPOOL_API clpool_status clpool_pool_release_later(clpool_pool* pool) CLPOOL_NOEXCEPT;

/** Whether a stretch of a pool's memory is handed out. */
enum {
  /** Handed out. */
  CLPOOL_STRETCH_ACTIVE = 1,
  /** Free. */
  CLPOOL_STRETCH_FREE = 2,
  /** Released, and kept for the next request of the same size. */
  CLPOOL_STRETCH_CACHED = 3,
  /** Released, but still in use by queues. */
  CLPOOL_STRETCH_PENDING = 4
};

/** One stretch of a pool's memory. The stretches of a chunk follow each other without gaps. */
typedef struct clpool_pool_stretch {
  /** sizeof(clpool_pool_stretch) of the library. */
  uint32_t struct_size;
  /** One of CLPOOL_STRETCH_…. */
  uint32_t state;
  /** Number of the chunk, from 0, in the order in which the chunks were taken. */
  uint64_t chunk;
  /** Bytes from the chunk's start. */
  uint64_t offset;
  /** Bytes; where a block lies in a place that is larger than it need be, of that. */
  uint64_t size;
  /** Bytes that were asked for; 0 unless active. */
  uint64_t requested;
  /** What clpool_mem_set_tag() gave the block; 0 unless active. */
  uint64_t tag;
} clpool_pool_stretch;

/**
 * Receives one stretch.
 * @param user what was given with the callback
 * @param stretch valid during the call
 * @return 0 to go on, anything else to stop: clpool_pool_visit() then returns CLPOOL_ERROR_CALLBACK, as where
 * the visitor throws a C++ exception
 */
typedef int32_t (*clpool_pool_visitor)(void* user, const clpool_pool_stretch* stretch);

/**
 * Shows all of a pool's memory, chunk by chunk, in the order of addresses. The picture is of one moment: it
 * is taken before the first call, and the visitor may use the pool.
 * @param pool the pool
 * @param visitor called for each stretch, without any lock held
 * @param user passed to it
 * @return CLPOOL_ERROR_CALLBACK if the visitor stopped it or threw; CLPOOL_ERROR_INVALID_VALUE for NULL;
 * CLPOOL_ERROR_OUT_OF_HOST_MEMORY.
 * Does not block. OpenCL calls: none besides those at the top.
 */
CLPOOL_API clpool_status clpool_pool_visit(clpool_pool* pool, clpool_pool_visitor visitor,
                                           void* user) CLPOOL_NOEXCEPT;

/**
 * What clpool_pool_visit() and clpool_pool_statistics() show, as JSON text in UTF-8:
 * {"schema": "clpool-pool-1", "name": text, "strategy": "coalescing" or "binned", "statistics": {name:
 * number, … as in clpool_pool_stats}, "chunks": [{"size": bytes, "blocks": [{"offset": bytes, "size": bytes,
 * "state": "active", "free", "cached" or "pending", "requested": bytes and "tag": number if active}, …]}, …]}
 * @param pool the pool
 * @param buffer receives the text with a terminating zero, cut if it does not fit; may be NULL if capacity is
 * 0
 * @param capacity bytes of the buffer
 * @param needed_or_null receives the bytes of the whole text with its zero; the next call may need more if
 * the pool is in use
 * @return CLPOOL_ERROR_INVALID_VALUE for a NULL pool, or a NULL buffer with a capacity;
 * CLPOOL_ERROR_OUT_OF_HOST_MEMORY.
 * Does not block. OpenCL calls: none besides those at the top.
 */
CLPOOL_API clpool_status clpool_pool_dump_json(clpool_pool* pool, char* buffer, size_t capacity,
                                               size_t* needed_or_null) CLPOOL_NOEXCEPT;

/**
 * Checks a pool's books against a recount of all blocks and links. For tests and bug reports; takes time in
 * proportion to the number of blocks.
 * @param pool the pool
 * @return CLPOOL_ERROR_INTERNAL, with what is wrong in the message; CLPOOL_ERROR_INVALID_VALUE for NULL.
 * Does not block. OpenCL calls: none besides those at the top.
 */
CLPOOL_API clpool_status clpool_pool_check(clpool_pool* pool) CLPOOL_NOEXCEPT;

/**
 * Marks a block of a pool for pictures and leak lists.
 * @param mem a block of a pool
 * @param tag any number; 0 is that of blocks without a mark. It is forgotten at the release.
 * @return CLPOOL_ERROR_INVALID_VALUE for NULL; CLPOOL_ERROR_INVALID_OPERATION for memory of no pool and
 * released memory
 */
CLPOOL_API clpool_status clpool_mem_set_tag(clpool_mem* mem, uint64_t tag) CLPOOL_NOEXCEPT;

/**
 * Says that commands use a block which may still run when it is released; it does not release it. The pool
 * hands it out again only when all events are complete (or failed). Found out by polling; waited for only if
 * memory is otherwise out. Neither flushes the events' queues, which may be gone by then: on drivers where
 * commands wait for that, the program calls clFlush(), or declares the queue (clpool_mem_used_on()).
 * @param mem a block of a pool
 * @param count number of events; 0 does nothing
 * @param events retained until then, or until the pool sees that they are complete: calls beyond the 64th
 * event of a block look for such from time to time, so that a block that is long in use keeps at most twice
 * as many as were not complete, or 64
 * @return CLPOOL_ERROR_INVALID_VALUE for a NULL argument or event; CLPOOL_ERROR_INVALID_OPERATION for memory
 * of no pool and released memory; CLPOOL_ERROR_OPENCL for an invalid event.
 * Does not block. OpenCL calls: clRetainEvent; where it looks for complete ones clGetEventInfo and
 * clReleaseEvent; clReleaseEvent on failure.
 */
CLPOOL_API clpool_status clpool_mem_release_after(clpool_mem* mem, uint32_t count,
                                                  const cl_event* events) CLPOOL_NOEXCEPT;

/**
 * Says that commands on a queue use a block: after its release it is handed out again only when what was
 * enqueued there until the release is complete; one marker serves many releases. That holds for the pool's
 * own queues too: a block that only the pool's one queue, in order, uses had better not be declared, as it is
 * then held back, with others up to 64 MiB or an eighth of the pool, where the order of the queue suffices.
 * To be called before the first command on a queue; may be called for several queues.
 *
 * Commands on the queue after the first such call since the block was handed out also come after what may
 * still use the memory from before that: where the pool has one in-order queue and this is another, after
 * what the pool's was given so far; and after what the queue was given so far that the block was allocated
 * for (clpool_pool_allocate_on()). Pools over several queues or an out-of-order one, and those of page-locked
 * memory and fine-grain SVM, hand out only what their queues are through with: there a queue waits for
 * nothing else. But in a guarded pool, over CLPOOL_TOUCH_WHOLE and CLPOOL_TOUCH_MIGRATE, and in a context of
 * several devices, where the pool was not told of the queue, and does not know yet that what made the new
 * memory is complete, it waits for what the pool's first queue was given so far. So programs with several
 * queues name them in clpool_pool_options.queues. A pool that knows of no queue orders nothing.
 *
 * It does not order the program's own commands on the block: those on different queues need events, as
 * OpenCL's section on memory consistency says.
 * @param mem a block of a pool
 * @param queue in order or not; retained until the block is reused
 * @return CLPOOL_ERROR_INVALID_VALUE for a NULL argument or a queue of another context;
 * CLPOOL_ERROR_INVALID_OPERATION for memory of no pool and released memory; CLPOOL_ERROR_OUT_OF_MEMORY;
 * CLPOOL_ERROR_OPENCL, as for an invalid queue.
 * Does not block. OpenCL calls: clRetainCommandQueue, clGetCommandQueueInfo, clGetDeviceInfo; for another
 * queue than the pool's clGetCommandQueueInfo, clGetDeviceInfo, clGetPlatformInfo,
 * clEnqueueMarkerWithWaitList, clFlush and clEnqueueBarrierWithWaitList; once in 64 calls or more,
 * of queues that blocks still wait for clEnqueueMarkerWithWaitList, clFlush, clGetEventInfo, clReleaseEvent
 * and clReleaseCommandQueue.
 */
CLPOOL_API clpool_status clpool_mem_used_on(clpool_mem* mem, cl_command_queue queue) CLPOOL_NOEXCEPT;

/**
 * Releases a block if that is all that is left to do: its last reference goes, and its pool keeps it without
 * waiting and without calling a driver. For callers that must give up a lock before they may wait.
 * @param mem the memory; NULL is allowed and does nothing
 * @return CLPOOL_ERROR_WOULD_BLOCK, without a message and with the memory as before, when
 * clpool_mem_release() or clpool_mem_release_later() has to be called, which also tell what is wrong.
 * Does not block. OpenCL calls: none. Thread safety: that of clpool_mem_release().
 */
CLPOOL_API clpool_status clpool_mem_try_release(clpool_mem* mem) CLPOOL_NOEXCEPT;

/**
 * Releases a block that no command uses any more, which the caller knows and the pool need not find out: it
 * may be reused, and its memory given back, at once. For other memory the same as clpool_mem_release(). With
 * other references left, one is given up, and nothing else is done.
 * @param mem the memory; NULL is allowed and does nothing
 * @return as clpool_mem_release().
 * Does not block on a pool's hit path. May block like clpool_mem_release() otherwise. OpenCL calls: those of
 * clpool_mem_release().
 */
CLPOOL_API clpool_status clpool_mem_release_idle(clpool_mem* mem) CLPOOL_NOEXCEPT;

/**
 * Releases memory without waiting and without calling a driver, for finalizers: a pool's block is put on a
 * list that the pool's next call works off; other memory's release, and that of blocks whose pool was
 * released for the last time before, is carried out by the next call that makes or releases such.
 * @param mem the memory; NULL is allowed and does nothing
 * @return as clpool_mem_release().
 * Does not block. OpenCL calls: none. Thread safety: any thread, also inside callbacks.
 */
CLPOOL_API clpool_status clpool_mem_release_later(clpool_mem* mem) CLPOOL_NOEXCEPT;

/**
 * Bin of a size, as PyOpenCL's pool has them (`bin_number()` of its mem_pool.hpp).
 * @param size bytes
 * @param leading_bits 0…26
 * @param bin receives the bin's number
 * @return CLPOOL_ERROR_INVALID_VALUE for more bits or a NULL result
 */
CLPOOL_API clpool_status clpool_bin_number(uint64_t size, uint32_t leading_bits,
                                           uint64_t* bin) CLPOOL_NOEXCEPT;

/**
 * Bytes that blocks of a bin have: the largest size in it.
 * @param bin number of the bin
 * @param leading_bits 0…26
 * @param size receives the bytes
 * @return CLPOOL_ERROR_INVALID_VALUE for more bits, a bin beyond 64-bit sizes or a NULL result
 */
CLPOOL_API clpool_status clpool_bin_alloc_size(uint64_t bin, uint32_t leading_bits,
                                               uint64_t* size) CLPOOL_NOEXCEPT;

/**
 * Index of the highest bit that is set: the floor of the base-2 logarithm.
 * @param value any number
 * @return the index, from 0; 0 for 0
 */
CLPOOL_API uint32_t clpool_bitlog2(uint64_t value) CLPOOL_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif
