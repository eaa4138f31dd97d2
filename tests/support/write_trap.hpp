// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// WriteTrap: something happens right before the next write to a page of memory, whoever writes, and whatever was read of it before:
// what another thread may do between two steps of one that calls nothing, where there is no other place to stop at. Linux.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

namespace clpool::test {

/// One at a time. The action runs in the thread that writes, when the page may be written again, and may start other threads.
class WriteTrap {
 public:
  static std::size_t page_size() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }
  static void* page_of(const void* address) {
    return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(address) & ~(page_size() - 1));
  }

  WriteTrap(const void* address, std::function<void()> action)
      : page_(page_of(address)), action_(std::move(action)) {
    current_ = this;
    struct sigaction trap = {};
    trap.sa_sigaction = [](int, siginfo_t* info, void*) { current_->meet(info->si_addr); };
    trap.sa_flags = SA_SIGINFO | SA_NODEFER;
    EXPECT_EQ(sigaction(SIGSEGV, &trap, &former_), 0);
    EXPECT_EQ(mprotect(page_, page_size(), PROT_READ), 0);
  }
  WriteTrap(const WriteTrap&) = delete;
  WriteTrap& operator=(const WriteTrap&) = delete;
  ~WriteTrap() {
    open();
    sigaction(SIGSEGV, &former_, nullptr);
    current_ = nullptr;
  }
  void open() { mprotect(page_, page_size(), PROT_READ | PROT_WRITE); }
  bool was_met() const { return was_met_; }

 private:
  void meet(void* address) {
    if (page_of(address) != page_ || was_met_) {
      sigaction(SIGSEGV, &former_, nullptr);  // a fault of another kind, which comes again
      return;
    }
    was_met_ = true;
    open();
    action_();
  }

  static inline WriteTrap* current_ = nullptr;
  void* const page_;
  const std::function<void()> action_;
  bool was_met_ = false;
  struct sigaction former_ = {};
};

}  // namespace clpool::test
