// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What pools of other projects would take for a log: models of their rules as their documentation and sources state them, with
// numbers for memory; none of their code, no streams, and a device whose memory never ends. All three cut chunks by best fit
// and merge free neighbours; they differ in how large a chunk they ask the driver for, and in when they cut.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "logs.hpp"

namespace clpool::benchmarks {

struct OtherRules {
  const char* name;
  std::uint64_t granule;  ///< sizes are multiples of it
  /// Of separate pools, which one serves a size.
  int (*pool_of)(std::uint64_t size);
  /// Bytes of a new chunk for a size, when the pool has taken so many.
  std::uint64_t (*chunk_for)(std::uint64_t size, std::uint64_t taken);
  /// Whether a free block in that pool is cut when so much would be left.
  bool (*cuts)(int pool, std::uint64_t left);
};

/// PyTorch's CUDACachingAllocator with default settings (c10/cuda/CUDACachingAllocator.cpp), RMM's pool_memory_resource without
/// an initial and a maximum size, CuPy's MemoryPool.
std::span<const OtherRules> other_rules();

class OtherPool {
 public:
  OtherPool(const OtherRules& rules, std::uint64_t slots) : rules_(rules), blocks_(slots) {}
  void follow(const LogEvent& event);
  std::uint64_t taken() const { return taken_; }  ///< bytes from the driver; none goes back
  std::uint64_t chunks() const { return chunks_; }

 private:
  using Address = std::uint64_t;
  struct Stretch {
    std::uint64_t size;
    bool is_free;
    bool begins_chunk;
    int pool;
  };
  Address allocate(std::uint64_t size);
  void release(Address address);
  void list(Address address, const Stretch& stretch) { free_[stretch.pool].emplace(stretch.size, address); }
  void unlist(Address address, const Stretch& stretch) { free_[stretch.pool].erase({stretch.size, address}); }

  const OtherRules& rules_;
  std::vector<Address> blocks_;
  std::map<Address, Stretch> stretches_;
  std::set<std::pair<std::uint64_t, Address>> free_[2];
  std::uint64_t taken_ = 0;
  std::uint64_t chunks_ = 0;
};

}  // namespace clpool::benchmarks
