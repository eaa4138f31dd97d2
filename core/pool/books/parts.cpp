// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Living handles of a chunk. With the pool's mutex held.
#include "pool/books/parts.hpp"

#include "pool/pool_block.hpp"

namespace clpool::core {

void Parts::unlink(Part& part) noexcept {
  (part.previous != nullptr ? part.previous->next : oldest_) = part.next;
  (part.next != nullptr ? part.next->previous : newest_) = part.previous;
  --unused_;
  if (shapes_ != nullptr) {
    shapes_->remove(part);
  }
}

void Parts::doom(Part& part, DyingParts& dying) noexcept {
  unlink(part);
  part.state = Part::State::dying;
  ++in_work_;
  dying.add(part);
}

Parts::Claim Parts::claim(PoolChunk& chunk, std::uint64_t offset, std::uint64_t size, bool only_used_once,
                          Part*& part, DyingParts& dying) {
  auto first = parts_.upper_bound(offset);
  if (first != parts_.begin()) {
    const auto before = std::prev(first);
    first = before->first + before->second.size > offset ? before : first;
  }
  if (first != parts_.end() && first->first == offset && first->second.size == size &&
      first->second.state == Part::State::unused && first->second.used_once >= only_used_once) {
    part = &first->second;
    unlink(*part);
    part->state = Part::State::used;
    return Claim::ready;
  }
  const std::uint64_t end = offset + size;
  Claim result = Claim::make;
  for (auto it = first; it != parts_.end() && it->first < end; ++it) {
    if (it->second.state == Part::State::dying) {
      result = result == Claim::make ? Claim::wait : result;
    } else {
      doom(it->second, dying);
      result = Claim::release;
    }
  }
  if (result == Claim::make) {
    part = &parts_.try_emplace(offset).first->second;
    part->chunk = &chunk;
    part->offset = offset;
    part->size = size;
    ++in_work_;
  }
  return result;
}

Block* Parts::hole_of(const Part& part) const noexcept {
  // Blocks have no index by address, but the used handle to the left has its block, and there are few unused
  // ones in between.
  Block* block = part.chunk->first;
  for (auto it = parts_.find(part.offset); it != parts_.begin();) {
    if ((--it)->second.state == Part::State::used) {
      block = it->second.block;
      break;
    }
  }
  while (block->offset + block->size <= part.offset) {
    block = block->right;
  }
  return block->free ? block : nullptr;
}

bool Parts::has_unused(std::uint64_t offset, std::uint64_t size, bool only_used_once) const noexcept {
  const auto it = parts_.find(offset);
  return it != parts_.end() && it->second.size == size && it->second.state == Part::State::unused &&
         it->second.used_once >= only_used_once;
}

void Parts::made(Part& part, void* handle, bool used_once) noexcept {
  --in_work_;
  if (handle == nullptr) {
    parts_.erase(part.offset);
    return;
  }
  part.handle = handle;
  part.used_once = used_once;
}

void Parts::put_aside(std::uint64_t offset, DyingParts& dying) noexcept {
  Part& part = parts_.find(offset)->second;
  part.state = Part::State::unused;
  part.previous = newest_;
  part.next = nullptr;
  (newest_ != nullptr ? newest_->next : oldest_) = &part;
  newest_ = &part;
  if (shapes_ != nullptr) {
    shapes_->enter(part);
  }
  if (++unused_ > most_unused) {
    doom(*oldest_, dying);
  }
}

void Parts::put_all(DyingParts& dying) noexcept {
  while (oldest_ != nullptr) {
    doom(*oldest_, dying);
  }
}

void Parts::forget(Part& part) noexcept {
  --in_work_;
  parts_.erase(part.offset);
}

const char* Parts::check() const noexcept {
  std::uint64_t end = 0;
  std::size_t unused = 0;
  for (const auto& [offset, part] : parts_) {
    if (offset < end) {
      return "two living handles overlap";
    }
    end = offset + part.size;
    unused += part.state == Part::State::unused ? 1 : 0;
  }
  return unused == unused_ && unused <= most_unused ? nullptr : "unused handles are miscounted";
}

}  // namespace clpool::core
