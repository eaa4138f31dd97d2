// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Migration between devices and the host, and the copy from device to device of AMD's drivers.
#include <algorithm>
#include <vector>

#include "cl/quirks.hpp"
#include "memory/object.hpp"
#include "memory/range.hpp"
#include "memory/transfer.hpp"

namespace clpool::core {
namespace {

Status migrate_objects(const cl::Order& order, const std::vector<cl_mem>& handles,
                       cl_mem_migration_flags flags, cl_event* event) {
  const cl_int code = clEnqueueMigrateMemObjects(order.queue, static_cast<cl_uint>(handles.size()),
                                                 handles.data(), flags, order.wait_count, order.waits, event);
  return code == CL_SUCCESS ? Status::success
                            : fail_cl(code, "clEnqueueMigrateMemObjects", "%zu objects with flags 0x%llX",
                                      handles.size(), static_cast<unsigned long long>(flags));
}

/// What is to be migrated, by the command that does it.
struct Cargo {
  std::vector<cl_mem> handles;
  std::vector<cl_mem> roots;  ///< of sub-buffers, each once
  std::vector<const void*> pointers;
  std::vector<std::size_t> sizes;
  bool empty() const noexcept { return handles.empty() && roots.empty() && pointers.empty(); }
};

Status load(const Mem& mem, Cargo& cargo) {
  CLPOOL_TRY(require_live(mem));
  if (mem.handle == nullptr) {
    if (nature_of(mem) != MemKind::svm) {
      return fail(Status::invalid_operation, "%s cannot be migrated", kind_name(nature_of(mem)));
    }
    if (mem.size == whole_size) {
      return fail(Status::invalid_value, "SVM of unknown size at %p cannot be migrated", mem.pointer);
    }
    if (mem.size == 0) {  // to the driver, 0 means the whole allocation around it
      return Status::success;
    }
    cargo.pointers.push_back(mem.pointer);
    cargo.sizes.push_back(mem.size);
    return Status::success;
  }
  // NVIDIA's driver crashes on sub-buffers, PoCL's had its bugs with them: their root is migrated,
  // whose other parts keep their content. So does one of which a guarded pool looks at the rounding bytes.
  cl_mem root = nullptr;
  std::size_t offset = 0;
  CLPOOL_TRY(mem.owner->root_of(mem, root, offset));
  if (root == mem.handle && !mem.owner->keeps_rounding_bytes(mem)) {
    cargo.handles.push_back(root);
  } else if (std::find(cargo.roots.begin(), cargo.roots.end(), root) == cargo.roots.end()) {
    cargo.roots.push_back(root);
  }
  return Status::success;
}

/// Whether the queue's device can migrate it, and whether that takes a command.
Status check_queue(cl_command_queue queue, const Cargo& cargo, bool& is_command) {
  if (!cargo.handles.empty() || !cargo.roots.empty()) {
    CLPOOL_TRY(cl::require_queue_version(queue, {1, 2}, "migrating buffers and images"));
  }
  if (!cargo.pointers.empty()) {
    CLPOOL_TRY(cl::require_queue_version(queue, {2, 1}, "migrating SVM"));
  }
  if (!cargo.empty()) {
    cl_device_id device = nullptr;
    CLPOOL_TRY(cl::queue_device(queue, device));
    bool breaks = false;
    CLPOOL_TRY(cl::breaks_at_migrations(device, breaks));
    is_command = !breaks;
  }
  return Status::success;
}

Status migrate_svm(const cl::Order& order, Cargo& cargo, cl_mem_migration_flags flags, cl_event* event) {
  const cl_int code =
      clEnqueueSVMMigrateMem(order.queue, static_cast<cl_uint>(cargo.pointers.size()), cargo.pointers.data(),
                             cargo.sizes.data(), flags, order.wait_count, order.waits, event);
  return code == CL_SUCCESS ? Status::success
                            : fail_cl(code, "clEnqueueSVMMigrateMem", "%zu pieces with flags 0x%llX",
                                      cargo.pointers.size(), static_cast<unsigned long long>(flags));
}

#define CLPOOL_P2P_COPY "clEnqueueCopyBufferP2PAMD"
using CopyP2p = cl_int(CL_API_CALL*)(cl_command_queue, cl_mem, cl_mem, std::size_t, std::size_t, std::size_t,
                                     cl_uint, const cl_event*, cl_event*);

Status find_copy_p2p(cl_command_queue queue, CopyP2p& function) {
  cl_device_id device = nullptr;
  CLPOOL_TRY(cl::queue_device(queue, device));
  cl_platform_id platform = nullptr;
  CLPOOL_TRY(cl::query(device, CL_DEVICE_PLATFORM, platform));
  bool has_it = false;
  CLPOOL_TRY(cl::has_extension(device, "cl_amd_copy_buffer_p2p", has_it));
  if (has_it) {
    CLPOOL_TRY(cl::require_version(device, {1, 2}, CLPOOL_P2P_COPY));
    function = reinterpret_cast<CopyP2p>(clGetExtensionFunctionAddressForPlatform(platform, CLPOOL_P2P_COPY));
  }
  return function != nullptr ? Status::success
                             : fail(Status::not_supported,
                                    "copying between contexts needs " CLPOOL_P2P_COPY
                                    " of the extension cl_amd_copy_buffer_p2p, which the device lacks");
}

/// Tells the owner of what is of the queue's context. For the other side nothing can wait for a command of here.
Status begin_use_here(const cl::Order& order, Mem& target, Mem& source) {
  cl_context here = nullptr;
  CLPOOL_TRY(cl::query(order.queue, CL_QUEUE_CONTEXT, here));
  if (target.owner->context_of(target) == here) {
    CLPOOL_TRY(begin_use(order, {&target}));
  } else {
    CLPOOL_TRY(cl::require_context(order.queue, source.owner->context_of(source)));
  }
  return source.owner->context_of(source) == here ? begin_use(order, {&source}) : Status::success;
}

}  // namespace

Status migrate(const cl::Order& order, Mem* const* mems, std::size_t count, cl_mem_migration_flags flags) {
  CLPOOL_TRY(cl::check_order(order));
  Cargo cargo;
  for (std::size_t i = 0; i < count; ++i) {
    if (mems[i] == nullptr) {
      return fail(Status::invalid_value, "memory %zu of %zu is NULL", i, count);
    }
    CLPOOL_TRY(load(*mems[i], cargo));
  }
  bool is_command = false;
  CLPOOL_TRY(check_queue(order.queue, cargo, is_command));
  for (std::size_t i = 0; i < count && !cargo.empty(); ++i) {
    CLPOOL_TRY(begin_use(order, {mems[i]}));
  }
  if (!is_command) {
    return cl::do_nothing(order);
  }
  cl::Batch batch(order);
  if (!cargo.handles.empty()) {
    CLPOOL_TRY(migrate_objects(order, cargo.handles, flags, batch.next()));
  }
  if (!cargo.roots.empty()) {
    constexpr cl_mem_migration_flags undefined = CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
    CLPOOL_TRY(migrate_objects(order, cargo.roots, flags & ~undefined, batch.next()));
  }
  if (!cargo.pointers.empty()) {
    CLPOOL_TRY(migrate_svm(order, cargo, flags, batch.next()));
  }
  return batch.finish();
}

Status copy_p2p(const cl::Order& order, Mem& target, std::size_t target_offset, Mem& source,
                std::size_t source_offset, std::size_t size) {
  CLPOOL_TRY(cl::check_order(order));
  CLPOOL_TRY(require_buffer(target));
  CLPOOL_TRY(require_buffer(source));
  CLPOOL_TRY(resolve_size(size, side_of("the target", target, target_offset),
                          side_of("the source", source, source_offset)));
  CopyP2p enqueue = nullptr;
  CLPOOL_TRY(find_copy_p2p(order.queue, enqueue));
  if (size == 0) {
    return cl::do_nothing(order);
  }
  CLPOOL_TRY(begin_use_here(order, target, source));
  // NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): find_copy_p2p() fails where there is none
  const cl_int code = enqueue(order.queue, source.handle, target.handle, source_offset, target_offset, size,
                              order.wait_count, order.waits, order.event);
  return code == CL_SUCCESS ? Status::success : fail_cl(code, CLPOOL_P2P_COPY, "%zu bytes", size);
}

}  // namespace clpool::core
