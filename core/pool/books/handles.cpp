// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Handles of parts of chunks: the place of a living one for a request, and the one that a block gets. With the pool's mutex held.
#include <algorithm>
#include <cstdint>
#include <utility>

#include "pool/books/books.hpp"

namespace clpool::core {
namespace {

/// A request takes a place that is larger than need be, for the handle that is alive there: by so many times its bytes at most, and
/// by one part in so many of what the pool has; all that are in use together by one part in so many.
constexpr std::uint64_t most_times_larger = 3;
constexpr std::uint64_t larger_part = 16384;
constexpr std::uint64_t excess_part = 512;

/// … unless the pool's limit leaves less than one part in so many of what the pool has, or the driver has refused memory.
constexpr std::uint64_t least_room = 32;

/// How often a request tries to make a handle.
constexpr int most_failed_handles = 8;

/// Counts one more time that there was no handle to be had for a request's block.
bool fails_too_often(Request& request) noexcept {
  return ++request.handles_failed > most_failed_handles;
}

}  // namespace

std::uint64_t Books::most_excess(const Request& request) const noexcept {
  // Where room is short each byte may be the one that is missing.
  const bool is_room_short = refusals_ != 0 || room() < managed_bytes() / least_room;
  const std::uint64_t of_all = is_room_short ? 0 : managed_bytes() / excess_part;
  return std::min({most_times_larger * request.rounded, managed_bytes() / larger_part,
                   of_all - std::min(of_all, excess_bytes_)});
}

Block* Books::take_place_of(Part& part, Request& request, const GrowthLimits& limits) {
  Block* const hole = Parts::hole_of(part);
  if (rules_.guarded) {
    part.block = nullptr;  // its descriptor may come to be another pool's
  }
  Block* const block = hole != nullptr ? strategy_->take_at(*hole, part.offset, part.size, limits) : nullptr;
  request.part = block != nullptr ? &part : nullptr;
  return block;
}

Block* Books::take_place(Request& request, const GrowthLimits& limits) {
  constexpr int most_looks = 16;
  constexpr int most_tries = 8;
  const std::uint64_t most = request.rounded + most_excess(request);
  const bool only_used_once = surroundings_.uses_parts_once();
  const std::uint32_t last = shapes_->list_of(most);
  Part* larger = nullptr;
  Part* part = shapes_->first_from(request.rounded);
  for (int looks = 0, tries = 0; part != nullptr && looks < most_looks && part->bin <= last; ++looks) {
    const bool serves = part->used_once >= only_used_once;
    if (serves && part->size == request.rounded) {
      if (Block* const block = take_place_of(*part, request, limits); block != nullptr) {
        return block;
      }
      if (++tries == most_tries) {
        break;
      }
    } else if (serves && larger == nullptr && part->size > request.rounded && part->size <= most) {
      larger = part;
    }
    part = shapes_->next(*part);
  }
  return larger != nullptr ? take_place_of(*larger, request, limits) : nullptr;
}

void Books::take_living_handle(Request& request) noexcept {
  request.part->chunk->parts.take(*request.part);
  use_living_handle(request);
}

void Books::use_living_handle(Request& request) noexcept {
  PoolBlock& block = *request.block;
  Part& part = *std::exchange(request.part, nullptr);
  part.block = &block;
  part.excess = block.Block::size - std::min(block.Block::size, request.rounded);
  excess_bytes_ += part.excess;
  block.part = &part;
  block.handle = static_cast<cl_mem>(part.handle);
}

void Books::lose_block(Request& request) noexcept {
  put_back(*std::exchange(request.block, nullptr), 0);
  note_beginning(request);
}

Part* Books::part_beside(const Block& block) const noexcept {
  if (rules_.guarded) {
    return nullptr;
  }
  // The nearest block that is in use: the neighbour, or, as free ones are never side by side, the next one.
  Block* beside = block.right != nullptr && block.right->free ? block.right->right : block.right;
  if (beside == nullptr) {
    beside = block.left != nullptr && block.left->free ? block.left->left : block.left;
  }
  return beside != nullptr ? part_of(pool_block(*beside)) : pool_chunk(*block.chunk).parts.first();
}

Step::Kind Books::handle_step(Request& request, std::uint64_t& amount) {
  PoolBlock& block = *request.block;
  PoolChunk& chunk = pool_chunk(*block.chunk);
  if (!rules_.has_handles) {
    set_address(block);
    return Step::Kind::done;
  }
  if (block.Block::size == chunk.size) {
    block.handle = buffer_of(chunk.memory);
  }
  if (block.handle != nullptr) {
    return Step::Kind::done;
  }
  if (request.part != nullptr) {
    take_living_handle(request);
    return Step::Kind::done;
  }
  request.part = part_beside(block);
  Parts::Claim claim = Parts::Claim::make;
  try {
    claim = chunk.parts.claim(chunk, block.offset, block.Block::size, surroundings_.uses_parts_once(),
                              request.part, garbage_.parts);
  } catch (...) {
    lose_block(request);
    throw;
  }
  switch (claim) {
    case Parts::Claim::ready:
      use_living_handle(request);
      return Step::Kind::done;
    case Parts::Claim::make:
      request.part->block = &block;
      block.part = request.part;
      return Step::Kind::make_handle;
    case Parts::Claim::release:
      return Step::Kind::release_garbage;
    case Parts::Claim::wait:
      break;
  }
  if (!garbage_.parts.empty()) {
    return Step::Kind::release_garbage;  // it may be among those that nobody has taken yet
  }
  if (request.inside) {
    // It must not wait for a handle that this very thread may be releasing: another place, or none.
    lose_block(request);
    request.stage = std::max(request.stage, place_of(&Books::grow));
    if (fails_too_often(request)) {
      request.failure = Status::out_of_memory;
    }
    return Step::Kind::done;
  }
  amount = UINT64_MAX;
  return Step::Kind::wait;
}

void Books::handle_made(Request& request, cl_mem handle, bool used_once) noexcept {
  Part& part = *std::exchange(request.part, nullptr);
  part.chunk->parts.made(part, handle, used_once);
  request.block->handle = handle;
  ++handles_made_;
}

void Books::handle_failed(Request& request, Status status, cl_int code) noexcept {
  request.code = code;
  Part& part = *std::exchange(request.part, nullptr);
  part.chunk->parts.made(part, nullptr, false);
  lose_block(request);
  request.driver_refused = true;
  ++turn_;
  if (!may_recover(status, code, true) || fails_too_often(request)) {
    request.failure = status;
  }
  // Not to the same place at once, nor for a chunk to be shared: what is left is to make room in the driver.
  request.done |= grown;
  request.stage = std::max(request.stage, place_of(&Books::empty_all_caches));
  request.turn = turn_;
}

}  // namespace clpool::core
