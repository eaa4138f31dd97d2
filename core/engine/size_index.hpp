// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// SizeIndex: what has a size, in lists of sizes that differ by less than 1/64, found through two levels of bitmaps, so that
// insertion, removal and each step of a search take a bounded number of steps however many there are (two-level segregated fit).
// Sizes below 64 granules have lists of their own.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace clpool::core {

/// An `Entry` has a `size`, and while it is in an index the index has its `bin`, `free_link` and `free_next`.
template <typename Entry>
class SizeIndex {
 public:
  /// `granule_shift`: base-2 logarithm of the bytes of which all sizes but odd ends of chunks are multiples.
  explicit SizeIndex(unsigned granule_shift) : granule_shift_(granule_shift) {}

  /// Before all others of its list.
  void insert(Entry& entry) noexcept {
    const std::uint32_t bin = list_of(entry.size);
    Entry*& head = heads_[bin];
    entry.bin = bin;
    entry.free_link = &head;
    entry.free_next = head;
    link_to(head) = &entry.free_next;
    head = &entry;
    levels_ |= std::uint64_t{1} << (bin / 64);
    bins_[bin / 64] |= std::uint64_t{1} << (bin % 64);
  }

  void remove(Entry& entry) noexcept {
    Entry** const link = entry.free_link;
    *link = entry.free_next;
    link_to(entry.free_next) = link;
    const bool is_last = entry.free_next == nullptr;
    const bool is_first = link == &heads_[entry.bin];
    const auto is_empty = static_cast<std::uint64_t>(is_last) & static_cast<std::uint64_t>(is_first);
    std::uint64_t& bits = bins_[entry.bin / 64];
    bits &= ~(is_empty << (entry.bin % 64));
    levels_ &= ~(std::uint64_t{bits == 0 ? 1U : 0U} << (entry.bin / 64));
  }

  /// First of a walk over all, by rising lists; null if empty. Go on with next().
  Entry* first() const noexcept { return head_of(next_bin(0)); }
  /// First of the rest of that walk, from the list of `size` on.
  Entry* first_from(std::uint64_t size) const noexcept { return head_of(next_bin(list_of(size))); }
  Entry* next(const Entry& entry) const noexcept {
    return entry.free_next != nullptr ? entry.free_next : head_of(next_bin(entry.bin + 1));
  }
  /// Whose `bin` the entries of that size have; larger sizes have none lower.
  std::uint32_t list_of(std::uint64_t size) const noexcept {
    // Exact below 64 granules, then 64 lists for each power of two; what is beyond 2^53 granules shares the last.
    const std::uint64_t granules = size >> granule_shift_;
    // Without a branch, as in link_to().
    const auto shift = static_cast<std::uint32_t>(std::bit_width(granules | 64)) - 7;
    const std::uint32_t bin = shift * 64 + static_cast<std::uint32_t>(granules >> shift);
    return std::min(bin, level_count * 64 - 1);
  }

  /// The same walk by falling lists.
  Entry* first_downwards() const noexcept { return head_of(previous_bin(level_count * 64)); }
  Entry* next_downwards(const Entry& entry) const noexcept {
    return entry.free_next != nullptr ? entry.free_next : head_of(previous_bin(entry.bin));
  }

 protected:
  static constexpr std::uint32_t none = UINT32_MAX;

  /// The newest of a list that next_bin() found; null for none.
  Entry* head_of(std::uint32_t bin) const noexcept { return bin == none ? nullptr : heads_[bin]; }
  /// … of any list.
  Entry* head(std::uint32_t bin) const noexcept { return heads_[bin]; }

  /// First list at or after `bin` that is not empty.
  std::uint32_t next_bin(std::uint32_t bin) const noexcept {
    if (bin >= level_count * 64) {
      return none;
    }
    std::uint32_t level = bin / 64;
    std::uint64_t bits = bins_[level] & (~std::uint64_t{0} << (bin % 64));
    if (bits == 0) {
      const std::uint64_t levels = levels_ & (~std::uint64_t{0} << level << 1);
      if (levels == 0) {
        return none;
      }
      level = static_cast<std::uint32_t>(std::countr_zero(levels));
      bits = bins_[level];
    }
    return level * 64 + static_cast<std::uint32_t>(std::countr_zero(bits));
  }

 private:
  static constexpr std::uint32_t level_count = 48;

  /// Last list before `bin` that is not empty.
  std::uint32_t previous_bin(std::uint32_t bin) const noexcept {
    if (bin == 0) {
      return none;
    }
    std::uint32_t level = (bin - 1) / 64;
    std::uint64_t bits = bins_[level] & (~std::uint64_t{0} >> (63 - (bin - 1) % 64));
    if (bits == 0) {
      const std::uint64_t levels = levels_ & ((std::uint64_t{1} << level) - 1);
      if (levels == 0) {
        return none;
      }
      level = static_cast<std::uint32_t>(63 - std::countl_zero(levels));
      bits = bins_[level];
    }
    return level * 64 + static_cast<std::uint32_t>(63 - std::countl_zero(bits));
  }

  /// Where an entry keeps what leads to it; of none, somewhere. Without a branch, of which no processor knows beforehand where it
  /// goes.
  Entry**& link_to(Entry* entry) noexcept { return *(entry != nullptr ? &entry->free_link : &no_link_); }

  unsigned granule_shift_;
  Entry** no_link_ = nullptr;
  std::uint64_t levels_ = 0;
  std::uint64_t bins_[level_count] = {};
  Entry* heads_[level_count * 64] = {};
};

}  // namespace clpool::core
