// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// References of memory that several threads give up at once.
#include "base/mem.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <new>
#include <string>

#include "support/write_trap.hpp"

namespace clpool::core {
namespace {

using test::WriteTrap;

struct TestOwner final : MemOwner {
  Status take_back(Mem&) noexcept override { return Status::success; }
  cl_context context_of(const Mem&) const noexcept override { return nullptr; }
  Status root_of(const Mem&, cl_mem&, std::size_t&) const noexcept override {
    return Status::invalid_operation;
  }
};

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

TEST_F(ReferencesOfMemory, OfWhichTwoGiveUpTheProgramsLastAtOnceAreGivenUpOnce) {
  TestOwner owner;
  mem->owner = &owner;
  mem->references = kept_reference + 1;
  bool other_was_last = true;
  const WriteTrap trap(mem, [&] { EXPECT_EQ(give_up_reference(*mem, other_was_last), Status::success); });
  bool is_last = true;
  EXPECT_EQ(give_up_reference(*mem, is_last), Status::invalid_operation);
  EXPECT_TRUE(trap.was_met());
  EXPECT_FALSE(other_was_last);
  EXPECT_EQ(mem->references, kept_reference);
}

TEST_F(ReferencesOfMemory, TheLastOfAllMayBeWhatKeepsIt) {
  TestOwner owner;
  mem->owner = &owner;
  mem->references = 1;
  ASSERT_EQ(keep_mem(*mem), Status::success);
  ASSERT_EQ(keep_mem(*mem), Status::success);
  bool is_last = true;
  EXPECT_FALSE(let_go_of_mem(*mem));
  ASSERT_EQ(give_up_reference(*mem, is_last), Status::success);
  EXPECT_FALSE(is_last);
  EXPECT_EQ(require_held(*mem), Status::invalid_operation);
  EXPECT_EQ(require_live(*mem), Status::success);
  EXPECT_EQ(give_up_reference(*mem, is_last), Status::invalid_operation);
  EXPECT_EQ(retain_mem(*mem), Status::invalid_operation);
  EXPECT_TRUE(let_go_of_mem(*mem));
  EXPECT_EQ(mem->references, 1U);
}

TEST_F(ReferencesOfMemory, TheLastOfAllMayBeTheProgramsAfterWhatKeptIt) {
  mem->references = kept_reference + 1;
  bool other_was_last = true;
  // When this thread has seen both, and before it has given up its own.
  const WriteTrap trap(mem, [&] { EXPECT_EQ(give_up_reference(*mem, other_was_last), Status::success); });
  EXPECT_TRUE(let_go_of_mem(*mem));
  EXPECT_TRUE(trap.was_met());
  EXPECT_FALSE(other_was_last);
  EXPECT_EQ(mem->references, 1U);
}

TEST_F(ReferencesOfMemory, AreBounded) {
  mem->references = 1;
  for (int i = 1; i < 16'383; ++i) {
    ASSERT_EQ(retain_mem(*mem), Status::success);
  }
  EXPECT_EQ(retain_mem(*mem), Status::invalid_operation);
  EXPECT_NE(std::string(last_error_message()).find("16383 references"), std::string::npos)
      << last_error_message();
  for (int i = 0; i < 262'143; ++i) {
    ASSERT_EQ(keep_mem(*mem), Status::success);
  }
  EXPECT_EQ(keep_mem(*mem), Status::invalid_operation);
  EXPECT_NE(std::string(last_error_message()).find("262143 parts, maps and views"), std::string::npos)
      << last_error_message();
  EXPECT_EQ(mem->references, UINT32_MAX);
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
