// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Descriptors over plain OpenCL objects, their parents and their way back.
#include "memory/object.hpp"

#include <utility>

#include "base/given_back.hpp"
#include "base/recycler.hpp"
#include "cl/info.hpp"

namespace clpool::core {
namespace {

constinit Recycler<ObjectMem> spare_objects;

class ObjectOwner final : public MemOwner {
 public:
  constexpr ObjectOwner() = default;

  // Parts of parts may be a long chain: one after the other, and not each within the call for the one before.

  Status take_back(Mem& mem) noexcept override {
    const NoteGivenBack note;
    Mem* parent = end(static_cast<ObjectMem&>(mem));
    while (parent != nullptr && parent->owner == this) {
      parent = let_go_of_mem(*parent) ? end(static_cast<ObjectMem&>(*parent)) : nullptr;
    }
    if (parent == nullptr || !let_go_of_mem(*parent)) {
      return Status::success;
    }
    return parent->owner->take_back(*parent);
  }

  Status begin_use(Mem& mem, cl_command_queue queue) noexcept override {
    Mem& whole = whole_of(mem);
    if (whole.owner != this) {
      return whole.owner->begin_use(whole, queue);
    }
    const auto& object = static_cast<const ObjectMem&>(whole);
    return object.of_any_context ? Status::success : cl::require_context(queue, object.context.get());
  }

  void note_put_off_use(Mem& mem) noexcept override {
    if (Mem& whole = whole_of(mem); whole.owner != this) {
      whole.owner->note_put_off_use(whole);
    }
  }

  cl_context context_of(const Mem& mem) const noexcept override {
    return static_cast<const ObjectMem&>(mem).context.get();
  }

  Status root_of(const Mem& mem, cl_mem& root, std::size_t& offset) const noexcept override {
    CLPOOL_TRY(require_handle(mem));
    std::size_t origin = 0;
    const Mem* part = &mem;
    while (part->owner == this && part->kind == MemKind::sub_region) {
      const auto& object = static_cast<const ObjectMem&>(*part);
      if (object.parent == nullptr) {  // wrapped
        CLPOOL_TRY(cl::query(part->handle, CL_MEM_ASSOCIATED_MEMOBJECT, root));
        CLPOOL_TRY(cl::query(part->handle, CL_MEM_OFFSET, offset));
        offset += origin;
        return Status::success;
      }
      origin += object.origin;
      part = object.parent;
    }
    root = part->handle;
    offset = 0;
    if (part->owner != this) {
      CLPOOL_TRY(part->owner->root_of(*part, root, offset));
    }
    offset += origin;
    return Status::success;
  }

 private:
  /// Gives back all but the parent, which is returned.
  static Mem* end(ObjectMem& object) noexcept {
    cl::Memory handle = cl::Memory::adopt(object.handle);
    const cl::Context context = std::move(object.context);
    Mem* const parent = std::exchange(object.parent, nullptr);
    clear_mem(object);
    spare_objects.give_back(object);
    handle.reset();  // before the parent, which may be the memory behind it
    return parent;
  }

  /// The last of the parents.
  Mem& whole_of(Mem& mem) const noexcept {
    Mem* whole = &mem;
    while (whole->owner == this && static_cast<ObjectMem*>(whole)->parent != nullptr) {
      whole = static_cast<ObjectMem*>(whole)->parent;
    }
    return *whole;
  }
};

constinit ObjectOwner owner;

Status kind_of(cl_mem handle, MemKind& kind) noexcept {
  cl_mem_object_type type = 0;
  CLPOOL_TRY(cl::query(handle, CL_MEM_TYPE, type));
  if (type == CL_MEM_OBJECT_PIPE) {
    kind = MemKind::pipe;
    return Status::success;
  }
  if (type != CL_MEM_OBJECT_BUFFER) {
    kind = MemKind::image;
    return Status::success;
  }
  cl_mem parent = nullptr;
  CLPOOL_TRY(cl::query(handle, CL_MEM_ASSOCIATED_MEMOBJECT, parent));
  kind = parent != nullptr ? MemKind::sub_region : MemKind::buffer;
  return Status::success;
}

}  // namespace

Status make_object(ObjectParts&& parts, Mem*& result) {
  cl::Context context;
  if (parts.context != nullptr) {
    CLPOOL_TRY(cl::Context::share(parts.context, context));
  }
  ObjectMem& mem = spare_objects.take();
  if (parts.parent != nullptr) {
    if (const Status status = keep_mem(*parts.parent); status != Status::success) {
      spare_objects.give_back(mem);
      return status;
    }
  }
  mem.owner = &owner;
  mem.size = parts.size;
  mem.capacity = parts.size;
  mem.handle = parts.handle.detach();
  mem.pointer = parts.pointer;
  mem.kind = parts.kind;
  mem.nature = parts.nature;
  mem.parent = parts.parent;
  mem.origin = parts.origin;
  mem.context = std::move(context);
  mem.of_any_context = parts.of_any_context;
  mem.references.store(1, std::memory_order_relaxed);
  mem.made_in = static_cast<std::uint8_t>(process_generation());
  mem.state = MemState::live;
  result = &mem;
  return Status::success;
}

Status wrap_object(cl_mem handle, bool retain, Mem*& result) {
  ObjectParts parts;
  CLPOOL_TRY(kind_of(handle, parts.kind));
  CLPOOL_TRY(cl::query(handle, CL_MEM_SIZE, parts.size));
  CLPOOL_TRY(cl::query(handle, CL_MEM_CONTEXT, parts.context));
  CLPOOL_TRY(cl::Memory::share(handle, parts.handle));
  const Status status = make_object(std::move(parts), result);
  if (status == Status::success && !retain) {
    cl::Memory::adopt(handle);  // the caller's reference, now that ours is safe
  }
  return status;
}

MemKind nature_of(const Mem& mem) noexcept {
  return mem.kind == MemKind::sub_region ? static_cast<const ObjectMem&>(mem).nature : mem.kind;
}

Status begin_use(const cl::Order& order, std::initializer_list<Mem*> mems) noexcept {
  for (Mem* mem : mems) {
    CLPOOL_TRY(mem->owner->begin_use(*mem, order.queue));
  }
  return Status::success;
}

Status require_buffer(const Mem& mem) noexcept {
  CLPOOL_TRY(require_live(mem));
  return nature_of(mem) == MemKind::buffer
             ? Status::success
             : fail(Status::invalid_operation, "a buffer is needed, this is %s", kind_name(nature_of(mem)));
}

Status require_buffer_or_svm(const Mem& mem) noexcept {
  CLPOOL_TRY(require_live(mem));
  const MemKind nature = nature_of(mem);
  return nature == MemKind::buffer || nature == MemKind::svm
             ? Status::success
             : fail(Status::invalid_operation, "a buffer or SVM is needed, this is %s", kind_name(nature));
}

Status require_image(const Mem& mem) noexcept {
  CLPOOL_TRY(require_live(mem));
  return mem.kind == MemKind::image
             ? Status::success
             : fail(Status::invalid_operation, "an image is needed, this is %s", kind_name(nature_of(mem)));
}

}  // namespace clpool::core
