/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Fills, copies, reads, writes and migration of buffers and SVM, pooled or not, and of parts of them.
 *
 * What all of them share:
 * - `queue` carries the command out; `wait_list` has `wait_count` events that it waits for (NULL and 0:
 *   none); `event_or_null` receives its event, to be released by clReleaseEvent, NULL on failure.
 * - Sizes, offsets and pitches are bytes. CLPOOL_WHOLE_SIZE takes what is left, or the smaller of both sides.
 * - 0 bytes are no command: the event is complete as soon as the events waited for are, and a blocking call
 *   does not wait for them.
 * - Every range is checked, host memory included, before anything is enqueued: CLPOOL_ERROR_INVALID_VALUE for
 *   one that ends beyond clpool_mem_size(), as for a NULL queue, memory, pattern or host memory and a wait
 *   list that does not match its count.
 * - CLPOOL_ERROR_INVALID_OPERATION for memory of a kind that the command does not take, or that was released;
 *   CLPOOL_ERROR_NOT_SUPPORTED, with the needed version, where the device is too old;
 *   CLPOOL_ERROR_OUT_OF_MEMORY and CLPOOL_ERROR_OPENCL where an OpenCL call fails.
 * - A command on a block of a pool is a use of it on `queue`, as if by clpool_mem_used_on(): it comes after
 *   what used the block's memory before it was handed out. Commands on the same memory that the program
 *   enqueues on different queues need events, as those of OpenCL.
 * - They block only where `blocking` says so. The queue is not flushed otherwise.
 * - Besides the calls that a function names: clGetCommandQueueInfo, clGetDeviceInfo and clGetPlatformInfo, to
 *   know what its driver can do; clGetMemObjectInfo for wrapped sub-buffers; where memory that is no buffer,
 *   or a block of a pool, is used on a queue for the first time, clRetainCommandQueue and those of
 *   clpool_mem_used_on(). For the event of a command of 0 bytes clRetainEvent, clEnqueueMarkerWithWaitList,
 *   or clCreateUserEvent and clSetUserEventStatus.
 *
 * Thread safety: any thread, one at a time for the same memory. Since 1.0. Unless a function says otherwise,
 * it does not block.
 */
#ifndef CLPOOL_TRANSFER_H
#define CLPOOL_TRANSFER_H

#include "clpool/buffer.h"
#include "clpool/mem.h"
#include "clpool/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Fills with a repeated pattern. Large fills are split, because drivers failed at 2 GiB and more.
 * @param queue the queue
 * @param mem a buffer, SVM, or a part of one
 * @param pattern the bytes, copied by the call
 * @param pattern_size bytes: 1, 2, 4, … 128
 * @param offset bytes, a multiple of pattern_size; so is the address there, of SVM
 * @param size bytes, a multiple of pattern_size, or CLPOOL_WHOLE_SIZE
 * @param wait_count number of events
 * @param wait_list events to wait for
 * @param event_or_null receives the event, which the caller releases; may be NULL
 * @return CLPOOL_ERROR_INVALID_VALUE, CLPOOL_ERROR_INVALID_OPERATION, CLPOOL_ERROR_NOT_SUPPORTED,
 * CLPOOL_ERROR_OUT_OF_MEMORY and CLPOOL_ERROR_OPENCL as at the top. Needs OpenCL 1.2 for buffers, 2.0 for
 * SVM.
 * OpenCL calls: clEnqueueFillBuffer, for SVM clEnqueueSVMMemFill; where an event is asked for and there are
 * several commands, clEnqueueMarkerWithWaitList and clReleaseEvent.
 */
CLPOOL_API clpool_status clpool_mem_fill(cl_command_queue queue, clpool_mem* mem, const void* pattern,
                                         size_t pattern_size, size_t offset, size_t size, cl_uint wait_count,
                                         const cl_event* wait_list, cl_event* event_or_null) CLPOOL_NOEXCEPT;

/**
 * Copies between buffers, SVM and page-locked memory, of which one at least is not page-locked: between two
 * page-locked memories, which are host memory, memcpy() copies when the commands that use them are complete.
 * @param queue the queue
 * @param target where to
 * @param target_offset bytes
 * @param source where from
 * @param source_offset bytes
 * @param size bytes; CLPOOL_WHOLE_SIZE: the smaller of what both have left
 * @param wait_count number of events
 * @param wait_list events to wait for
 * @param event_or_null receives the event, which the caller releases; may be NULL
 * @return CLPOOL_ERROR_INVALID_VALUE, CLPOOL_ERROR_INVALID_OPERATION, CLPOOL_ERROR_NOT_SUPPORTED,
 * CLPOOL_ERROR_OUT_OF_MEMORY and CLPOOL_ERROR_OPENCL as at the top; CLPOOL_ERROR_INVALID_OPERATION also if
 * both are page-locked, CLPOOL_ERROR_OPENCL also with CL_MEM_COPY_OVERLAP (-8) for overlapping ranges of the
 * same memory. Needs OpenCL 2.0 for SVM.
 * OpenCL calls: clEnqueueCopyBuffer between buffers; clEnqueueSVMMemcpy between SVM, also with page-locked
 * memory; clEnqueueReadBuffer or clEnqueueWriteBuffer between buffers and page-locked memory; between buffers
 * and SVM one of these two between clEnqueueSVMMap and clEnqueueSVMUnmap, and clReleaseEvent, or, on NVIDIA's
 * driver, clCreateBuffer, clEnqueueCopyBuffer and clReleaseMemObject.
 */
CLPOOL_API clpool_status clpool_mem_copy(cl_command_queue queue, clpool_mem* target, size_t target_offset,
                                         clpool_mem* source, size_t source_offset, size_t size,
                                         cl_uint wait_count, const cl_event* wait_list,
                                         cl_event* event_or_null) CLPOOL_NOEXCEPT;

/**
 * Reads a buffer or SVM into host memory.
 * @param queue the queue
 * @param mem where from
 * @param offset bytes
 * @param size bytes; CLPOOL_WHOLE_SIZE: the smaller of what is left and host_size
 * @param host where to
 * @param host_size bytes of the host memory; never exceeded
 * @param blocking not 0: returns when the host memory is written; 0: it must live until the event is complete
 * @param wait_count number of events
 * @param wait_list events to wait for
 * @param event_or_null receives the event, which the caller releases; may be NULL
 * @return CLPOOL_ERROR_INVALID_VALUE, CLPOOL_ERROR_INVALID_OPERATION, CLPOOL_ERROR_NOT_SUPPORTED,
 * CLPOOL_ERROR_OUT_OF_MEMORY and CLPOOL_ERROR_OPENCL as at the top. Needs OpenCL 2.0 for SVM.
 * Blocks until the host memory is written if `blocking` is not 0. OpenCL calls: clEnqueueReadBuffer, for SVM
 * clEnqueueSVMMemcpy.
 */
CLPOOL_API clpool_status clpool_mem_read(cl_command_queue queue, clpool_mem* mem, size_t offset, size_t size,
                                         void* host, size_t host_size, int32_t blocking, cl_uint wait_count,
                                         const cl_event* wait_list, cl_event* event_or_null) CLPOOL_NOEXCEPT;

/**
 * Writes host memory into a buffer or SVM.
 * @param queue the queue
 * @param mem where to
 * @param offset bytes
 * @param size bytes; CLPOOL_WHOLE_SIZE: the smaller of what is left and host_size
 * @param host where from
 * @param host_size bytes of the host memory; never exceeded
 * @param blocking not 0: returns when the host memory may be changed; 0: it must stay until the event is
 * complete
 * @param wait_count number of events
 * @param wait_list events to wait for
 * @param event_or_null receives the event, which the caller releases; may be NULL
 * @return CLPOOL_ERROR_INVALID_VALUE, CLPOOL_ERROR_INVALID_OPERATION, CLPOOL_ERROR_NOT_SUPPORTED,
 * CLPOOL_ERROR_OUT_OF_MEMORY and CLPOOL_ERROR_OPENCL as at the top. Needs OpenCL 2.0 for SVM.
 * Blocks until the host memory may be changed if `blocking` is not 0. OpenCL calls: clEnqueueWriteBuffer, for
 * SVM clEnqueueSVMMemcpy.
 */
CLPOOL_API clpool_status clpool_mem_write(cl_command_queue queue, clpool_mem* mem, size_t offset, size_t size,
                                          const void* host, size_t host_size, int32_t blocking,
                                          cl_uint wait_count, const cl_event* wait_list,
                                          cl_event* event_or_null) CLPOOL_NOEXCEPT;

/** A box of bytes and where it lies in the source and in the target. Index 0 counts bytes, 1 rows, 2 slices.
 */
typedef struct clpool_box {
  /** sizeof(clpool_box) of the caller. */
  uint32_t struct_size;
  /** 1, 2 or 3: entries of region and origins that count; the others are taken as 1 and 0. */
  uint32_t dimensions;
  /** Bytes, rows, slices. */
  size_t region[3];
  /** Where it begins in the source. */
  size_t source_origin[3];
  /** Where it begins in the target. */
  size_t target_origin[3];
  /** Bytes from row to row in the source; 0: as many as a row of the region. */
  size_t source_row_pitch;
  /** Bytes from slice to slice in the source, a multiple of the row pitch; 0: rows x row pitch. */
  size_t source_slice_pitch;
  /** The same in the target. */
  size_t target_row_pitch;
  /** The same in the target. */
  size_t target_slice_pitch;
} clpool_box;

/** Initial value of a clpool_box: nothing, in three dimensions. */
#define CLPOOL_BOX_INIT \
  { sizeof(clpool_box), 3u, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, 0, 0, 0, 0 }

/**
 * Sets a struct to CLPOOL_BOX_INIT, for languages without macros.
 * @param box receives the initial value; NULL is ignored.
 * OpenCL calls: none.
 */
CLPOOL_API void clpool_box_init(clpool_box* box) CLPOOL_NOEXCEPT;

/**
 * Copies a box from buffer to buffer.
 * @param queue the queue
 * @param target where to
 * @param source where from
 * @param box the box
 * @param wait_count number of events
 * @param wait_list events to wait for
 * @param event_or_null receives the event, which the caller releases; may be NULL
 * @return CLPOOL_ERROR_INVALID_VALUE, CLPOOL_ERROR_INVALID_OPERATION, CLPOOL_ERROR_NOT_SUPPORTED,
 * CLPOOL_ERROR_OUT_OF_MEMORY and CLPOOL_ERROR_OPENCL as at the top; CLPOOL_ERROR_INVALID_VALUE also for a box
 * or pitches that cannot be, and for different pitches within one buffer; CLPOOL_ERROR_OPENCL also with
 * CL_MEM_COPY_OVERLAP (-8) for a box that overlaps itself. Needs OpenCL 1.1.
 * OpenCL calls: clEnqueueCopyBufferRect; between parts of one buffer on PoCL clEnqueueCopyBuffer for each
 * row; where an event is asked for and there are several commands, clEnqueueMarkerWithWaitList and
 * clReleaseEvent.
 */
CLPOOL_API clpool_status clpool_mem_copy_box(cl_command_queue queue, clpool_mem* target, clpool_mem* source,
                                             const clpool_box* box, cl_uint wait_count,
                                             const cl_event* wait_list,
                                             cl_event* event_or_null) CLPOOL_NOEXCEPT;

/**
 * Reads a box of a buffer (the source) into host memory (the target).
 * @param queue the queue
 * @param mem where from
 * @param box the box
 * @param host where to
 * @param host_size bytes of the host memory, counted from `host`; never exceeded
 * @param blocking not 0: returns when the host memory is written
 * @param wait_count number of events
 * @param wait_list events to wait for
 * @param event_or_null receives the event, which the caller releases; may be NULL
 * @return CLPOOL_ERROR_INVALID_VALUE, CLPOOL_ERROR_INVALID_OPERATION, CLPOOL_ERROR_NOT_SUPPORTED,
 * CLPOOL_ERROR_OUT_OF_MEMORY and CLPOOL_ERROR_OPENCL as at the top; CLPOOL_ERROR_INVALID_VALUE also for a box
 * or pitches that cannot be. Needs OpenCL 1.1.
 * Blocks until the host memory is written if `blocking` is not 0. OpenCL calls: clEnqueueReadBufferRect.
 */
CLPOOL_API clpool_status clpool_mem_read_box(cl_command_queue queue, clpool_mem* mem, const clpool_box* box,
                                             void* host, size_t host_size, int32_t blocking,
                                             cl_uint wait_count, const cl_event* wait_list,
                                             cl_event* event_or_null) CLPOOL_NOEXCEPT;

/**
 * Writes a box of host memory (the source) into a buffer (the target).
 * @param queue the queue
 * @param mem where to
 * @param box the box
 * @param host where from
 * @param host_size bytes of the host memory, counted from `host`; never exceeded
 * @param blocking not 0: returns when the host memory may be changed
 * @param wait_count number of events
 * @param wait_list events to wait for
 * @param event_or_null receives the event, which the caller releases; may be NULL
 * @return CLPOOL_ERROR_INVALID_VALUE, CLPOOL_ERROR_INVALID_OPERATION, CLPOOL_ERROR_NOT_SUPPORTED,
 * CLPOOL_ERROR_OUT_OF_MEMORY and CLPOOL_ERROR_OPENCL as at the top; CLPOOL_ERROR_INVALID_VALUE also for a box
 * or pitches that cannot be. Needs OpenCL 1.1.
 * Blocks until the host memory may be changed if `blocking` is not 0. OpenCL calls: clEnqueueWriteBufferRect.
 */
CLPOOL_API clpool_status clpool_mem_write_box(cl_command_queue queue, clpool_mem* mem, const clpool_box* box,
                                              const void* host, size_t host_size, int32_t blocking,
                                              cl_uint wait_count, const cl_event* wait_list,
                                              cl_event* event_or_null) CLPOOL_NOEXCEPT;

/**
 * Moves memory to the queue's device, or to the host. A part of a buffer takes its whole root buffer along,
 * whose content is kept. On NVIDIA's driver nothing is moved, and only the wait list and the event have their
 * meaning: it crashes in migrations of what has parts or is used by several threads; memory goes there where
 * it is used.
 * @param queue the queue
 * @param mems buffers, images and SVM, also mixed
 * @param count number of memories; 0 is no command
 * @param flags CL_MIGRATE_MEM_OBJECT_HOST, CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED or 0
 * @param wait_count number of events
 * @param wait_list events to wait for
 * @param event_or_null receives the event, which the caller releases; may be NULL
 * @return CLPOOL_ERROR_INVALID_VALUE, CLPOOL_ERROR_INVALID_OPERATION, CLPOOL_ERROR_NOT_SUPPORTED,
 * CLPOOL_ERROR_OUT_OF_MEMORY and CLPOOL_ERROR_OPENCL as at the top; CLPOOL_ERROR_INVALID_VALUE also for SVM
 * of unknown size. Needs OpenCL 1.2, for SVM 2.1.
 * OpenCL calls: clEnqueueMigrateMemObjects, for SVM clEnqueueSVMMigrateMem; where an event is asked for and
 * there are several commands, clEnqueueMarkerWithWaitList and clReleaseEvent; on NVIDIA's driver those of a
 * command of 0 bytes.
 */
CLPOOL_API clpool_status clpool_mem_migrate(cl_command_queue queue, clpool_mem* const* mems, uint32_t count,
                                            cl_mem_migration_flags flags, cl_uint wait_count,
                                            const cl_event* wait_list,
                                            cl_event* event_or_null) CLPOOL_NOEXCEPT;

/**
 * Copies between buffers of different contexts, from device to device, where the driver has the extension
 * cl_amd_copy_buffer_p2p.
 * @param queue a queue of the context of one of both
 * @param target where to
 * @param target_offset bytes
 * @param source where from
 * @param source_offset bytes
 * @param size bytes; CLPOOL_WHOLE_SIZE: the smaller of what both have left
 * @param wait_count number of events
 * @param wait_list events to wait for
 * @param event_or_null receives the event, which the caller releases; may be NULL. Memory of the other
 * context is not used and not released before the event is complete: nothing there can wait for it
 * @return CLPOOL_ERROR_INVALID_VALUE, CLPOOL_ERROR_INVALID_OPERATION, CLPOOL_ERROR_NOT_SUPPORTED,
 * CLPOOL_ERROR_OUT_OF_MEMORY and CLPOOL_ERROR_OPENCL as at the top; CLPOOL_ERROR_NOT_SUPPORTED also without
 * the extension. Needs OpenCL 1.2.
 * OpenCL calls: clGetExtensionFunctionAddressForPlatform, clEnqueueCopyBufferP2PAMD.
 */
CLPOOL_API clpool_status clpool_mem_copy_p2p(cl_command_queue queue, clpool_mem* target, size_t target_offset,
                                             clpool_mem* source, size_t source_offset, size_t size,
                                             cl_uint wait_count, const cl_event* wait_list,
                                             cl_event* event_or_null) CLPOOL_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif
