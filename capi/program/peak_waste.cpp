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

/// Replays the events from the first one until `look` returns false after one.
template <typename Look>
void replay_while(const clpool_trace& trace, clpool_pool* pool, Look&& look) {
  const clpool_trace_stats stats = statistics_of(trace);
  Blocks blocks(stats.peak_live_blocks);
  for (std::uint64_t i = 0; i < stats.events; ++i) {
    clpool_trace_event event = CLPOOL_TRACE_EVENT_INIT;
    check(clpool_trace_event_at(&trace, i, &event));
    if (event.slot == CLPOOL_TRACE_NO_SLOT) {
      continue;
    }
    if (event.action != CLPOOL_TRACE_ALLOCATE) {
      blocks.release(event.slot);
      continue;
    }
    blocks.allocate(event.slot, pool, event.size);
    if (!look(i)) {
      return;
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

}  // namespace

PeakWaste find_peak_waste(const clpool_trace& trace, const std::function<Pool()>& make_pool) {
  std::uint64_t peak = 0;
  std::uint64_t peak_event = 0;
  {
    const Pool pool = make_pool();
    replay_while(trace, pool.get(), [&](std::uint64_t event) {
      clpool_pool_stats stats = CLPOOL_POOL_STATS_INIT;
      check(clpool_pool_statistics(pool.get(), &stats));
      peak_event = stats.peak_managed_bytes > peak ? event : peak_event;
      peak = stats.peak_managed_bytes;
      return true;
    });
  }
  Census census;
  const Pool pool = make_pool();
  replay_while(trace, pool.get(), [&](std::uint64_t event) {
    if (event < peak_event) {
      return true;
    }
    check(clpool_pool_visit(pool.get(), &Census::visit, &census));
    return false;
  });
  census.end_chunk();
  PeakWaste& waste = census.waste;
  waste.event = peak_event;
  constexpr std::size_t most_chunks = 3;
  std::sort(waste.worst.begin(), waste.worst.end(),
            [](const PinnedChunk& a, const PinnedChunk& b) { return a.free_bytes > b.free_bytes; });
  waste.worst.resize(std::min(waste.worst.size(), most_chunks));
  return std::move(waste);
}

std::string as_text(const PeakWaste& waste) {
  const auto share = [&](std::uint64_t bytes) {
    return waste.taken == 0 ? 0.0 : 100.0 * static_cast<double>(bytes) / static_cast<double>(waste.taken);
  };
  std::string text = fmt::format(
      "  at its largest, after event {}: {} taken; {:.1f} % live, {:.1f} % rounding, {:.1f} % in caches, "
      "{:.1f} % in whole chunks, {:.1f} % free in chunks that are pinned, {:.1f} % in other holes\n",
      human_count(waste.event), human_bytes(waste.taken), share(waste.requested), share(waste.rounding),
      share(waste.cached), share(waste.whole), share(waste.pinned), share(waste.holes));
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
