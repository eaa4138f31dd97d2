// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Streams each of whose commands takes long, and to which a thread gives ever more of them.
#include "orderings/pool_events.hpp"

namespace clpool::test {
namespace {

/// Until the first has ended nobody knows whether any will.
TEST_F(PoolOfManyEvents, ADeviceOfLongStepsIsWaitedForOnceSomeHaveEnded) {
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
  GTEST_SKIP() << "what the device gets done depends on the sanitizer";
#endif
  constexpr std::size_t block = 16 * large;
  constexpr int steps = 6;
  Stream stream(std::chrono::milliseconds(300));
  const auto step = [&] {
    clpool_mem* const mem = take(block);
    const std::lock_guard lock(stream.mutex);
    release_behind(mem, stream.running.emplace_back(scene.cl.context));
  };
  const auto known = std::chrono::steady_clock::now() + std::chrono::milliseconds(1200);
  while (std::chrono::steady_clock::now() < known) {
    step();
  }
  const std::uint64_t managed = stats().managed_bytes;
  for (int i = 0; i < steps; ++i) {
    step();
  }
  EXPECT_LE(stats().managed_bytes, managed + steps / 2 * block) << "each took a new one";
  stream.stop();
}

}  // namespace
}  // namespace clpool::test
