// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Where a pool's waste is at the moment at which it has the most memory.
#pragma once

#include <clpool/clpool.h>

#include <cstdint>
#include <string>
#include <vector>

namespace clpool::program {

/// A chunk with much free memory that blocks in it keep from being given back.
struct PinnedChunk {
  std::uint64_t bytes = 0;
  std::uint64_t free_bytes = 0;
  std::uint64_t blocks = 0;  ///< that are live in it
  std::uint64_t smallest_block = 0;
  std::uint64_t largest_block = 0;
};

/// All in bytes; taken = requested + rounding + cached + pending + whole + pinned + holes.
struct PeakWaste {
  std::uint64_t event = 0;         ///< number of the log's event, from 0
  std::uint64_t taken = 0;         ///< what the pool has
  std::uint64_t requested = 0;     ///< what the program has live
  std::uint64_t rounding = 0;      ///< blocks beyond what was asked for
  std::uint64_t cached = 0;        ///< kept for the next request of the same size
  std::uint64_t pending = 0;       ///< released, but still in use by queues
  std::uint64_t whole = 0;         ///< chunks without a block
  std::uint64_t pinned = 0;        ///< free in chunks of which more than half is free
  std::uint64_t holes = 0;         ///< free in the other chunks
  std::vector<PinnedChunk> worst;  ///< the chunks with the most free memory, at most three
};

/// Replays the log through a pool that is new. Looking, and what the device does meanwhile, may change a little what is taken.
PeakWaste find_peak_waste(const clpool_trace& trace, clpool_pool* pool);

/// Indented lines for people. `taken_unseen`: what was taken at most while nobody looked.
std::string as_text(const PeakWaste& waste, std::uint64_t taken_unseen);

}  // namespace clpool::program
