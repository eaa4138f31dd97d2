// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What allocators that have no queue to free behind answer.
#include "allocator/allocator.hpp"

namespace clpool::core {

Status Allocator::deallocate_on(const Chunk&, const cl::Order&) noexcept {
  return fail(Status::not_supported, "only SVM and page-locked memory can be freed behind commands");
}

}  // namespace clpool::core
