// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Shapes: the unused handles of a pool by their size, so that a request can be sent to the place where a
// handle of just its shape is alive. Chunks' Parts enter and remove their unused handles here; a handle that
// is used or dying is in no list. Bookkeeping only, of bounded cost, called with the pool's mutex held.
#pragma once

#include <cstddef>
#include <cstdint>

namespace clpool::core {

struct Part;

class Shapes {
 public:
  void enter(Part& part) noexcept;
  void remove(Part& part) noexcept;

  /// The unused handles whose sizes share a list with `size`, the one that was entered last first: go on with
  /// Part::next_alike, and look at the sizes. Null if there are none.
  Part* first(std::uint64_t size) const noexcept { return lists_[list_of(size)]; }

 private:
  static constexpr unsigned list_bits = 9;
  static std::size_t list_of(std::uint64_t size) noexcept {
    return static_cast<std::size_t>((size * 0x9E3779B97F4A7C15U) >> (64 - list_bits));
  }
  Part* lists_[std::size_t{1} << list_bits] = {};
};

}  // namespace clpool::core
