/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Maps: memory of devices in the host's address space. A map keeps its memory and its queue alive, is
 * unmapped once, and at the latest when it is released.
 *
 * Commands take queue, wait list and event as those of transfer.h do, and make the same calls besides those
 * they name.
 *
 * Thread safety: any thread, one at a time for the same map. Since 1.0. Unless a function says otherwise, it
 * does not block and makes no OpenCL calls.
 */
#ifndef CLPOOL_MAP_H
#define CLPOOL_MAP_H

#include "clpool/buffer.h"
#include "clpool/mem.h"
#include "clpool/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** One mapping. */
typedef struct clpool_map clpool_map;

/**
 * Maps bytes of a buffer or of SVM.
 * @param queue the queue; retained
 * @param mem a buffer, SVM, or a part of one
 * @param flags CL_MAP_READ, CL_MAP_WRITE, CL_MAP_WRITE_INVALIDATE_REGION (OpenCL 1.2)
 * @param offset bytes
 * @param size bytes, at least 1; CLPOOL_WHOLE_SIZE means all that is left
 * @param blocking not 0: returns when the host may use it; 0: the host waits for the event
 * @param wait_count number of events
 * @param wait_list events to wait for
 * @param event_or_null receives the event, which the caller releases; may be NULL
 * @param out receives the map; the caller releases it with clpool_map_release(). NULL on failure
 * @return CLPOOL_ERROR_INVALID_VALUE for a NULL argument, none of these flags, others, flags that exclude
 * each other, 0 bytes, or a range beyond the memory; CLPOOL_ERROR_INVALID_OPERATION for other memory
 * (page-locked memory is mapped for good: use its pointer) and released one; CLPOOL_ERROR_NOT_SUPPORTED for
 * SVM before OpenCL 2.0; CLPOOL_ERROR_OUT_OF_MEMORY; CLPOOL_ERROR_OPENCL.
 * Blocks until the host may use it if `blocking` is not 0. OpenCL calls: clEnqueueMapBuffer, for SVM
 * clEnqueueSVMMap; clRetainCommandQueue, clRetainEvent; those of releases that were put off.
 */
CLPOOL_API clpool_status clpool_mem_map(cl_command_queue queue, clpool_mem* mem, cl_map_flags flags,
                                        size_t offset, size_t size, int32_t blocking, cl_uint wait_count,
                                        const cl_event* wait_list, cl_event* event_or_null,
                                        clpool_map** out) CLPOOL_NOEXCEPT;

/**
 * Maps a region of an image.
 * @param queue the queue; retained
 * @param image the image
 * @param flags as for clpool_mem_map()
 * @param origin first pixel, 3 entries; NULL: 0, 0, 0
 * @param region pixels, 3 entries, 1 beyond the image's dimensions, none 0
 * @param blocking not 0: returns when the host may use it
 * @param wait_count number of events
 * @param wait_list events to wait for
 * @param event_or_null receives the event, which the caller releases; may be NULL
 * @param out receives the map; the caller releases it with clpool_map_release(). NULL on failure
 * @return CLPOOL_ERROR_INVALID_VALUE for a NULL argument, flags that do not exist or exclude each other, an
 * empty region, or one beyond the image; CLPOOL_ERROR_INVALID_OPERATION for other memory and released one;
 * CLPOOL_ERROR_OUT_OF_MEMORY; CLPOOL_ERROR_OPENCL.
 * Blocks until the host may use it if `blocking` is not 0. OpenCL calls: clEnqueueMapImage,
 * clGetMemObjectInfo, clGetImageInfo, clRetainCommandQueue, clRetainEvent; those of releases that were put
 * off.
 */
CLPOOL_API clpool_status clpool_image_map(cl_command_queue queue, clpool_mem* image, cl_map_flags flags,
                                          const size_t* origin, const size_t* region, int32_t blocking,
                                          cl_uint wait_count, const cl_event* wait_list,
                                          cl_event* event_or_null, clpool_map** out) CLPOOL_NOEXCEPT;

/**
 * Where the mapping is.
 * @param map the map
 * @return the address of its first byte, valid until unmapping; NULL for NULL, after unmapping and after the
 * release
 */
CLPOOL_API void* clpool_map_pointer(const clpool_map* map) CLPOOL_NOEXCEPT;

/**
 * How large the mapping is.
 * @param map the map
 * @return bytes from the pointer on that belong to the mapping, gaps between rows included; 0 for NULL and
 * after the release
 */
CLPOOL_API size_t clpool_map_size(const clpool_map* map) CLPOOL_NOEXCEPT;

/**
 * How the driver laid out the rows of an image.
 * @param map the map
 * @return bytes from row to row; 0 for buffers, SVM, NULL and after the release
 */
CLPOOL_API size_t clpool_map_row_pitch(const clpool_map* map) CLPOOL_NOEXCEPT;

/**
 * How the driver laid out the slices of an image.
 * @param map the map
 * @return bytes from slice to slice, or layer to layer; 0 where there are none, for NULL and after the
 * release
 */
CLPOOL_API size_t clpool_map_slice_pitch(const clpool_map* map) CLPOOL_NOEXCEPT;

/**
 * Unmaps. Doing it again is no command and succeeds: the event is complete when those waited for are.
 * @param map the map
 * @param queue_or_null the queue; NULL: the one that mapped
 * @param wait_count number of events
 * @param wait_list events to wait for
 * @param event_or_null receives the event, which the caller releases; may be NULL
 * @return CLPOOL_ERROR_INVALID_VALUE for NULL; CLPOOL_ERROR_INVALID_OPERATION for a released map;
 * CLPOOL_ERROR_OUT_OF_MEMORY and CLPOOL_ERROR_OPENCL, and then it is still mapped.
 * OpenCL calls: clEnqueueUnmapMemObject, for SVM clEnqueueSVMUnmap; where the mapping did not block
 * clGetEventInfo, clReleaseEvent, and clFlush of the queue that mapped if this is another.
 */
CLPOOL_API clpool_status clpool_map_unmap(clpool_map* map, cl_command_queue queue_or_null, cl_uint wait_count,
                                          const cl_event* wait_list, cl_event* event_or_null) CLPOOL_NOEXCEPT;

/**
 * Unmaps if that was not done, and gives the map back with its references.
 * @param map the map; NULL is allowed and does nothing
 * @return CLPOOL_ERROR_INVALID_OPERATION if it is known to have been released already;
 * CLPOOL_ERROR_OUT_OF_MEMORY and CLPOOL_ERROR_OPENCL if unmapping failed: the map is given back all the same.
 * May block like clpool_mem_release(), if the map has the last reference to its memory. OpenCL calls: those
 * of clpool_map_unmap() and clpool_mem_release(), clReleaseCommandQueue.
 */
CLPOOL_API clpool_status clpool_map_release(clpool_map* map) CLPOOL_NOEXCEPT;

/**
 * Unmaps and gives the map back at some later time, for finalizers: neither waits, nor allocates, nor calls a
 * driver. The release is carried out by a later call that may do so, on any thread: one that makes or
 * releases an object of this library, other than a heap or NULL, unless a pool serves it from what it has.
 * As nobody can tell when that is, a block of a pool waits for the unmapping whatever releases it.
 * @param map the map, which counts as released at once; NULL is allowed and does nothing
 * @return CLPOOL_ERROR_INVALID_OPERATION if it is known to have been released already.
 * Thread safety: any thread, also within callbacks. OpenCL calls: none.
 */
CLPOOL_API clpool_status clpool_map_release_later(clpool_map* map) CLPOOL_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif
