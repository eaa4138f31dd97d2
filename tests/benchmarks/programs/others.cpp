// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
#include "programs/others.hpp"

#include <algorithm>
#include <iterator>

namespace clpool::benchmarks {
namespace {

constexpr std::uint64_t mib = 1 << 20;

std::uint64_t rounded_up(std::uint64_t size, std::uint64_t to) {
  return (std::max<std::uint64_t>(size, 1) + to - 1) / to * to;
}

constexpr OtherRules all_rules[] = {
    {"PyTorch", 512, [](std::uint64_t size) { return size <= mib ? 0 : 1; },
     [](std::uint64_t size, std::uint64_t) {
       return size <= mib ? 2 * mib : size < 10 * mib ? 20 * mib : rounded_up(size, 2 * mib);
     },
     [](int pool, std::uint64_t left) { return pool == 0 ? left >= 512 : left > mib; }},
    {"RMM", 256, [](std::uint64_t) { return 0; },
     [](std::uint64_t size, std::uint64_t taken) { return std::max(size, taken); },
     [](int, std::uint64_t left) { return left > 0; }},
    {"CuPy", 512, [](std::uint64_t) { return 0; }, [](std::uint64_t size, std::uint64_t) { return size; },
     [](int, std::uint64_t left) { return left > 0; }},
};

}  // namespace

std::span<const OtherRules> other_rules() {
  return all_rules;
}

void OtherPool::follow(const LogEvent& event) {
  if (event.is_allocation) {
    blocks_[event.slot] = allocate(rounded_up(event.size, rules_.granule));
  } else {
    release(blocks_[event.slot]);
  }
}

OtherPool::Address OtherPool::allocate(std::uint64_t size) {
  const int pool = rules_.pool_of(size);
  auto best = free_[pool].lower_bound({size, 0});
  if (best == free_[pool].end()) {
    const std::uint64_t chunk = rules_.chunk_for(size, taken_);
    const Address address = taken_;
    taken_ += chunk;
    ++chunks_;
    stretches_[address] = {chunk, true, true, pool};
    best = free_[pool].emplace(chunk, address).first;
  }
  const Address address = best->second;
  free_[pool].erase(best);
  Stretch& found = stretches_[address];
  found.is_free = false;
  const std::uint64_t left = found.size - size;
  if (left > 0 && rules_.cuts(pool, left)) {
    found.size = size;
    list(address + size, stretches_[address + size] = {left, true, false, pool});
  }
  return address;
}

void OtherPool::release(Address address) {
  auto stretch = stretches_.find(address);
  stretch->second.is_free = true;
  const auto next = std::next(stretch);
  if (next != stretches_.end() && next->second.is_free && !next->second.begins_chunk) {
    unlist(next->first, next->second);
    stretch->second.size += next->second.size;
    stretches_.erase(next);
  }
  if (!stretch->second.begins_chunk && std::prev(stretch)->second.is_free) {
    const auto former = std::prev(stretch);
    unlist(former->first, former->second);
    former->second.size += stretch->second.size;
    stretches_.erase(stretch);
    stretch = former;
  }
  list(stretch->first, stretch->second);
}

}  // namespace clpool::benchmarks
