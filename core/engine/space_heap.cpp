// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The engine over number spaces.
#include "engine/space_heap.hpp"

#include <new>

namespace clpool::core {

Block* SpaceHeap::Ranges::make() {
  if (unused_ == nullptr) {
    return &storage_.emplace_back();
  }
  Block* block = unused_;
  unused_ = block->free_next;
  *block = Block{};
  return block;
}

void SpaceHeap::Ranges::recycle(Block* block) noexcept {
  block->chunk = nullptr;
  block->free_next = unused_;
  unused_ = block;
}

Status SpaceHeap::add_space(std::uint64_t size, std::uint64_t& number) {
  const std::uint64_t usable = size & ~(heap_.granule() - 1);
  if (usable == 0) {
    return fail(Status::invalid_value, "a space of %llu units is smaller than one granule of %llu",
                static_cast<unsigned long long>(size), static_cast<unsigned long long>(heap_.granule()));
  }
  if (usable > UINT64_MAX - heap_.managed_bytes()) {
    return fail(Status::invalid_value,
                "a space of %llu units and the %llu that the heap has would be more than %llu together",
                static_cast<unsigned long long>(size), static_cast<unsigned long long>(heap_.managed_bytes()),
                static_cast<unsigned long long>(UINT64_MAX));
  }
  Space& space = *spaces_.emplace_back(std::make_unique<Space>());
  space.size = usable;
  space.number = spaces_.size() - 1;
  try {
    heap_.add_chunk(space);
  } catch (const std::bad_alloc&) {
    spaces_.pop_back();
    throw;
  }
  number = space.number;
  return Status::success;
}

Status SpaceHeap::remove_space(std::uint64_t number) {
  if (number >= spaces_.size() || spaces_[number] == nullptr) {
    return fail(Status::invalid_value, "there is no space %llu", static_cast<unsigned long long>(number));
  }
  Space& space = *spaces_[number];
  if (!space.first->free || !is_whole_chunk(*space.first)) {
    return fail(Status::invalid_operation, "ranges of space %llu are handed out",
                static_cast<unsigned long long>(number));
  }
  heap_.remove_chunk(space);
  spaces_[number].reset();
  return Status::success;
}

Status SpaceHeap::allocate(std::uint64_t size, Block*& range) {
  const std::uint64_t rounded = heap_.rounded(size);
  if (rounded < size) {
    return fail(Status::invalid_value,
                "a range of %llu units was asked for, which rounding up makes too large",
                static_cast<unsigned long long>(size));
  }
  Block* block = heap_.find(rounded, true);
  if (block == nullptr) {
    return fail(Status::out_of_memory, "a range of %llu units was asked for, the largest free one has %llu",
                static_cast<unsigned long long>(size), static_cast<unsigned long long>(heap_.largest_free()));
  }
  range = heap_.take(*block, rounded);
  ++active_ranges_;
  return Status::success;
}

Status SpaceHeap::free(Block& range) noexcept {
  if (range.chunk == nullptr || range.free) {
    return fail(Status::invalid_operation, "range %p was given back already", static_cast<void*>(&range));
  }
  const auto* const space = static_cast<const Space*>(range.chunk);
  if (space->number >= spaces_.size() || spaces_[space->number].get() != space) {
    return fail(Status::invalid_operation, "range %p is one of another heap", static_cast<void*>(&range));
  }
  heap_.give_back(range, 0);
  --active_ranges_;
  return Status::success;
}

}  // namespace clpool::core
