// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Line: requests that wait for memory where the pool may take no more, in the order in which they came: so that a request for
// a large block, of which the parts come free one by one, gets them before smaller ones do.
//
// Guarded by the pool's mutex.
#pragma once

#include <array>
#include <cstdint>

#include "pool/books/account.hpp"

namespace clpool::core {

class Line {
 public:
  /// `freed`: bytes that have come free in the pool so far. False where the account has a place already.
  bool join(std::uint32_t account, std::uint64_t needed, std::uint64_t freed, std::uint64_t now_ns) noexcept {
    Place& place = places_[account];
    if (place.number != 0) {
      return false;
    }
    place = {account, needed, freed, now_ns, ++last_number_};
    ++count_;
    return true;
  }
  void leave(std::uint32_t account) noexcept {
    places_[account] = {};
    --count_;
  }

  struct Place {
    std::uint32_t account = 0;
    std::uint64_t needed = 0;    ///< bytes
    std::uint64_t freed = 0;     ///< bytes that had come free when it came
    std::uint64_t since_ns = 0;  ///< when it came
    std::uint64_t number = 0;    ///< 0: none
  };
  bool is_empty() const noexcept { return count_ == 0; }
  /// The first one of all that came at `since_ns` at the earliest, or since which not more than `most` bytes have come free;
  /// null if there is none: who has waited for longer than that, in vain, waits for memory that does not come free.
  const Place* first(std::uint64_t freed, std::uint64_t most, std::uint64_t since_ns) const noexcept {
    const Place* first = nullptr;
    for (const Place& place : places_) {
      if (place.number != 0 && (first == nullptr || place.number < first->number) &&
          (place.since_ns >= since_ns || freed - place.freed <= most)) {
        first = &place;
      }
    }
    return first;
  }

 private:
  std::uint64_t count_ = 0;
  std::array<Place, Account::most> places_;
  std::uint64_t last_number_ = 0;
};

}  // namespace clpool::core
