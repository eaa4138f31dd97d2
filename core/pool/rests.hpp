// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Rests: the way of a guarded pool's released blocks through its guard, before they are free; nothing in other pools. With the
// pool's mutex held; the guard works without it.
#pragma once

#include <cstdint>

#include "pool/guard.hpp"
#include "pool/returns.hpp"
#include "pool/way.hpp"

namespace clpool::core {

class Rests {
 public:
  /// `guard`: null unless the pool is guarded. `max_held_bytes`: that the pool may hold.
  Rests(Books& books, const Returns& returns, Guard* guard, std::uint64_t max_held_bytes) noexcept
      : books_(books), returns_(returns), guard_(guard), max_held_bytes_(max_held_bytes) {}
  Rests(const Rests&) = delete;
  Rests& operator=(const Rests&) = delete;

  std::uint64_t enders = 0;  ///< threads that want nothing to rest
  bool any() const noexcept { return guard_ != nullptr && !guard_->empty(); }
  /// Takes what was released, and what rests, as far as it gets by now.
  void work(Way& way) noexcept;
  /// It was waited for in vain, and got no further since.
  bool is_late() const noexcept { return is_late_; }
  /// It was waited for.
  void note_wait() noexcept { is_late_ = any(); }

 private:
  Books& books_;
  const Returns& returns_;
  Guard* const guard_;
  const std::uint64_t max_held_bytes_;
  bool is_late_ = false;
};

}  // namespace clpool::core
