// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The binned strategy.
#include "engine/binned.hpp"

#include <algorithm>
#include <utility>

namespace clpool::core {

std::uint64_t Binned::bin_for_block(std::uint64_t size) const noexcept {
  const std::uint64_t bin = bin_number(size, bits_);
  return bin_alloc_size(bin, bits_) > size ? bin - 1 : bin;
}

void Binned::push(Block& block) noexcept {
  Block*& head = bins_.find(bin_for_block(block.size))->second;
  block.free_previous = nullptr;
  block.free_next = head;
  if (head != nullptr) {
    head->free_previous = &block;
  }
  head = &block;
  block.free = true;
  free_bytes_ += block.size;
  ++free_blocks_;
}

Block* Binned::unlink(Block& block) noexcept {
  (block.free_previous != nullptr ? block.free_previous->free_next
                                  : bins_.find(bin_for_block(block.size))->second) = block.free_next;
  if (block.free_next != nullptr) {
    block.free_next->free_previous = block.free_previous;
  }
  block.free = false;
  free_bytes_ -= block.size;
  --free_blocks_;
  return &block;
}

Block* Binned::find(std::uint64_t rounded) const noexcept {
  // An exact size is found where its blocks are kept, beside smaller ones.
  const auto bin = bins_.find(bin_for_block(rounded));
  return bin != bins_.end() && bin->second != nullptr && bin->second->size >= rounded ? bin->second : nullptr;
}

Block* Binned::take(Block& found, std::uint64_t) {
  return unlink(found);
}

Block* Binned::take_any(std::uint64_t size) {
  // Bins above the request's hold blocks that are large enough; the one below may, if sizes were exact.
  const std::uint64_t own = bin_number(size, bits_);
  for (auto bin = bins_.lower_bound(own > 0 ? own - 1 : own); bin != bins_.end(); ++bin) {
    if (bin->second != nullptr && bin->second->size >= size) {
      return unlink(*bin->second);
    }
  }
  return nullptr;
}

Growth Binned::plan_growth(std::uint64_t rounded, const GrowthLimits&, const IsIdle&) {
  return {.chunk_bytes = rounded, .released = {}};
}

Block* Binned::add_chunk(HeapChunk& chunk, std::uint64_t) {
  bins_.try_emplace(bin_for_block(chunk.size), nullptr);
  Block* block = source_.make();
  block->chunk = &chunk;
  block->size = chunk.size;
  chunk.first = block;
  chunks_.add(chunk);
  return block;
}

HeapChunk* Binned::give_back(Block& block, std::uint64_t stamp) noexcept {
  block.chunk->last_release = std::max(block.chunk->last_release, stamp);
  push(block);
  return block.chunk;
}

void Binned::remove_chunk(HeapChunk& chunk) noexcept {
  chunks_.remove(chunk);
  source_.recycle(unlink(*std::exchange(chunk.first, nullptr)));
}

HeapChunk* Binned::next_smaller_chunk(const HeapChunk* chunk) const noexcept {
  if (chunk != nullptr && chunk->first->free_next != nullptr) {
    return chunk->first->free_next->chunk;
  }
  auto bin = chunk != nullptr ? bins_.find(bin_for_block(chunk->size)) : bins_.end();
  while (bin != bins_.begin()) {
    if ((--bin)->second != nullptr) {
      return bin->second->chunk;
    }
  }
  return nullptr;
}

HeapChunk* Binned::next_free_chunk() const noexcept {
  const auto bin =
      std::find_if(bins_.begin(), bins_.end(), [](const auto& entry) { return entry.second != nullptr; });
  return bin != bins_.end() ? bin->second->chunk : nullptr;
}

std::uint64_t Binned::largest_free() const noexcept {
  const HeapChunk* chunk = next_smaller_chunk(nullptr);
  std::uint64_t largest = 0;
  const Block* block = chunk != nullptr ? chunk->first : nullptr;
  for (std::uint32_t looks = most_looks_at_largest; block != nullptr && looks > 0; --looks) {
    largest = std::max(largest, block->size);
    block = block->free_next;
  }
  return largest;
}

const char* Binned::check() const noexcept {
  std::uint64_t managed = 0;
  std::uint64_t chunk_count = 0;
  for (const HeapChunk* chunk = chunks_.first; chunk != nullptr; chunk = chunk->next, ++chunk_count) {
    if (chunk->first == nullptr || chunk->first->size != chunk->size || !is_whole_chunk(*chunk->first)) {
      return "a chunk is not one block";
    }
    managed += chunk->size;
  }
  std::uint64_t free_bytes = 0;
  std::uint64_t free_blocks = 0;
  for (const auto& [bin, head] : bins_) {
    for (const Block* block = head; block != nullptr; block = block->free_next, ++free_blocks) {
      if (!block->free || bin_for_block(block->size) != bin) {
        return "a bin holds a block that does not belong there";
      }
      free_bytes += block->size;
    }
  }
  const bool counters_right = managed == chunks_.bytes && chunk_count == chunks_.count &&
                              free_bytes == free_bytes_ && free_blocks == free_blocks_;
  return counters_right ? nullptr : "a counter differs from a recount";
}

}  // namespace clpool::core
