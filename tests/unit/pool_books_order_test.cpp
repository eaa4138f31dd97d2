// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Books by themselves: the order in which they hold blocks back.
#include "pool_books.hpp"

namespace clpool::core {
namespace {

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
