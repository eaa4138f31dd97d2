// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Shims of clpool/image.h: fills and copies.
#include "memory/image_transfer.hpp"

#include "clpool/image.h"
#include "command.hpp"

using clpool::capi::command;
using clpool::capi::read_triple;
using clpool::capi::require;
using clpool::capi::to_core;
using clpool::core::ImageRegion;
using clpool::core::Status;
using clpool::core::cl::Order;

namespace {

Status read_region(const char* function, const size_t* origin, const size_t* region,
                   ImageRegion& part) noexcept {
  CLPOOL_TRY(require(region, function, "region"));
  read_triple(origin, part.origin);
  read_triple(region, part.region);
  return Status::success;
}

}  // namespace

clpool_status clpool_image_fill(cl_command_queue queue, clpool_mem* image, const void* color,
                                size_t color_size, const size_t* origin, const size_t* region,
                                cl_uint wait_count, const cl_event* wait_list,
                                cl_event* event_or_null) noexcept {
  return command(queue, wait_count, wait_list, event_or_null, [&](const Order& order) -> Status {
    CLPOOL_TRY(require(image, "clpool_image_fill", "image"));
    ImageRegion part;
    CLPOOL_TRY(read_region("clpool_image_fill", origin, region, part));
    return clpool::core::fill_image(order, *to_core(image), {color, color_size}, part);
  });
}

clpool_status clpool_image_read(cl_command_queue queue, clpool_mem* image, const size_t* origin,
                                const size_t* region, size_t row_pitch, size_t slice_pitch, void* host,
                                size_t host_size, int32_t blocking, cl_uint wait_count,
                                const cl_event* wait_list, cl_event* event_or_null) noexcept {
  return command(queue, wait_count, wait_list, event_or_null, [&](const Order& order) -> Status {
    CLPOOL_TRY(require(image, "clpool_image_read", "image"));
    ImageRegion part;
    CLPOOL_TRY(read_region("clpool_image_read", origin, region, part));
    return clpool::core::read_image(order, *to_core(image), part, {host, host_size}, row_pitch, slice_pitch,
                                    blocking != 0);
  });
}

clpool_status clpool_image_write(cl_command_queue queue, clpool_mem* image, const size_t* origin,
                                 const size_t* region, size_t row_pitch, size_t slice_pitch, const void* host,
                                 size_t host_size, int32_t blocking, cl_uint wait_count,
                                 const cl_event* wait_list, cl_event* event_or_null) noexcept {
  return command(queue, wait_count, wait_list, event_or_null, [&](const Order& order) -> Status {
    CLPOOL_TRY(require(image, "clpool_image_write", "image"));
    ImageRegion part;
    CLPOOL_TRY(read_region("clpool_image_write", origin, region, part));
    return clpool::core::write_image(order, *to_core(image), part, {host, host_size}, row_pitch, slice_pitch,
                                     blocking != 0);
  });
}

clpool_status clpool_image_copy(cl_command_queue queue, clpool_mem* target, const size_t* target_origin,
                                clpool_mem* source, const size_t* source_origin, const size_t* region,
                                cl_uint wait_count, const cl_event* wait_list,
                                cl_event* event_or_null) noexcept {
  return command(queue, wait_count, wait_list, event_or_null, [&](const Order& order) -> Status {
    CLPOOL_TRY(require(target, "clpool_image_copy", "target"));
    CLPOOL_TRY(require(source, "clpool_image_copy", "source"));
    ImageRegion part;
    CLPOOL_TRY(read_region("clpool_image_copy", source_origin, region, part));
    std::size_t to[3] = {};
    read_triple(target_origin, to);
    return clpool::core::copy_image(order, *to_core(target), to, *to_core(source), part);
  });
}

clpool_status clpool_image_copy_to_buffer(cl_command_queue queue, clpool_mem* buffer, size_t offset,
                                          clpool_mem* image, const size_t* origin, const size_t* region,
                                          cl_uint wait_count, const cl_event* wait_list,
                                          cl_event* event_or_null) noexcept {
  return command(queue, wait_count, wait_list, event_or_null, [&](const Order& order) -> Status {
    CLPOOL_TRY(require(buffer, "clpool_image_copy_to_buffer", "buffer"));
    CLPOOL_TRY(require(image, "clpool_image_copy_to_buffer", "image"));
    ImageRegion part;
    CLPOOL_TRY(read_region("clpool_image_copy_to_buffer", origin, region, part));
    return clpool::core::copy_image_to_buffer(order, *to_core(buffer), offset, *to_core(image), part);
  });
}

clpool_status clpool_image_copy_from_buffer(cl_command_queue queue, clpool_mem* image, const size_t* origin,
                                            const size_t* region, clpool_mem* buffer, size_t offset,
                                            cl_uint wait_count, const cl_event* wait_list,
                                            cl_event* event_or_null) noexcept {
  return command(queue, wait_count, wait_list, event_or_null, [&](const Order& order) -> Status {
    CLPOOL_TRY(require(image, "clpool_image_copy_from_buffer", "image"));
    CLPOOL_TRY(require(buffer, "clpool_image_copy_from_buffer", "buffer"));
    ImageRegion part;
    CLPOOL_TRY(read_region("clpool_image_copy_from_buffer", origin, region, part));
    return clpool::core::copy_buffer_to_image(order, *to_core(image), part, *to_core(buffer), offset);
  });
}
