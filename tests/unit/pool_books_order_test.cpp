// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Books by themselves: the order in which they hold blocks back.
#include <vector>

#include "pool_books.hpp"

namespace clpool::core {
namespace {

TEST_F(PoolBooksOfThreads, BlocksThatWaitedElsewhereGoAmongTheOthersByTheirStamps) {
  begin_books();
  HeldBack held;
  for (const std::uint64_t stamp : {3, 3, 6}) {
    books->hold_back(held, serve_for(1, mib), stamp);
  }
  Fifo<PoolBlock, Mem> others;
  for (const std::uint64_t stamp : {1, 3, 4, 7, 7}) {
    PoolBlock& block = serve_for(2, mib);
    set_stamp(block, stamp);
    others.add(block);
  }
  books->hold_back_in_order(held, others);
  std::vector<std::uint64_t> stamps;
  for (Mem* mem = held.first; mem != nullptr; mem = mem->next) {
    stamps.push_back(stamp_of(pool_block(*mem)));
  }
  EXPECT_EQ(stamps, (std::vector<std::uint64_t>{1, 3, 3, 3, 4, 6, 7, 7}));
  EXPECT_EQ(books->pending_blocks(), 8u);
  EXPECT_EQ(held.open_blocks, 3u) << "those of the others were counted before";
  EXPECT_TRUE(books->free_completed(held, 4, 0));
  EXPECT_EQ(books->pending_blocks(), 3u);
  EXPECT_TRUE(books->free_completed(held, 7, 0));
  EXPECT_TRUE(held.empty());
}

/// So that whoever frees many may let others have their turn meanwhile.
TEST_F(PoolBooksOfThreads, BlocksThatNeedNotWaitComeFreeSoManyAtATime) {
  begin_books();
  HeldBack held;
  for (const std::uint64_t stamp : {1, 1, 2, 2, 5}) {
    books->hold_back(held, serve_for(1, mib), stamp);
  }
  EXPECT_EQ(books->free_completed(held, 2, 0, 3), 3u);
  EXPECT_EQ(books->pending_blocks(), 2u);
  EXPECT_EQ(books->free_completed(held, 2, 0, 3), 1u) << "the next one waits";
  EXPECT_EQ(books->free_completed(held, 2, 0, 3), 0u);
  EXPECT_EQ(books->free_completed(held, 5, 0), 1u);
}

}  // namespace
}  // namespace clpool::core
