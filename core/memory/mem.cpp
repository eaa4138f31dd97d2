// Reference counting of memory descriptors.
#include "memory/mem.hpp"

namespace clpool {

void clear_mem(Mem& mem) noexcept {
  mem.state = MemState::released;
  mem.references.store(0, std::memory_order_relaxed);
  mem.owner = nullptr;
  mem.handle = nullptr;
  mem.pointer = nullptr;
  mem.size = 0;
  mem.capacity = 0;
}

Status require_handle(const Mem& mem) noexcept {
  return mem.handle != nullptr
             ? Status::success
             : fail(Status::invalid_operation, "memory %p has no cl_mem", static_cast<const void*>(&mem));
}

Status release_mem(Mem& mem) noexcept {
  if (mem.state != MemState::live) {
    return fail(Status::invalid_operation, "memory %p was released already", static_cast<void*>(&mem));
  }
  // A count of one cannot change under us: whoever could raise it would need a reference of their own.
  if (mem.references.load(std::memory_order_acquire) != 1 &&
      mem.references.fetch_sub(1, std::memory_order_acq_rel) != 1) {
    return Status::success;
  }
  return mem.owner->take_back(mem);
}

Status retain_mem(Mem& mem) noexcept {
  if (mem.state != MemState::live) {
    return fail(Status::invalid_operation, "memory %p was released already", static_cast<void*>(&mem));
  }
  mem.references.fetch_add(1, std::memory_order_relaxed);
  return Status::success;
}

}  // namespace clpool
