// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Shims of clpool/transfer.h.
#include "clpool/transfer.h"

#include "command.hpp"
#include "memory/rect.hpp"
#include "memory/transfer.hpp"

using clpool::capi::command;
using clpool::capi::require;
using clpool::capi::to_core;
using clpool::core::Box;
using clpool::core::Status;
using clpool::core::cl::Order;

namespace {

Status read_box_options(const clpool_box* source, Box& box, const char* function) noexcept {
  CLPOOL_TRY(require(source, function, "box"));
  clpool_box known = CLPOOL_BOX_INIT;
  CLPOOL_TRY(clpool::capi::read_options(source, known, function));
  if (known.dimensions < 1 || known.dimensions > 3) {
    return fail(Status::invalid_value, "%s: dimensions is %u, valid are 1 to 3", function, known.dimensions);
  }
  for (std::uint32_t i = 0; i < 3; ++i) {
    const bool counts = i < known.dimensions;
    box.region[i] = counts ? known.region[i] : 1;
    box.source.origin[i] = counts ? known.source_origin[i] : 0;
    box.target.origin[i] = counts ? known.target_origin[i] : 0;
  }
  box.source.row_pitch = known.source_row_pitch;
  box.source.slice_pitch = known.source_slice_pitch;
  box.target.row_pitch = known.target_row_pitch;
  box.target.slice_pitch = known.target_slice_pitch;
  return Status::success;
}

}  // namespace

clpool_status clpool_mem_fill(cl_command_queue queue, clpool_mem* mem, const void* pattern,
                              size_t pattern_size, size_t offset, size_t size, cl_uint wait_count,
                              const cl_event* wait_list, cl_event* event_or_null) noexcept {
  return command(queue, wait_count, wait_list, event_or_null, [&](const Order& order) -> Status {
    CLPOOL_TRY(require(mem, "clpool_mem_fill", "mem"));
    return clpool::core::fill(order, *to_core(mem), {pattern, pattern_size}, offset, size);
  });
}

clpool_status clpool_mem_copy(cl_command_queue queue, clpool_mem* target, size_t target_offset,
                              clpool_mem* source, size_t source_offset, size_t size, cl_uint wait_count,
                              const cl_event* wait_list, cl_event* event_or_null) noexcept {
  return command(queue, wait_count, wait_list, event_or_null, [&](const Order& order) -> Status {
    CLPOOL_TRY(require(target, "clpool_mem_copy", "target"));
    CLPOOL_TRY(require(source, "clpool_mem_copy", "source"));
    return clpool::core::copy(order, *to_core(target), target_offset, *to_core(source), source_offset, size);
  });
}

clpool_status clpool_mem_read(cl_command_queue queue, clpool_mem* mem, size_t offset, size_t size, void* host,
                              size_t host_size, int32_t blocking, cl_uint wait_count,
                              const cl_event* wait_list, cl_event* event_or_null) noexcept {
  return command(queue, wait_count, wait_list, event_or_null, [&](const Order& order) -> Status {
    CLPOOL_TRY(require(mem, "clpool_mem_read", "mem"));
    return clpool::core::read(order, *to_core(mem), offset, {host, host_size}, size, blocking != 0);
  });
}

clpool_status clpool_mem_write(cl_command_queue queue, clpool_mem* mem, size_t offset, size_t size,
                               const void* host, size_t host_size, int32_t blocking, cl_uint wait_count,
                               const cl_event* wait_list, cl_event* event_or_null) noexcept {
  return command(queue, wait_count, wait_list, event_or_null, [&](const Order& order) -> Status {
    CLPOOL_TRY(require(mem, "clpool_mem_write", "mem"));
    return clpool::core::write(order, *to_core(mem), offset, {host, host_size}, size, blocking != 0);
  });
}

void clpool_box_init(clpool_box* box) noexcept {
  clpool::capi::initialize<clpool_box>(box, CLPOOL_BOX_INIT);
}

clpool_status clpool_mem_copy_box(cl_command_queue queue, clpool_mem* target, clpool_mem* source,
                                  const clpool_box* box, cl_uint wait_count, const cl_event* wait_list,
                                  cl_event* event_or_null) noexcept {
  return command(queue, wait_count, wait_list, event_or_null, [&](const Order& order) -> Status {
    CLPOOL_TRY(require(target, "clpool_mem_copy_box", "target"));
    CLPOOL_TRY(require(source, "clpool_mem_copy_box", "source"));
    Box parts;
    CLPOOL_TRY(read_box_options(box, parts, "clpool_mem_copy_box"));
    return clpool::core::copy_box(order, *to_core(target), *to_core(source), parts);
  });
}

clpool_status clpool_mem_read_box(cl_command_queue queue, clpool_mem* mem, const clpool_box* box, void* host,
                                  size_t host_size, int32_t blocking, cl_uint wait_count,
                                  const cl_event* wait_list, cl_event* event_or_null) noexcept {
  return command(queue, wait_count, wait_list, event_or_null, [&](const Order& order) -> Status {
    CLPOOL_TRY(require(mem, "clpool_mem_read_box", "mem"));
    Box parts;
    CLPOOL_TRY(read_box_options(box, parts, "clpool_mem_read_box"));
    return clpool::core::read_box(order, *to_core(mem), {host, host_size}, parts, blocking != 0);
  });
}

clpool_status clpool_mem_write_box(cl_command_queue queue, clpool_mem* mem, const clpool_box* box,
                                   const void* host, size_t host_size, int32_t blocking, cl_uint wait_count,
                                   const cl_event* wait_list, cl_event* event_or_null) noexcept {
  return command(queue, wait_count, wait_list, event_or_null, [&](const Order& order) -> Status {
    CLPOOL_TRY(require(mem, "clpool_mem_write_box", "mem"));
    Box parts;
    CLPOOL_TRY(read_box_options(box, parts, "clpool_mem_write_box"));
    return clpool::core::write_box(order, *to_core(mem), {host, host_size}, parts, blocking != 0);
  });
}

clpool_status clpool_mem_migrate(cl_command_queue queue, clpool_mem* const* mems, uint32_t count,
                                 cl_mem_migration_flags flags, cl_uint wait_count, const cl_event* wait_list,
                                 cl_event* event_or_null) noexcept {
  return command(queue, wait_count, wait_list, event_or_null, [&](const Order& order) -> Status {
    if (count != 0) {
      CLPOOL_TRY(require(mems, "clpool_mem_migrate", "mems"));
    }
    return clpool::core::migrate(order, reinterpret_cast<clpool::core::Mem* const*>(mems), count, flags);
  });
}

clpool_status clpool_mem_copy_p2p(cl_command_queue queue, clpool_mem* target, size_t target_offset,
                                  clpool_mem* source, size_t source_offset, size_t size, cl_uint wait_count,
                                  const cl_event* wait_list, cl_event* event_or_null) noexcept {
  return command(queue, wait_count, wait_list, event_or_null, [&](const Order& order) -> Status {
    CLPOOL_TRY(require(target, "clpool_mem_copy_p2p", "target"));
    CLPOOL_TRY(require(source, "clpool_mem_copy_p2p", "source"));
    return clpool::core::copy_p2p(order, *to_core(target), target_offset, *to_core(source), source_offset,
                                  size);
  });
}
