// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Children of fork().
#pragma once

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include <gtest/gtest.h>

namespace clpool::test {

/// How a child ended: its exit status, or minus the signal that ended it, SIGKILL after 20 s.
inline int end_of(pid_t child) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  int status = 0;
  pid_t ended = 0;
  while ((ended = waitpid(child, &status, WNOHANG)) == 0 && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  if (ended == 0) {
    kill(child, SIGKILL);
    ended = waitpid(child, &status, 0);
  }
  EXPECT_EQ(ended, child);
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
constexpr int most_children_that_hang = 3;
#else
constexpr int most_children_that_hang = 1;
#endif

/// Runs `work` in a child of fork(), and says how that ended. A sanitizer's memory has locks that a thread of the driver's may
/// have when the process forks, and nobody gives back in the child, which may not even come out of fork(): such a child is tried
/// again.
template <typename Work>
int in_child(Work&& work) {
  for (int tries = 1;; ++tries) {
    const pid_t child = fork();
    if (child == 0) {
      work();
      _exit(0);
    }
    const int end = end_of(child);
    if (end != -SIGKILL || tries == most_children_that_hang) {
      return end;
    }
  }
}

}  // namespace clpool::test
