/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Images of every type: formats, creation, shape, fills and copies. Maps are in map.h, other questions in
 * info.h.
 *
 * Pixels are counted x first: width; height, or layers of a 1-D array; depth, or layers of a 2-D array.
 * Arrays in C order have their indices the other way round.
 *
 * Commands take queue, wait list and event as those of transfer.h do, fail with the same statuses and make
 * the same calls besides those they name, and clGetMemObjectInfo and clGetImageInfo to know the image. They
 * check all bounds, host memory included, before anything is enqueued, and do nothing for regions with a 0 in
 * them.
 *
 * Thread safety: any thread, one at a time for the same memory. Since 1.0. Unless a function says otherwise,
 * it does not block and makes no OpenCL calls.
 */
#ifndef CLPOOL_IMAGE_H
#define CLPOOL_IMAGE_H

#include "clpool/mem.h"
#include "clpool/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Number of channels of an order: CL_R 1, CL_RG 2, CL_RGB 3, CL_RGBA 4, …
 * @param order the order
 * @param count receives the number
 * @return CLPOOL_ERROR_NOT_FOUND for an unknown order; CLPOOL_ERROR_INVALID_VALUE for a NULL result
 */
CLPOOL_API clpool_status clpool_image_channel_count(cl_channel_order order, uint32_t* count) CLPOOL_NOEXCEPT;

/**
 * Bytes of one channel; for packed types such as CL_UNORM_SHORT_565 those of the whole pixel.
 * @param type the channel type
 * @param bytes receives the bytes
 * @return CLPOOL_ERROR_NOT_FOUND for an unknown type; CLPOOL_ERROR_INVALID_VALUE for a NULL result
 */
CLPOOL_API clpool_status clpool_image_channel_size(cl_channel_type type, size_t* bytes) CLPOOL_NOEXCEPT;

/**
 * Bytes of one pixel.
 * @param format the format
 * @param bytes receives the bytes
 * @return CLPOOL_ERROR_NOT_FOUND for an unknown order or type; CLPOOL_ERROR_INVALID_VALUE for NULL
 */
CLPOOL_API clpool_status clpool_image_item_size(const cl_image_format* format, size_t* bytes) CLPOOL_NOEXCEPT;

/**
 * Name of a channel order.
 * @param order the order
 * @return the name such as "CL_RGBA", static; NULL for unknown numbers
 */
CLPOOL_API const char* clpool_image_channel_order_name(cl_channel_order order) CLPOOL_NOEXCEPT;

/**
 * Name of a channel type.
 * @param type the channel type
 * @return the name such as "CL_UNORM_INT8", static; NULL for unknown numbers
 */
CLPOOL_API const char* clpool_image_channel_type_name(cl_channel_type type) CLPOOL_NOEXCEPT;

/**
 * The formats that a context supports.
 * @param context the context
 * @param flags how the images are used: CL_MEM_READ_ONLY, …
 * @param type CL_MEM_OBJECT_IMAGE2D, …
 * @param formats receives up to `capacity` formats; may be NULL if that is 0
 * @param capacity number of formats that `formats` has room for; 0 to ask for the number only
 * @param count receives the number of supported formats, which may be 0
 * @return CLPOOL_ERROR_INVALID_VALUE for NULL; CLPOOL_ERROR_OUT_OF_MEMORY; CLPOOL_ERROR_OPENCL.
 * OpenCL calls: clGetSupportedImageFormats.
 */
CLPOOL_API clpool_status clpool_image_formats(cl_context context, cl_mem_flags flags, cl_mem_object_type type,
                                              cl_image_format* formats, size_t capacity,
                                              size_t* count) CLPOOL_NOEXCEPT;

/** What a new image is to be. */
typedef struct clpool_image_options {
  /** sizeof(clpool_image_options) of the caller. */
  uint32_t struct_size;
  /** Entries of shape that count: 1, 2 or 3. */
  uint32_t dimensions;
  /** cl_mem_flags; 0 means CL_MEM_READ_WRITE, or those of the buffer. */
  cl_mem_flags flags;
  /** The format of a pixel. */
  cl_image_format format;
  /** Pixels, x first. The last entry of an array counts its layers. */
  size_t shape[3];
  /** Not 0: an array of 1-D (2 dimensions) or 2-D images (3 dimensions). */
  uint32_t is_array;
  /** Must be 0. */
  uint32_t reserved;
  /** Bytes from row to row in the host memory or buffer; 0: tight. */
  size_t row_pitch;
  /** Bytes from slice to slice, or layer to layer, in the host memory; 0: tight. */
  size_t slice_pitch;
  /** Host memory, with CL_MEM_USE_HOST_PTR (must outlive the image) or CL_MEM_COPY_HOST_PTR; or NULL. */
  void* host;
  /** Bytes of the host memory. */
  size_t host_size;
  /** A buffer that a 1-D or 2-D image lies in, which it keeps alive; or NULL. */
  clpool_mem* buffer;
} clpool_image_options;

/** Initial value of a clpool_image_options. */
#define CLPOOL_IMAGE_OPTIONS_INIT \
  { sizeof(clpool_image_options), 0u, 0u, {0u, 0u}, {0, 0, 0}, 0u, 0u, 0, 0, NULL, 0, NULL }

/**
 * Sets a struct to CLPOOL_IMAGE_OPTIONS_INIT, for languages without macros.
 * @param options receives the initial value; NULL is ignored
 */
CLPOOL_API void clpool_image_options_init(clpool_image_options* options) CLPOOL_NOEXCEPT;

/**
 * Makes an image.
 * @param context where it is made; retained
 * @param options what it is to be
 * @param out receives the image; the caller releases it with clpool_mem_release(). NULL on failure
 * @return CLPOOL_ERROR_INVALID_VALUE, naming it, for whatever contradicts itself, is too small, or larger
 * than the devices allow; CLPOOL_ERROR_NOT_FOUND for an unknown channel order or type;
 * CLPOOL_ERROR_INVALID_OPERATION for a `buffer` that is none or was released; CLPOOL_ERROR_NOT_SUPPORTED
 * where no device has images, or types newer than the devices' version, and for a buffer that is a part of
 * another one (most blocks of pools are) on Mesa's rusticl, which loses what is written there;
 * CLPOOL_ERROR_OUT_OF_MEMORY; CLPOOL_ERROR_OPENCL, such as a format that is not supported (-10) or, on PoCL,
 * such a buffer (-38).
 * Blocks as long as the driver copies. OpenCL calls: clCreateImage, before OpenCL 1.2 clCreateImage2D and
 * clCreateImage3D; clGetContextInfo, clGetDeviceInfo, clGetPlatformInfo, clGetMemObjectInfo,
 * clRetainContext, and clReleaseMemObject on failure; those of releases that were put off.
 */
CLPOOL_API clpool_status clpool_image_create(cl_context context, const clpool_image_options* options,
                                             clpool_mem** out) CLPOOL_NOEXCEPT;

/** Types of numbers in an array. */
enum {
  /** 8 bits, signed. */
  CLPOOL_ELEMENT_INT8 = 1,
  /** 8 bits, unsigned. */
  CLPOOL_ELEMENT_UINT8 = 2,
  /** 16 bits, signed. */
  CLPOOL_ELEMENT_INT16 = 3,
  /** 16 bits, unsigned. */
  CLPOOL_ELEMENT_UINT16 = 4,
  /** 32 bits, signed. */
  CLPOOL_ELEMENT_INT32 = 5,
  /** 32 bits, unsigned. */
  CLPOOL_ELEMENT_UINT32 = 6,
  /** Half precision. */
  CLPOOL_ELEMENT_FLOAT16 = 7,
  /** Single precision. */
  CLPOOL_ELEMENT_FLOAT32 = 8
};

/** A contiguous array in C order, [depth][height][width][channels], to be copied into an image. */
typedef struct clpool_image_array {
  /** sizeof(clpool_image_array) of the caller. */
  uint32_t struct_size;
  /** One of CLPOOL_ELEMENT_…. */
  uint32_t element;
  /** 1 to 4. Three become four, the last being 1: OpenCL takes three in packed formats only. */
  uint32_t channels;
  /** Not 0: 8- and 16-bit integers stand for -1…1 or 0…1. */
  uint32_t normalized;
  /** CL_MEM_READ_ONLY (which 0 means), CL_MEM_WRITE_ONLY or CL_MEM_READ_WRITE. */
  cl_mem_flags access;
  /** Entries of shape that count: 1, 2 or 3. */
  uint32_t dimensions;
  /** Must be 0. */
  uint32_t reserved;
  /** Slowest index first, without the channels. */
  size_t shape[3];
  /** The numbers. */
  const void* data;
  /** Bytes of data, at least those of the shape. */
  size_t size;
} clpool_image_array;

/** Initial value of a clpool_image_array: one channel of 32-bit floats. */
#define CLPOOL_IMAGE_ARRAY_INIT \
  { sizeof(clpool_image_array), CLPOOL_ELEMENT_FLOAT32, 1u, 0u, 0u, 0u, 0u, {0, 0, 0}, NULL, 0 }

/**
 * Sets a struct to CLPOOL_IMAGE_ARRAY_INIT, for languages without macros.
 * @param array receives the initial value; NULL is ignored
 */
CLPOOL_API void clpool_image_array_init(clpool_image_array* array) CLPOOL_NOEXCEPT;

/**
 * Makes an image of an array, whose shape is the array's the other way round.
 * @param context where it is made; retained
 * @param array the array
 * @param out receives the image; the caller releases it with clpool_mem_release(). NULL on failure
 * @return as clpool_image_create(); CLPOOL_ERROR_INVALID_VALUE also for element types that do not exist or
 * cannot be normalized.
 * Blocks while the array is copied. OpenCL calls: those of clpool_image_create(); those of releases that
 * were put off.
 */
CLPOOL_API clpool_status clpool_image_create_from_array(cl_context context, const clpool_image_array* array,
                                                        clpool_mem** out) CLPOOL_NOEXCEPT;

/**
 * Shape of an image of any type.
 * @param image the image
 * @param dimensions receives 1, 2 or 3; layers count as one
 * @param shape receives pixels, x first, and 1 beyond the dimensions
 * @return CLPOOL_ERROR_INVALID_VALUE for a NULL argument; CLPOOL_ERROR_INVALID_OPERATION for other memory and
 * released one; CLPOOL_ERROR_NOT_SUPPORTED for a type of image that is not known; CLPOOL_ERROR_OPENCL.
 * OpenCL calls: clGetMemObjectInfo, clGetImageInfo.
 */
CLPOOL_API clpool_status clpool_image_shape(const clpool_mem* image, uint32_t* dimensions,
                                            size_t shape[3]) CLPOOL_NOEXCEPT;

/**
 * Format of an image.
 * @param image the image
 * @param format receives the format
 * @return CLPOOL_ERROR_INVALID_VALUE for a NULL argument; CLPOOL_ERROR_INVALID_OPERATION for other memory and
 * released one; CLPOOL_ERROR_OPENCL.
 * OpenCL calls: clGetImageInfo.
 */
CLPOOL_API clpool_status clpool_image_format(const clpool_mem* image,
                                             cl_image_format* format) CLPOOL_NOEXCEPT;

/**
 * Fills a region with one color.
 * @param queue the queue
 * @param image the image
 * @param color four floats, 32-bit integers or unsigned integers as the format wants; one float for depth
 * images
 * @param color_size bytes: 16, for depth images 4
 * @param origin first pixel, 3 entries; NULL: 0, 0, 0
 * @param region pixels, 3 entries, 1 beyond the image's dimensions
 * @param wait_count number of events
 * @param wait_list events to wait for
 * @param event_or_null receives the event, which the caller releases; may be NULL
 * @return CLPOOL_ERROR_INVALID_VALUE, CLPOOL_ERROR_INVALID_OPERATION, CLPOOL_ERROR_NOT_SUPPORTED,
 * CLPOOL_ERROR_OUT_OF_MEMORY and CLPOOL_ERROR_OPENCL as in transfer.h. Needs OpenCL 1.2.
 * OpenCL calls: clEnqueueFillImage.
 */
CLPOOL_API clpool_status clpool_image_fill(cl_command_queue queue, clpool_mem* image, const void* color,
                                           size_t color_size, const size_t* origin, const size_t* region,
                                           cl_uint wait_count, const cl_event* wait_list,
                                           cl_event* event_or_null) CLPOOL_NOEXCEPT;

/**
 * Reads a region into host memory.
 * @param queue the queue
 * @param image where from
 * @param origin first pixel, 3 entries; NULL: 0, 0, 0
 * @param region pixels, 3 entries, 1 beyond the image's dimensions
 * @param row_pitch bytes from row to row in the host memory; 0: tight
 * @param slice_pitch bytes from slice to slice, or layer to layer; 0: tight, and for images that have neither
 * @param host where to
 * @param host_size bytes of the host memory; never exceeded
 * @param blocking not 0: returns when the host memory is written
 * @param wait_count number of events
 * @param wait_list events to wait for
 * @param event_or_null receives the event, which the caller releases; may be NULL
 * @return CLPOOL_ERROR_INVALID_VALUE, CLPOOL_ERROR_INVALID_OPERATION, CLPOOL_ERROR_NOT_SUPPORTED,
 * CLPOOL_ERROR_OUT_OF_MEMORY and CLPOOL_ERROR_OPENCL as in transfer.h.
 * Blocks until the host memory is written if `blocking` is not 0. OpenCL calls: clEnqueueReadImage.
 */
CLPOOL_API clpool_status clpool_image_read(cl_command_queue queue, clpool_mem* image, const size_t* origin,
                                           const size_t* region, size_t row_pitch, size_t slice_pitch,
                                           void* host, size_t host_size, int32_t blocking, cl_uint wait_count,
                                           const cl_event* wait_list,
                                           cl_event* event_or_null) CLPOOL_NOEXCEPT;

/**
 * Writes host memory into a region.
 * @param queue the queue
 * @param image where to
 * @param origin first pixel, 3 entries; NULL: 0, 0, 0
 * @param region pixels, 3 entries, 1 beyond the image's dimensions
 * @param row_pitch bytes from row to row in the host memory; 0: tight
 * @param slice_pitch bytes from slice to slice, or layer to layer; 0: tight, and for images that have neither
 * @param host where from
 * @param host_size bytes of the host memory; never exceeded
 * @param blocking not 0: returns when the host memory may be changed
 * @param wait_count number of events
 * @param wait_list events to wait for
 * @param event_or_null receives the event, which the caller releases; may be NULL
 * @return CLPOOL_ERROR_INVALID_VALUE, CLPOOL_ERROR_INVALID_OPERATION, CLPOOL_ERROR_NOT_SUPPORTED,
 * CLPOOL_ERROR_OUT_OF_MEMORY and CLPOOL_ERROR_OPENCL as in transfer.h.
 * Blocks until the host memory may be changed if `blocking` is not 0. OpenCL calls: clEnqueueWriteImage.
 */
CLPOOL_API clpool_status clpool_image_write(cl_command_queue queue, clpool_mem* image, const size_t* origin,
                                            const size_t* region, size_t row_pitch, size_t slice_pitch,
                                            const void* host, size_t host_size, int32_t blocking,
                                            cl_uint wait_count, const cl_event* wait_list,
                                            cl_event* event_or_null) CLPOOL_NOEXCEPT;

/**
 * Copies a region from image to image.
 * @param queue the queue
 * @param target where to
 * @param target_origin first pixel there, 3 entries; NULL: 0, 0, 0
 * @param source where from, of the same format
 * @param source_origin first pixel there, 3 entries; NULL: 0, 0, 0
 * @param region pixels, 3 entries, 1 beyond the image's dimensions
 * @param wait_count number of events
 * @param wait_list events to wait for
 * @param event_or_null receives the event, which the caller releases; may be NULL
 * @return CLPOOL_ERROR_INVALID_VALUE, CLPOOL_ERROR_INVALID_OPERATION, CLPOOL_ERROR_NOT_SUPPORTED,
 * CLPOOL_ERROR_OUT_OF_MEMORY and CLPOOL_ERROR_OPENCL as in transfer.h, the last also with CL_MEM_COPY_OVERLAP
 * (-8) for regions of one image that overlap.
 * OpenCL calls: clEnqueueCopyImage.
 */
CLPOOL_API clpool_status clpool_image_copy(cl_command_queue queue, clpool_mem* target,
                                           const size_t* target_origin, clpool_mem* source,
                                           const size_t* source_origin, const size_t* region,
                                           cl_uint wait_count, const cl_event* wait_list,
                                           cl_event* event_or_null) CLPOOL_NOEXCEPT;

/**
 * Copies a region of an image into a buffer, without gaps.
 * @param queue the queue
 * @param buffer where to
 * @param offset bytes in the buffer
 * @param image where from
 * @param origin first pixel, 3 entries; NULL: 0, 0, 0
 * @param region pixels, 3 entries, 1 beyond the image's dimensions
 * @param wait_count number of events
 * @param wait_list events to wait for
 * @param event_or_null receives the event, which the caller releases; may be NULL
 * @return CLPOOL_ERROR_INVALID_VALUE, CLPOOL_ERROR_INVALID_OPERATION, CLPOOL_ERROR_NOT_SUPPORTED,
 * CLPOOL_ERROR_OUT_OF_MEMORY and CLPOOL_ERROR_OPENCL as in transfer.h.
 * OpenCL calls: clEnqueueCopyImageToBuffer.
 */
CLPOOL_API clpool_status clpool_image_copy_to_buffer(cl_command_queue queue, clpool_mem* buffer,
                                                     size_t offset, clpool_mem* image, const size_t* origin,
                                                     const size_t* region, cl_uint wait_count,
                                                     const cl_event* wait_list,
                                                     cl_event* event_or_null) CLPOOL_NOEXCEPT;

/**
 * Copies a buffer that holds a region without gaps into an image.
 * @param queue the queue
 * @param image where to
 * @param origin first pixel, 3 entries; NULL: 0, 0, 0
 * @param region pixels, 3 entries, 1 beyond the image's dimensions
 * @param buffer where from
 * @param offset bytes in the buffer
 * @param wait_count number of events
 * @param wait_list events to wait for
 * @param event_or_null receives the event, which the caller releases; may be NULL
 * @return CLPOOL_ERROR_INVALID_VALUE, CLPOOL_ERROR_INVALID_OPERATION, CLPOOL_ERROR_NOT_SUPPORTED,
 * CLPOOL_ERROR_OUT_OF_MEMORY and CLPOOL_ERROR_OPENCL as in transfer.h.
 * OpenCL calls: clEnqueueCopyBufferToImage.
 */
CLPOOL_API clpool_status clpool_image_copy_from_buffer(cl_command_queue queue, clpool_mem* image,
                                                       const size_t* origin, const size_t* region,
                                                       clpool_mem* buffer, size_t offset, cl_uint wait_count,
                                                       const cl_event* wait_list,
                                                       cl_event* event_or_null) CLPOOL_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif
