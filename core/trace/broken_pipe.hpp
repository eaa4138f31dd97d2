// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// BrokenPipe: while one lives, a write of its thread to a pipe or socket whose reader has left is EPIPE alone, and no SIGPIPE,
// which would end a program that only allocates.
#pragma once

#include <csignal>
#include <ctime>

namespace clpool::core {

class BrokenPipe {
 public:
  BrokenPipe() noexcept {
    sigset_t pending;
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    was_pending_ = sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE) == 1;
    is_blocked_ = pthread_sigmask(SIG_BLOCK, &pipe_, &before_) == 0;
  }
  ~BrokenPipe() {
    if (!is_blocked_) {
      return;
    }
    if (!was_pending_) {  // else it is the program's
      const timespec at_once = {};
      static_cast<void>(sigtimedwait(&pipe_, nullptr, &at_once));
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  BrokenPipe(const BrokenPipe&) = delete;
  BrokenPipe& operator=(const BrokenPipe&) = delete;

 private:
  sigset_t pipe_;
  sigset_t before_;
  bool was_pending_;
  bool is_blocked_;
};

}  // namespace clpool::core
