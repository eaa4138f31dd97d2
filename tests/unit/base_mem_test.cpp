// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// References of memory that several threads give up at once.
#include "base/mem.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <new>

#include "support/write_trap.hpp"

namespace clpool::core {
namespace {

using test::WriteTrap;

/// A descriptor on a page of its own.
class ReferencesOfMemory : public testing::Test {
 protected:
  void SetUp() override {
#if defined __SANITIZE_THREAD__
    GTEST_SKIP() << "the sanitizer has a lock of its own while it writes an atomic number";
#endif
    page = mmap(nullptr, WriteTrap::page_size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(page, MAP_FAILED);
    mem = new (page) Mem;
    mem->state = MemState::live;
    mem->made_in = static_cast<std::uint8_t>(process_generation());
  }
  void TearDown() override {
    if (mem != nullptr) {
      munmap(page, WriteTrap::page_size());
    }
  }
  void* page = nullptr;
  Mem* mem = nullptr;
};

TEST_F(ReferencesOfMemory, OfWhichTwoGiveUpTheLastAtOnceAreOneForWhoComesNext) {
  mem->references = 2;
  bool other_was_last = true;
  // When this thread has seen two of them, and before it has given up its own.
  const WriteTrap trap(mem, [&] { EXPECT_EQ(give_up_reference(*mem, other_was_last), Status::success); });
  bool is_last = false;
  EXPECT_EQ(give_up_reference(*mem, is_last), Status::success);
  EXPECT_TRUE(trap.was_met());
  EXPECT_FALSE(other_was_last);
  EXPECT_TRUE(is_last);
  EXPECT_EQ(mem->references, 1U) << "a descriptor that is handed out again by a cache keeps a count of one";
}

TEST_F(ReferencesOfMemory, TheLastIsGivenUpWithoutAWrite) {
  mem->references = 1;
  const WriteTrap trap(mem, [] {});
  bool is_last = false;
  EXPECT_EQ(give_up_reference(*mem, is_last), Status::success);
  EXPECT_TRUE(is_last);
  EXPECT_FALSE(trap.was_met());
}

}  // namespace
}  // namespace clpool::core
