// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The coalescing engine.
#include "engine/heap.hpp"

#include <algorithm>
#include <bit>
#include <initializer_list>

namespace clpool::core {

Heap::Heap(std::uint64_t granule, BlockSource& source)
    : granule_(granule),
      source_(source),
      parts_(static_cast<unsigned>(std::countr_zero(granule))),
      whole_(static_cast<unsigned>(std::countr_zero(granule))) {}

void Heap::mark_free(Block& block) noexcept {
  block.free = true;
  free_bytes_ += block.size;
  used_free_blocks_ += block.virgin ? 0 : 1;
  index_of(block).insert(block);
}

void Heap::unmark_free(Block& block) noexcept {
  index_of(block).remove(block);
  used_free_blocks_ -= block.virgin ? 0 : 1;
  free_bytes_ -= block.size;
  block.free = false;
}

Block* Heap::find(std::uint64_t size, bool exhaustive) const noexcept {
  Block* block = parts_.find(size);
  if (block == nullptr) {
    block = whole_.find(size);
  }
  if (block == nullptr && exhaustive) {
    block = parts_.find(size, true);
  }
  if (block == nullptr && exhaustive) {
    block = whole_.find(size, true);
  }
  return block;
}

Block& Heap::split(Block& block, Block& rest, std::uint64_t size) noexcept {
  rest.chunk = block.chunk;
  rest.offset = block.offset + size;
  rest.size = block.size - size;
  rest.virgin = block.virgin;
  rest.left = &block;
  rest.right = block.right;
  if (rest.right != nullptr) {
    rest.right->left = &rest;
  }
  block.right = &rest;
  block.size = size;
  return rest;
}

Block* Heap::take(Block& block, std::uint64_t size, std::uint64_t skipped) {
  Block* taken = skipped > 0 ? source_.make() : &block;
  Block* rest = nullptr;
  try {
    rest = block.size > skipped + size ? source_.make() : nullptr;
  } catch (...) {
    if (skipped > 0) {
      source_.recycle(taken);
    }
    throw;
  }
  // What stays free is counted already.
  index_of(block).remove(block);
  free_bytes_ -= size;
  if (!block.virgin) {
    used_free_blocks_ += (skipped > 0 ? 1U : 0U) + (rest != nullptr ? 1U : 0U);
    --used_free_blocks_;
  }
  taken->free = false;
  if (skipped > 0) {
    split(block, *taken, skipped);
  }
  if (rest != nullptr) {
    split(*taken, *rest, size).free = true;
    parts_.insert(*rest);
  }
  if (skipped > 0) {
    parts_.insert(block);
  }
  taken->chunk->used += taken->size;
  ++taken->chunk->blocks;
  taken->chunk->squares += square(taken->size);
  return taken;
}

void Heap::merge_with_right(Block& block) noexcept {
  Block& right = *block.right;
  block.virgin = block.virgin && right.virgin;
  block.size += right.size;
  block.right = right.right;
  if (block.right != nullptr) {
    block.right->left = &block;
  }
  source_.recycle(&right);
}

Block* Heap::give_back(Block& block, std::uint64_t stamp) noexcept {
  block.chunk->last_release = std::max(block.chunk->last_release, stamp);
  block.chunk->used -= block.size;
  --block.chunk->blocks;
  block.chunk->squares = block.chunk->blocks != 0 ? block.chunk->squares - square(block.size) : 0;
  Block* merged = &block;
  if (Block* right = block.right; right != nullptr && right->free) {
    unmark_free(*right);
    merge_with_right(block);
  }
  if (Block* left = block.left; left != nullptr && left->free) {
    unmark_free(*left);
    merge_with_right(*left);
    merged = left;
  }
  mark_free(*merged);
  return merged;
}

Block* Heap::add_chunk(HeapChunk& chunk) {
  Block* block = source_.make();
  block->chunk = &chunk;
  block->size = chunk.size;
  block->virgin = true;
  chunk.first = block;
  chunks_.add(chunk);
  mark_free(*block);
  return block;
}

void Heap::remove_chunk(HeapChunk& chunk) noexcept {
  Block* block = chunk.first;
  unmark_free(*block);
  chunks_.remove(chunk);
  chunk.first = nullptr;
  source_.recycle(block);
}

std::uint64_t Heap::largest_free() const noexcept {
  const Block* part = parts_.largest(most_looks_at_largest);
  const Block* whole = whole_.largest(most_looks_at_largest);
  const std::uint64_t part_size = part != nullptr ? part->size : 0;
  const std::uint64_t whole_size = whole != nullptr ? whole->size : 0;
  return std::max(part_size, whole_size);
}

const char* Heap::check() const noexcept {
  std::uint64_t managed = 0;
  std::uint64_t free_bytes = 0;
  std::uint64_t free_blocks = 0;
  std::uint64_t used_free = 0;
  std::uint64_t chunk_count = 0;
  for (const HeapChunk* chunk = chunks_.first; chunk != nullptr; chunk = chunk->next, ++chunk_count) {
    std::uint64_t offset = 0;
    std::uint64_t used = 0;
    const Block* left = nullptr;
    for (const Block* block = chunk->first; block != nullptr; left = block, block = block->right) {
      if (block->chunk != chunk || block->left != left) {
        return "a block's links are wrong";
      }
      if (block->offset != offset || block->size == 0 || block->size > chunk->size) {
        return "blocks overlap or leave a gap";
      }
      if (left != nullptr && left->free && block->free) {
        return "two neighbouring free blocks are not merged";
      }
      if (block->offset % granule_ != 0) {
        return "a block is misaligned";
      }
      offset += block->size;
      free_bytes += block->free ? block->size : 0;
      used += block->free ? 0 : block->size;
      free_blocks += block->free ? 1 : 0;
      used_free += block->free && !block->virgin ? 1 : 0;
    }
    if (offset != chunk->size) {
      return "the blocks of a chunk do not fill it";
    }
    if (used != chunk->used) {
      return "what is used of a chunk is miscounted";
    }
    managed += chunk->size;
  }
  for (const FreeIndex* index : {&parts_, &whole_}) {
    for (const Block* block = index->first(); block != nullptr; block = index->next(*block)) {
      if (!block->free || is_whole_chunk(*block) != (index == &whole_)) {
        return "an index holds a block that does not belong there";
      }
      --free_blocks;
    }
  }
  if (free_blocks != 0) {
    return "a free block is in no index";
  }
  const bool counters_right = managed == chunks_.bytes && free_bytes == free_bytes_ &&
                              used_free == used_free_blocks_ && chunk_count == chunks_.count;
  return counters_right ? nullptr : "a counter differs from a recount";
}

}  // namespace clpool::core
