// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Copies between two memories, and between memory and host memory.
#include <cstdint>

#include "cl/quirks.hpp"
#include "memory/object.hpp"
#include "memory/range.hpp"
#include "memory/transfer.hpp"

namespace clpool::core {
namespace {

Status enqueued(cl_int code, const char* routine, std::size_t size) noexcept {
  return code == CL_SUCCESS ? Status::success : fail_cl(code, routine, "%zu bytes", size);
}

char* address(const Mem& mem, std::size_t offset) noexcept {
  return static_cast<char*>(mem.pointer) + offset;
}

bool overlap(std::uint64_t a, std::uint64_t b, std::size_t size) noexcept {
  return a < b + size && b < a + size;
}

/// One side of a copy within one device memory: the memory and an offset in it.
struct CopySide {
  const Mem& mem;
  std::size_t offset;
};

Status refuse_overlap(const CopySide& target, const CopySide& source, std::size_t size) noexcept {
  return fail_cl(CL_MEM_COPY_OVERLAP, "copy", "%zu bytes from offset %zu to offset %zu of %s", size,
                 source.offset, target.offset,
                 &target.mem == &source.mem ? "the same memory" : "another part of the same memory");
}

/// Of two buffers, or of two SVM. Parts of one root may overlap although their handles differ, which not every
/// driver sees.
Status check_overlap(const CopySide& target, const CopySide& source, std::size_t size) noexcept {
  if (target.mem.handle == nullptr) {
    return overlap(reinterpret_cast<std::uintptr_t>(address(target.mem, target.offset)),
                   reinterpret_cast<std::uintptr_t>(address(source.mem, source.offset)), size)
               ? refuse_overlap(target, source, size)
               : Status::success;
  }
  cl_mem roots[2] = {};
  std::size_t starts[2] = {};
  CLPOOL_TRY(target.mem.owner->root_of(target.mem, roots[0], starts[0]));
  CLPOOL_TRY(source.mem.owner->root_of(source.mem, roots[1], starts[1]));
  const bool within_one = roots[0] == roots[1];
  return within_one && overlap(starts[0] + target.offset, starts[1] + source.offset, size)
             ? refuse_overlap(target, source, size)
             : Status::success;
}

Status copy_svm(const cl::Order& order, bool blocking, void* target, const void* source, std::size_t size) {
  CLPOOL_TRY(cl::require_queue_version(order.queue, {2, 0}, "copying SVM"));
  return enqueued(clEnqueueSVMMemcpy(order.queue, blocking ? CL_TRUE : CL_FALSE, target, source, size,
                                     order.wait_count, order.waits, order.event),
                  "clEnqueueSVMMemcpy", size);
}

/// What a copy can take: buffers and SVM by commands, page-locked memory as host memory.
Status require_copyable(const Mem& mem, const char* side) noexcept {
  CLPOOL_TRY(require_live(mem));
  const MemKind nature = nature_of(mem);
  const bool can = nature == MemKind::buffer || nature == MemKind::svm || nature == MemKind::pinned;
  return can ? Status::success
             : fail(Status::invalid_operation, "%s is %s, which this copy does not take", side,
                    kind_name(nature));
}

Status copy_buffer(const cl::Order& order, cl_mem target, std::size_t target_offset, cl_mem source,
                   std::size_t source_offset, std::size_t size) noexcept {
  return enqueued(clEnqueueCopyBuffer(order.queue, source, target, source_offset, target_offset, size,
                                      order.wait_count, order.waits, order.event),
                  "clEnqueueCopyBuffer", size);
}

/// Between a buffer and SVM, which no single command does: the SVM is mapped for the time of a transfer.
Status copy_mapped(const cl::Order& order, bool to_svm, char* svm, cl_mem buffer, std::size_t offset,
                   std::size_t size) {
  CLPOOL_TRY(cl::require_queue_version(order.queue, {2, 0}, "copying SVM"));
  cl::Event mapped;
  CLPOOL_TRY(
      enqueued(clEnqueueSVMMap(order.queue, CL_FALSE, to_svm ? CL_MAP_WRITE_INVALIDATE_REGION : CL_MAP_READ,
                               svm, size, order.wait_count, order.waits, mapped.receive()),
               "clEnqueueSVMMap", size));
  const cl_event begin = mapped.get();
  cl::Event copied;
  const Status status = to_svm ? enqueued(clEnqueueReadBuffer(order.queue, buffer, CL_FALSE, offset, size,
                                                              svm, 1, &begin, copied.receive()),
                                          "clEnqueueReadBuffer", size)
                               : enqueued(clEnqueueWriteBuffer(order.queue, buffer, CL_FALSE, offset, size,
                                                               svm, 1, &begin, copied.receive()),
                                          "clEnqueueWriteBuffer", size);
  const bool has_copied = status == Status::success;
  const cl_event end = has_copied ? copied.get() : begin;
  const cl_int unmapped = clEnqueueSVMUnmap(order.queue, svm, 1, &end, has_copied ? order.event : nullptr);
  return has_copied ? enqueued(unmapped, "clEnqueueSVMUnmap", size) : status;
}

/// The same through a view of the SVM as a buffer, which OpenCL keeps for as long as the command needs it
/// (OpenCL 3.0, clCreateBuffer: a host pointer that clSVMAlloc returned).
Status copy_viewed(const cl::Order& order, bool to_svm, const Mem& svm, std::size_t svm_offset, cl_mem buffer,
                   std::size_t offset, std::size_t size) {
  cl_int code = CL_SUCCESS;
  const cl::Memory view =
      cl::Memory::adopt(clCreateBuffer(svm.owner->context_of(svm), CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR,
                                       size, address(svm, svm_offset), &code));
  CLPOOL_TRY(enqueued(code, "clCreateBuffer", size));
  return to_svm ? copy_buffer(order, view.get(), 0, buffer, offset, size)
                : copy_buffer(order, buffer, offset, view.get(), 0, size);
}

Status copy_svm_and_buffer(const cl::Order& order, bool to_svm, const Mem& svm, std::size_t svm_offset,
                           cl_mem buffer, std::size_t offset, std::size_t size) {
  cl_device_id device = nullptr;
  CLPOOL_TRY(cl::queue_device(order.queue, device));
  bool stale = false;
  CLPOOL_TRY(cl::maps_stale_svm(device, stale));
  return stale ? copy_viewed(order, to_svm, svm, svm_offset, buffer, offset, size)
               : copy_mapped(order, to_svm, address(svm, svm_offset), buffer, offset, size);
}

}  // namespace

Status copy(const cl::Order& order, Mem& target, std::size_t target_offset, Mem& source,
            std::size_t source_offset, std::size_t size) {
  CLPOOL_TRY(cl::check_order(order));
  CLPOOL_TRY(require_copyable(target, "the target"));
  CLPOOL_TRY(require_copyable(source, "the source"));
  CLPOOL_TRY(resolve_size(size, side_of("the target", target, target_offset),
                          side_of("the source", source, source_offset)));
  const MemKind to = nature_of(target);
  const MemKind from = nature_of(source);
  if (to == MemKind::pinned && from == MemKind::pinned) {
    return fail(
        Status::invalid_operation,
        "both memories are page-locked, which is host memory: use memcpy() when the commands that use "
        "them are complete");
  }
  if (size != 0 && from == to) {
    CLPOOL_TRY(check_overlap({target, target_offset}, {source, source_offset}, size));
  }
  if (size != 0) {
    CLPOOL_TRY(begin_use(order, {&target, &source}));
  }
  if (to == MemKind::pinned) {
    return read(order, source, source_offset, {address(target, target_offset), size}, size, false);
  }
  if (from == MemKind::pinned) {
    return write(order, target, target_offset, {address(source, source_offset), size}, size, false);
  }
  if (size == 0) {
    return cl::do_nothing(order);
  }
  if (to == MemKind::svm && from == MemKind::svm) {
    return copy_svm(order, false, address(target, target_offset), address(source, source_offset), size);
  }
  if (to == MemKind::svm) {
    return copy_svm_and_buffer(order, true, target, target_offset, source.handle, source_offset, size);
  }
  if (from == MemKind::svm) {
    return copy_svm_and_buffer(order, false, source, source_offset, target.handle, target_offset, size);
  }
  return copy_buffer(order, target.handle, target_offset, source.handle, source_offset, size);
}

Status read(const cl::Order& order, Mem& source, std::size_t offset, const HostTarget& host, std::size_t size,
            bool blocking) {
  CLPOOL_TRY(cl::check_order(order));
  CLPOOL_TRY(require_buffer_or_svm(source));
  CLPOOL_TRY(resolve_size(size, side_of("the memory", source, offset), side_of_host(host.size)));
  if (size == 0) {
    return cl::do_nothing(order);
  }
  if (host.data == nullptr) {
    return fail(Status::invalid_value, "host memory is NULL");
  }
  CLPOOL_TRY(begin_use(order, {&source}));
  if (nature_of(source) == MemKind::svm) {
    return copy_svm(order, blocking, host.data, address(source, offset), size);
  }
  return enqueued(clEnqueueReadBuffer(order.queue, source.handle, blocking ? CL_TRUE : CL_FALSE, offset, size,
                                      host.data, order.wait_count, order.waits, order.event),
                  "clEnqueueReadBuffer", size);
}

Status write(const cl::Order& order, Mem& target, std::size_t offset, const HostSource& host,
             std::size_t size, bool blocking) {
  CLPOOL_TRY(cl::check_order(order));
  CLPOOL_TRY(require_buffer_or_svm(target));
  CLPOOL_TRY(resolve_size(size, side_of("the memory", target, offset), side_of_host(host.size)));
  if (size == 0) {
    return cl::do_nothing(order);
  }
  if (host.data == nullptr) {
    return fail(Status::invalid_value, "host memory is NULL");
  }
  CLPOOL_TRY(begin_use(order, {&target}));
  if (nature_of(target) == MemKind::svm) {
    return copy_svm(order, blocking, address(target, offset), host.data, size);
  }
  return enqueued(clEnqueueWriteBuffer(order.queue, target.handle, blocking ? CL_TRUE : CL_FALSE, offset,
                                       size, host.data, order.wait_count, order.waits, order.event),
                  "clEnqueueWriteBuffer", size);
}

}  // namespace clpool::core
