// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Living handles of a chunk. With the pool's mutex held.
#include "pool/blocks/parts.hpp"

#include <utility>

#include "pool/blocks/pool_block.hpp"

namespace clpool::core {

void Parts::unlink(Part& part) noexcept {
  (part.previous != nullptr ? part.previous->next : oldest_) = part.next;
  (part.next != nullptr ? part.next->previous : newest_) = part.previous;
  --unused_;
  shapes_->remove(part);
}

void Parts::doom(Part& part, DyingParts& dying) noexcept {
  unlink(part);
  part.state = Part::State::dying;
  ++in_work_;
  dying.add(part);
}

void Parts::enlist(Part& part, Part* right) noexcept {
  Part* const left = right != nullptr ? right->left : last_;
  part.left = left;
  part.right = right;
  (left != nullptr ? left->right : first_) = &part;
  (right != nullptr ? right->left : last_) = &part;
}

void Parts::erase(Part& part) noexcept {
  (part.left != nullptr ? part.left->right : first_) = part.right;
  (part.right != nullptr ? part.right->left : last_) = part.left;
  parts_.erase(part.offset);
}

Parts::Claim Parts::claim(PoolChunk& chunk, std::uint64_t offset, std::uint64_t size, bool only_used_once,
                          Part*& part, DyingParts& dying) {
  Part* first = std::exchange(part, nullptr);
  first = first != nullptr ? first : last_;
  while (first != nullptr && first->offset + first->size <= offset) {
    first = first->right;
  }
  while (first != nullptr && first->left != nullptr && first->left->offset + first->left->size > offset) {
    first = first->left;
  }
  if (first != nullptr && first->offset == offset && first->size == size &&
      first->state == Part::State::unused && first->used_once >= only_used_once) {
    part = first;
    unlink(*part);
    part->state = Part::State::used;
    return Claim::ready;
  }
  const std::uint64_t end = offset + size;
  Claim result = Claim::make;
  for (Part* other = first; other != nullptr && other->offset < end; other = other->right) {
    if (other->state == Part::State::dying) {
      result = result == Claim::make ? Claim::wait : result;
    } else {
      doom(*other, dying);
      result = Claim::release;
    }
  }
  if (result == Claim::make) {  // nothing overlaps: `first` is behind
    part = &parts_.try_emplace(offset).first->second;
    enlist(*part, first);
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
  const Part* used = part.left;
  while (used != nullptr && used->state != Part::State::used) {
    used = used->left;
  }
  Block* block = used != nullptr ? used->block : part.chunk->first;
  while (block->offset + block->size <= part.offset) {
    block = block->right;
  }
  return block->free ? block : nullptr;
}

Part* Parts::at(std::uint64_t offset) noexcept {
  const auto it = parts_.find(offset);
  return it != parts_.end() ? &it->second : nullptr;
}

bool Parts::has_unused(std::uint64_t offset, std::uint64_t size, bool only_used_once) const noexcept {
  const auto it = parts_.find(offset);
  return it != parts_.end() && it->second.size == size && it->second.state == Part::State::unused &&
         it->second.used_once >= only_used_once;
}

void Parts::made(Part& part, void* handle, bool used_once) noexcept {
  --in_work_;
  if (handle == nullptr) {
    erase(part);
    return;
  }
  part.handle = handle;
  part.used_once = used_once;
}

std::uint64_t Parts::put_aside(std::uint64_t offset, DyingParts& dying) noexcept {
  Part& part = parts_.find(offset)->second;
  part.state = Part::State::unused;
  part.previous = newest_;
  part.next = nullptr;
  (newest_ != nullptr ? newest_->next : oldest_) = &part;
  newest_ = &part;
  shapes_->insert(part);
  if (++unused_ > most_unused) {
    doom(*oldest_, dying);
  }
  return std::exchange(part.excess, 0);
}

void Parts::put_all(DyingParts& dying) noexcept {
  while (oldest_ != nullptr) {
    doom(*oldest_, dying);
  }
}

void Parts::forget(Part& part) noexcept {
  --in_work_;
  erase(part);
}

std::uint64_t Parts::excess() const noexcept {
  std::uint64_t bytes = 0;
  for (const Part* part = first_; part != nullptr; part = part->right) {
    bytes += part->excess;
  }
  return bytes;
}

const char* Parts::check() const noexcept {
  std::size_t count = 0;
  std::size_t unused = 0;
  const Part* right = nullptr;
  for (const Part* part = last_; part != nullptr; part = part->left) {
    if (part->right != right || ++count > parts_.size()) {
      return "handles are not linked in the order of their addresses";
    }
    if (right != nullptr && part->offset + part->size > right->offset) {
      return "two living handles overlap";
    }
    unused += part->state == Part::State::unused ? 1 : 0;
    right = part;
  }
  if (count != parts_.size() || first_ != right) {
    return "a handle is not linked";
  }
  return unused == unused_ && unused <= most_unused ? nullptr : "unused handles are miscounted";
}

}  // namespace clpool::core
