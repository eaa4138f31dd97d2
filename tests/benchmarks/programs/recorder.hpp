// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Recorder: what programs that make logs are written with. Random numbers that are the same everywhere, and a
// log in the making.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "logs.hpp"

namespace clpool::benchmarks {

/// splitmix64; the standard library's distributions differ from one library to the next.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15U + 1) {}

  std::uint64_t bits() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15U);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
  }
  /// From `low` to `high`, both included.
  std::uint64_t between(std::uint64_t low, std::uint64_t high) { return low + bits() % (high - low + 1); }
  /// In [0, 1).
  double part() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  bool chance(double probability) { return part() < probability; }
  /// From `low` to `high`, each power of two as likely as the next.
  std::uint64_t scale(double low, double high) {
    return static_cast<std::uint64_t>(low * std::exp2(part() * std::log2(high / low)));
  }

 private:
  std::uint64_t state_;
};

class Recorder {
 public:
  using Block = std::uint64_t;  ///< the log's slot

  explicit Recorder(std::uint64_t seed) : random(seed) {}

  Block allocate(std::uint64_t bytes) {
    if (free_slots_.empty()) {
      free_slots_.push_back(sizes_.size());
      sizes_.push_back(0);
    }
    const Block slot = free_slots_.back();
    free_slots_.pop_back();
    sizes_[slot] = std::max<std::uint64_t>(bytes, 1);
    live_ += sizes_[slot];
    log_.peak_live = std::max(log_.peak_live, live_);
    log_.events.push_back({slot, true, sizes_[slot]});
    return slot;
  }
  void release(Block block) {
    live_ -= sizes_[block];
    free_slots_.push_back(block);
    log_.events.push_back({block, false, sizes_[block]});
  }
  void release_all(std::vector<Block>& blocks) {
    for (const Block block : blocks) {
      release(block);
    }
    blocks.clear();
  }
  /// Releases what was allocated last first.
  void release_back(std::vector<Block>& blocks) {
    std::reverse(blocks.begin(), blocks.end());
    release_all(blocks);
  }
  void temporary(std::uint64_t bytes) { release(allocate(bytes)); }
  std::uint64_t size(Block block) const { return sizes_[block]; }
  std::size_t events() const { return log_.events.size(); }

  Log finish() {
    log_.slots = sizes_.size();
    return std::move(log_);
  }

  Random random;

 private:
  Log log_;
  std::vector<std::uint64_t> sizes_;
  std::vector<Block> free_slots_;
  std::uint64_t live_ = 0;
};

}  // namespace clpool::benchmarks
