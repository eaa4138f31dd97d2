// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Turns: one thread at a time does something with the driver, where it does not bear several. The library
// still sees many threads, one between another's steps.
#pragma once

#include <mutex>

namespace clpool::load {

class Turn {
 public:
  Turn() : lock_(mutex, std::defer_lock) {
    if (needed) {
      lock_.lock();
    }
  }

  static inline bool needed = false;  ///< set before there are threads

 private:
  static inline std::recursive_mutex mutex;
  std::unique_lock<std::recursive_mutex> lock_;
};

}  // namespace clpool::load
