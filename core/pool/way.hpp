// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Way: the mutex of a pool, held, as those see it who work within a visit of the pool and may leave it in between.
#pragma once

#include <cstdint>
#include <type_traits>

namespace clpool::core {

class Way {
 public:
  Way(const Way&) = delete;
  Way& operator=(const Way&) = delete;

  /// Between two pieces of work that may take long: whoever waits for the mutex has it first.
  virtual void give_way() noexcept = 0;
  /// Releases what was put off, without the mutex; false if nothing was.
  virtual bool finish_later_releases() noexcept = 0;
  /// Leaves the mutex for so long, or until the books have changed.
  virtual void sleep(std::uint64_t nanoseconds) = 0;
  /// Runs `action` without the mutex.
  template <typename Action>
  void out(Action&& action) {
    leave([](void* context) { (*static_cast<std::remove_reference_t<Action>*>(context))(); }, &action);
  }

 protected:
  Way() = default;
  ~Way() = default;
  virtual void leave(void (*action)(void* context), void* context) = 0;
};

}  // namespace clpool::core
