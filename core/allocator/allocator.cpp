// What allocators that have no queue to free behind answer.
#include "allocator/allocator.hpp"

namespace clpool::core {

Status Allocator::deallocate_on(const Chunk&, const cl::Order&) noexcept {
  return fail(Status::not_supported, "only SVM can be freed behind the commands of a queue");
}

}  // namespace clpool::core
