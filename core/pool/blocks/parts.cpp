// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Living handles of a chunk. With the pool's mutex held.
#include "pool/blocks/parts.hpp"

#include <utility>

#include "pool/blocks/pool_block.hpp"

namespace clpool::core {
namespace {

/// Unused, and of just that shape.
bool serves(const Part& part, std::uint64_t offset, std::uint64_t size, bool only_used_once) noexcept {
  return part.offset == offset && part.size == size && part.state == Part::State::unused &&
         part.used_once >= only_used_once;
}

}  // namespace

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
  ++alive_;
}

void Parts::erase(Part& part) noexcept {
  (part.left != nullptr ? part.left->right : first_) = part.right;
  (part.right != nullptr ? part.right->left : last_) = part.left;
  recent_ = recent_ == &part ? part.left : recent_;
  --alive_;
  shapes_->records.give_back(part);
}

Part* Parts::first_beyond(Part* from, std::uint64_t offset) const noexcept {
  Part* first = from != nullptr ? from : recent_ != nullptr ? recent_ : last_;
  while (first != nullptr && first->offset + first->size <= offset) {
    first = first->right;
  }
  while (first != nullptr && first->left != nullptr && first->left->offset + first->left->size > offset) {
    first = first->left;
  }
  recent_ = first;
  return first;
}

Parts::Claim Parts::claim(PoolChunk& chunk, std::uint64_t offset, std::uint64_t size, bool only_used_once,
                          Part*& part, DyingParts& dying) {
  Part* const first = first_beyond(std::exchange(part, nullptr), offset);
  if (first != nullptr && serves(*first, offset, size, only_used_once)) {
    part = first;
    take(*part);
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
    part = &shapes_->records.take();
    *part = {};
    enlist(*part, first);
    part->chunk = &chunk;
    part->offset = offset;
    part->size = size;
    ++in_work_;
  }
  return result;
}

Block* Parts::hole_of(Part& part) noexcept {
  // Mostly it still lies where it was. A descriptor that no block has is not free.
  if (Block* const before = part.block; before != nullptr && before->free && before->chunk == part.chunk &&
                                        before->offset <= part.offset &&
                                        before->offset + before->size >= part.offset + part.size) {
    return before;
  }
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
  part.block = block->free ? block : nullptr;
  return part.block;
}

Part* Parts::at(std::uint64_t offset) const noexcept {
  Part* const part = first_beyond(nullptr, offset);
  return part != nullptr && part->offset == offset ? part : nullptr;
}

bool Parts::has_unused(Part* from, std::uint64_t offset, std::uint64_t size,
                       bool only_used_once) const noexcept {
  const Part* const part = first_beyond(from, offset);
  return part != nullptr && serves(*part, offset, size, only_used_once);
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

std::uint64_t Parts::put_aside(Part& part, DyingParts& dying) noexcept {
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
    if (part->right != right || ++count > alive_) {
      return "handles are not linked in the order of their addresses";
    }
    if (right != nullptr && part->offset + part->size > right->offset) {
      return "two living handles overlap";
    }
    unused += part->state == Part::State::unused ? 1 : 0;
    right = part;
  }
  if (count != alive_ || first_ != right) {
    return "a handle is not linked";
  }
  return unused == unused_ && unused <= most_unused ? nullptr : "unused handles are miscounted";
}

}  // namespace clpool::core
