// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The ends of stretches of one stamp, as blocks come and go.
#include "pool/books/held_back.hpp"

namespace clpool::core {

void HeldBack::set_end_behind(PoolBlock* end, PoolBlock* next) noexcept {
  if (end != nullptr) {
    end->attachment = next;
  } else {
    first_end_ = next;
  }
}

PoolBlock* HeldBack::end_before(const PoolBlock* end) const noexcept {
  PoolBlock* before = nullptr;
  for (PoolBlock* next = first_end_; next != end; next = next_end(*next)) {
    before = next;
  }
  return before;
}

HeldBack::Place HeldBack::insert_behind(Place place, PoolBlock& block) noexcept {
  const bool is_last = place.end == last;
  PoolBlock* const next = end_behind(place.end);
  Fifo::insert(block, place.end);
  block.attachment = next;
  if (place.end != nullptr && stamp_of(*place.end) == stamp_of(block)) {
    place.end->attachment = nullptr;
  } else {
    place.before = place.end;
  }
  set_end_behind(place.before, &block);
  if (is_last) {
    former_end_ = place.before;
  } else if (next == last) {
    former_end_ = &block;
  }
  return {place.before, &block};
}

void HeldBack::add_in_order(Fifo<PoolBlock, Mem>& blocks) noexcept {
  Place place;
  while (PoolBlock* const block = blocks.take()) {
    if (!empty() && stamp_of(*last_end()) <= stamp_of(*block)) {
      place = {former_end_, last_end()};
    }
    for (PoolBlock* next = end_behind(place.end); next != nullptr && stamp_of(*next) <= stamp_of(*block);
         next = end_behind(place.end)) {
      place = {place.end, next};
    }
    place = insert_behind(place, *block);
  }
}

PoolBlock* HeldBack::take() noexcept {
  auto* const block = static_cast<PoolBlock*>(first);
  if (block != nullptr) {
    if (block == first_end_) {
      first_end_ = next_end(*block);
      former_end_ = former_end_ != block ? former_end_ : nullptr;
    }
    Fifo::remove(*block, nullptr);
    block->attachment = nullptr;
  }
  return block;
}

void HeldBack::remove(PoolBlock& block, Mem* previous) noexcept {
  if (is_end(block)) {
    auto* const left = static_cast<PoolBlock*>(previous);
    const bool is_alone = left == nullptr || is_end(*left);  // in its stretch, which goes with it
    PoolBlock* const before = is_alone ? left : end_before(&block);
    PoolBlock* const next = next_end(block);
    if (is_alone) {
      set_end_behind(before, next);
    } else {
      left->attachment = next;
      set_end_behind(before, left);
    }
    if (former_end_ == &block) {
      former_end_ = is_alone ? before : left;
    } else if (&block == last && is_alone) {
      former_end_ = end_before(before);
    }
  }
  Fifo::remove(block, previous);
  block.attachment = nullptr;
}

}  // namespace clpool::core
