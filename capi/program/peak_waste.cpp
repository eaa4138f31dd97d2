// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Replays a log by hand, and counts what a pool shows of itself.
#include "peak_waste.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "failure.hpp"
#include "units.hpp"

namespace clpool::program {
namespace {

/// The blocks of a log that are live, released at the end.
class Blocks {
 public:
  explicit Blocks(std::uint64_t count) : blocks_(count) {}
  Blocks(const Blocks&) = delete;
  Blocks& operator=(const Blocks&) = delete;
  ~Blocks() {
    for (clpool_mem* const block : blocks_) {
      clpool_mem_release(block);
    }
  }
  void allocate(std::uint64_t slot, clpool_pool* pool, std::uint64_t size) {
    clpool_pool_allocate(pool, size, &blocks_[slot]);  // null if there is no memory: the replay has said so
  }
  void release(std::uint64_t slot) {
    clpool_mem_release(blocks_[slot]);
    blocks_[slot] = nullptr;
  }

 private:
  std::vector<clpool_mem*> blocks_;
};

clpool_trace_stats statistics_of(const clpool_trace& trace) {
  clpool_trace_stats stats = CLPOOL_TRACE_STATS_INIT;
  check(clpool_trace_statistics(&trace, &stats));
  return stats;
}

/// Replays the events, and calls `look` with the number of each that has allocated.
template <typename Look>
void replay_with(const clpool_trace& trace, clpool_pool* pool, Look&& look) {
  const clpool_trace_stats stats = statistics_of(trace);
  Blocks blocks(stats.peak_live_blocks);
  for (std::uint64_t i = 0; i < stats.events; ++i) {
    clpool_trace_event event = CLPOOL_TRACE_EVENT_INIT;
    check(clpool_trace_event_at(&trace, i, &event));
    if (event.slot == CLPOOL_TRACE_NO_SLOT) {
      continue;
    }
    if (event.action == CLPOOL_TRACE_ALLOCATE) {
      blocks.allocate(event.slot, pool, event.size);
      look(i);
    } else {
      blocks.release(event.slot);
    }
  }
}

/// Counts stretch by stretch.
struct Census {
  PeakWaste waste;
  PinnedChunk chunk;
  std::uint64_t number = std::numeric_limits<std::uint64_t>::max();

  static std::int32_t visit(void* user, const clpool_pool_stretch* stretch) {
    static_cast<Census*>(user)->count(*stretch);
    return 0;
  }
  void count(const clpool_pool_stretch& stretch) {
    if (stretch.chunk != number) {
      end_chunk();
      number = stretch.chunk;
    }
    chunk.bytes += stretch.size;
    switch (stretch.state) {
      case CLPOOL_STRETCH_FREE:
        chunk.free_bytes += stretch.size;
        return;
      case CLPOOL_STRETCH_CACHED:
        waste.cached += stretch.size;
        break;
      case CLPOOL_STRETCH_PENDING:
        waste.pending += stretch.size;
        break;
      default:
        waste.requested += stretch.requested;
        waste.rounding += stretch.size - stretch.requested;
    }
    chunk.smallest_block = chunk.blocks == 0 ? stretch.size : std::min(chunk.smallest_block, stretch.size);
    chunk.largest_block = std::max(chunk.largest_block, stretch.size);
    ++chunk.blocks;
  }
  void end_chunk() {
    waste.taken += chunk.bytes;
    const bool is_pinned = chunk.free_bytes > chunk.bytes / 2;
    (chunk.blocks == 0 ? waste.whole : is_pinned ? waste.pinned : waste.holes) += chunk.free_bytes;
    if (chunk.blocks != 0 && chunk.free_bytes != 0) {
      waste.worst.push_back(chunk);
    }
    chunk = {};
  }
};

PeakWaste waste_of(clpool_pool* pool) {
  Census census;
  check(clpool_pool_visit(pool, &Census::visit, &census));
  census.end_chunk();
  std::vector<PinnedChunk>& worst = census.waste.worst;
  constexpr std::size_t most_chunks = 3;
  std::sort(worst.begin(), worst.end(),
            [](const PinnedChunk& a, const PinnedChunk& b) { return a.free_bytes > b.free_bytes; });
  worst.resize(std::min(worst.size(), most_chunks));
  return std::move(census.waste);
}

}  // namespace

PeakWaste find_peak_waste(const clpool_trace& trace, clpool_pool* pool) {
  PeakWaste found;
  std::uint64_t peak = 0;
  replay_with(trace, pool, [&](std::uint64_t event) {
    clpool_pool_stats stats = CLPOOL_POOL_STATS_INIT;
    check(clpool_pool_statistics(pool, &stats));
    if (stats.peak_managed_bytes > peak) {  // with few events, as each of these takes a chunk
      peak = stats.peak_managed_bytes;
      found = waste_of(pool);
      found.event = event;
    }
  });
  return found;
}

std::string as_text(const PeakWaste& waste, std::uint64_t taken_unseen) {
  const auto share = [&](std::uint64_t bytes) {
    return waste.taken == 0 ? 0.0 : 100.0 * static_cast<double>(bytes) / static_cast<double>(waste.taken);
  };
  std::string text = fmt::format(
      "  at its largest,{} after event {}: {} taken; {:.1f} % live, {:.1f} % rounding, {:.1f} % in caches, "
      "{:.1f} % in whole chunks, {:.1f} % free in chunks that are pinned, {:.1f} % in other holes\n",
      waste.taken == taken_unseen ? "" : " in a second replay that looks,", human_count(waste.event),
      human_bytes(waste.taken), share(waste.requested), share(waste.rounding), share(waste.cached),
      share(waste.whole), share(waste.pinned), share(waste.holes));
  if (waste.pending != 0) {  // guarded pools let blocks rest
    text += fmt::format("    {:.1f} % released, but resting or in use\n", share(waste.pending));
  }
  for (const PinnedChunk& chunk : waste.worst) {
    text +=
        fmt::format("    {} free of {}, pinned by {} of {}", human_bytes(chunk.free_bytes),
                    human_bytes(chunk.bytes), human_count(chunk.blocks), human_bytes(chunk.smallest_block));
    text += chunk.blocks > 1 ? fmt::format(" to {}\n", human_bytes(chunk.largest_block)) : "\n";
  }
  return text;
}

}  // namespace clpool::program
