// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Which blocks a thread's cache hands out.
#include "pool/caches/thread_cache.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <memory>

#include "pool/pool.hpp"

namespace clpool::core {
namespace {

constexpr std::uint64_t granule = 512;
constexpr std::uint64_t many = 256;  // granules: sizes from here on share buckets

/// A cache that has room for ten granules, and blocks that are released with the mutex held where it does not take them.
struct ThreadCacheWithLittleRoom : testing::Test {
  void SetUp() override {
    cache->granule_shift = 9;
    cache->limit = 10 * granule;
  }
  /// Whether it keeps a block.
  bool release(std::uint64_t granules) {
    Mem& mem = mems.emplace_back();
    mem.capacity = granules * granule;
    mem.size = 1;
    ++cache->blocks;
    cache->count_handed_out(1);
    if (cache->push(mem)) {
      return true;
    }
    --cache->blocks;
    return cache->deposit(mem);
  }
  bool take(std::uint64_t granules) { return cache->pop(granules * granule, 1) != nullptr; }
  std::unique_ptr<ThreadCache> cache = std::make_unique<ThreadCache>();
  std::deque<Mem> mems;
};

TEST_F(ThreadCacheWithLittleRoom, KeepsALargeBlockWhoseSizeComesAgainAndAgain) {
  EXPECT_FALSE(release(100));
  EXPECT_TRUE(release(100));
  EXPECT_FALSE(release(100)) << "one alone";
  EXPECT_TRUE(take(100));
  EXPECT_TRUE(release(100));
}

TEST_F(ThreadCacheWithLittleRoom, KeepsNoLargeBlocksOfEverOtherSizes) {
  for (std::uint64_t i = 0; i < 10; ++i) {
    EXPECT_FALSE(release(100 + i));
  }
  EXPECT_FALSE(release(100));
  EXPECT_FALSE(release(101));
}

TEST_F(ThreadCacheWithLittleRoom, KeepsNoneWhereNothingIsToBeKept) {
  cache->limit = 0;
  EXPECT_FALSE(release(100));
  EXPECT_FALSE(release(100));
}

/// A cache with blocks of so many granules.
class ThreadCacheWithBlocks : public testing::Test {
 protected:
  void keep(std::uint64_t granules) {
    Mem& mem = mems_.emplace_back();
    mem.capacity = granules * granule;
    cache_->blocks += 1;
    cache_->count_handed_out(1);
    mem.size = 1;
    ASSERT_TRUE(cache_->push(mem));
  }
  /// Granules of the block that serves a request for so many and `more`; 0 if none does.
  std::uint64_t larger(std::uint64_t granules, std::uint64_t more) {
    const Mem* const mem = cache_->pop_larger(granules * granule, more * granule, granule);
    return mem != nullptr ? mem->capacity / granule : 0;
  }

  void SetUp() override {
    cache_->granule_shift = 9;
    cache_->limit = UINT64_MAX / 2;
  }

  std::unique_ptr<ThreadCache> cache_ = std::make_unique<ThreadCache>();

 private:
  std::deque<Mem> mems_;
};

TEST_F(ThreadCacheWithBlocks, HandsOutTheSmallestThatSuffices) {
  for (const std::uint64_t granules : {12, 11, 13, 9}) {
    keep(granules);
  }
  EXPECT_EQ(larger(10, 2), 11u);
  EXPECT_EQ(larger(10, 2), 12u);
  EXPECT_EQ(larger(10, 2), 0u) << "13 is more";
  EXPECT_EQ(larger(9, 2), 9u) << "one of just the size will do";
}

TEST_F(ThreadCacheWithBlocks, HandsOutNoneThatIsSmallerOrLargerThanAllowedWhereSizesShareABucket) {
  const std::uint64_t shares_with_two = many + (many ^ 2 ^ 1) % many;  // (g ^ g >> 8) % 256 is 2
  keep(shares_with_two);
  ASSERT_EQ(&cache_->bucket(2 * granule), &cache_->bucket(shares_with_two * granule));
  EXPECT_EQ(larger(2, 0), 0u) << "it is much larger";
  EXPECT_EQ(larger(shares_with_two, 0), shares_with_two);
  keep(2);
  EXPECT_EQ(larger(shares_with_two, many), 0u) << "it is smaller";
  EXPECT_EQ(larger(2, 0), 2u);
}

TEST_F(ThreadCacheWithBlocks, FindsLargeOnesInWhateverBucketTheyAre) {
  for (const std::uint64_t granules : {many * 40, many * 40 + 77, many * 41 + 300, many * 43 + 255}) {
    keep(granules);
    EXPECT_EQ(larger(many * 39, many * 5), granules);
  }
}

TEST_F(ThreadCacheWithBlocks, CountsWhatItHandsOutSo) {
  keep(12);
  EXPECT_EQ(cache_->active_blocks(), 0u);
  EXPECT_EQ(larger(10, 2), 12u);
  EXPECT_EQ(cache_->active_blocks(), 1u);
  EXPECT_EQ(cache_->active_bytes, granule) << "what was asked for";
  EXPECT_EQ(cache_->cached(), 0u);
}

TEST_F(ThreadCacheWithBlocks, GivesUpSoManyBlocksOfABucketAtATime) {
  for (int i = 0; i < 5; ++i) {
    keep(4);
  }
  const std::size_t index = static_cast<std::size_t>(&cache_->bucket(4 * granule) - cache_->buckets);
  const auto withdraw = [&](std::size_t& most) {
    std::size_t count = 0;
    for (const Mem* mem = cache_->withdraw_bucket(index, most); mem != nullptr; mem = mem->next) {
      ++count;
    }
    return count;
  };
  std::size_t most = 3;
  EXPECT_EQ(withdraw(most), 3u);
  EXPECT_EQ(most, 0u);
  EXPECT_EQ(cache_->cached_blocks, 2u);
  EXPECT_EQ(cache_->blocks, 2u);
  EXPECT_EQ(cache_->cached(), 8 * granule);
  EXPECT_EQ(withdraw(most), 0u);
  most = 10;
  EXPECT_EQ(withdraw(most), 2u);
  EXPECT_EQ(most, 8u);
  EXPECT_EQ(cache_->cached(), 0u);
  EXPECT_EQ(withdraw(most), 0u);
}

TEST_F(ThreadCacheWithBlocks, KnowsHowMuchLargerThanNeedBeThoseInUseAre) {
  for (const std::uint64_t granules : {4, 5, 5, 12}) {
    keep(granules);
  }
  Mem* const fits = cache_->pop(5 * granule, 4 * granule + 1);
  EXPECT_EQ(cache_->excess, 0u) << "rounding is none";
  EXPECT_EQ(fits->marks, 0);
  Mem* const larger = cache_->pop_larger(3 * granule, granule, 3 * granule);
  ASSERT_NE(larger, nullptr);
  EXPECT_EQ(cache_->excess, granule);
  EXPECT_EQ(larger->marks, larger_mark);
  Mem* const much_larger = cache_->pop_larger(10 * granule, 2 * granule, 9 * granule + 1);
  EXPECT_EQ(cache_->excess, 3 * granule);
  Mem* const exact = cache_->pop_larger(5 * granule, granule, 5 * granule);
  EXPECT_EQ(exact->marks, 0);
  EXPECT_EQ(cache_->excess, 3 * granule);
  const std::uint64_t limit = cache_->limit.exchange(0);
  ASSERT_FALSE(cache_->push(*larger));
  EXPECT_EQ(cache_->excess, 3 * granule) << "it is in use yet";
  EXPECT_EQ(larger->marks, larger_mark);
  cache_->limit = limit;
  ASSERT_TRUE(cache_->push(*larger));
  EXPECT_EQ(cache_->excess, 2 * granule);
  EXPECT_EQ(larger->marks, 0);
  ASSERT_TRUE(cache_->push(*fits));
  ASSERT_TRUE(cache_->push(*exact));
  EXPECT_EQ(cache_->excess, 2 * granule);
  ASSERT_TRUE(cache_->push(*much_larger));
  EXPECT_EQ(cache_->excess, 0u);
}

TEST_F(ThreadCacheWithBlocks, CountsNoExcessForAnEmptyRequest) {
  keep(1);
  Mem* const mem = cache_->pop_larger(granule, granule, 0);
  ASSERT_NE(mem, nullptr);
  EXPECT_EQ(cache_->excess, 0u);
}

TEST_F(ThreadCacheWithBlocks, HasAPartOfWhatIsInUseLeftForLargerBlocks) {
  cache_->most_excess = 1000 * granule;
  EXPECT_EQ(cache_->excess_left(8 * granule, 4), 2 * granule);
  keep(12);
  keep(16);
  EXPECT_EQ(cache_->excess_left(8 * granule, 4), 2 * granule) << "cached blocks are not in use";
  ASSERT_EQ(larger(4, 8), 12u);  // for a request of one granule
  EXPECT_EQ(cache_->excess_left(47 * granule, 4), granule) << "a quarter of 48, but for eleven";
  EXPECT_EQ(cache_->excess_left(8 * granule, 4), 0u);
  cache_->most_excess = 11 * granule + 7;
  EXPECT_EQ(cache_->excess_left(400 * granule, 4), 7u);
}

/// A cache with room for 64 granules, from which blocks are handed out that wait when they come back.
class ThreadCacheWithWaitingBlocks : public testing::Test {
 protected:
  void SetUp() override {
    cache->granule_shift = 9;
    cache->limit = 64 * granule;
  }
  Mem& hand_out(std::uint64_t granules) {
    Mem& mem = mems.emplace_back();
    mem.capacity = granules * granule;
    mem.size = 100;
    mem.state = MemState::live;
    ++cache->blocks;
    cache->count_handed_out(100);
    return mem;
  }
  Mem& release(std::uint64_t granules, std::uint64_t epoch) {
    Mem& mem = hand_out(granules);
    EXPECT_TRUE(cache->push_waiting(mem, epoch));
    return mem;
  }
  Mem* take(std::uint64_t granules) { return cache->pop(granules * granule, 1); }

  std::unique_ptr<ThreadCache> cache = std::make_unique<ThreadCache>();
  std::deque<Mem> mems;
};

TEST_F(ThreadCacheWithWaitingBlocks, HandsNoneOutBeforeItsWaitIsOver) {
  Mem& first = release(2, 5);
  Mem& second = release(2, 7);
  EXPECT_EQ(first.state, MemState::waiting);
  EXPECT_EQ(take(2), nullptr);
  EXPECT_FALSE(cache->end_waits(4, 10));
  EXPECT_TRUE(cache->end_waits(5, 10));
  EXPECT_EQ(first.state, MemState::released);
  EXPECT_EQ(take(2), &first);
  EXPECT_EQ(take(2), nullptr);
  EXPECT_FALSE(cache->end_waits(6, 10));
  EXPECT_TRUE(cache->end_waits(7, 10));
  EXPECT_EQ(take(2), &second);
  EXPECT_FALSE(cache->has_waiting());
}

TEST_F(ThreadCacheWithWaitingBlocks, EndsSoManyWaitsAtATime) {
  for (int i = 0; i < 5; ++i) {
    release(2, 5);
  }
  EXPECT_TRUE(cache->end_waits(5, 3));
  EXPECT_EQ(cache->cached_blocks, 3u);
  EXPECT_EQ(cache->cached(), 6 * granule);
  EXPECT_EQ(cache->held(), 10 * granule);
  EXPECT_TRUE(cache->end_waits(5, 3));
  EXPECT_EQ(cache->cached_blocks, 5u);
}

TEST_F(ThreadCacheWithWaitingBlocks, CountsThemAsGivenBack) {
  release(2, 5);
  release(3, 5);
  EXPECT_EQ(cache->active_bytes, 0u);
  EXPECT_EQ(cache->active_blocks(), 0u);
  EXPECT_EQ(cache->cached(), 0u);
  EXPECT_EQ(cache->held(), 5 * granule);
  EXPECT_TRUE(cache->end_waits(5, 10));
  EXPECT_EQ(cache->active_blocks(), 0u);
  EXPECT_EQ(cache->held(), 5 * granule);
  ASSERT_NE(take(3), nullptr);
  EXPECT_EQ(cache->active_blocks(), 1u);
}

TEST_F(ThreadCacheWithWaitingBlocks, HasRoomForSmallOnesOnly) {
  Mem& large = hand_out(5);
  EXPECT_FALSE(cache->push_waiting(large, 5)) << "a sixteenth of 64 at most";
  EXPECT_EQ(large.state, MemState::live);
  EXPECT_EQ(cache->active_blocks(), 1u);
  for (int i = 0; i < 8; ++i) {
    release(4, 5);
  }
  EXPECT_TRUE(cache->end_waits(5, 3));
  for (int i = 0; i < 8; ++i) {
    release(4, 6);
  }
  EXPECT_FALSE(cache->push_waiting(hand_out(1), 6)) << "with what is cached";
}

TEST_F(ThreadCacheWithWaitingBlocks, GivesTheOldestUpFirst) {
  Mem& first = release(2, 5);
  release(3, 6);
  EXPECT_EQ(cache->withdraw_waiting(), &first);
  EXPECT_EQ(first.state, MemState::released);
  EXPECT_EQ(cache->held(), 3 * granule);
  EXPECT_EQ(cache->blocks, 1u);
  cache->withdraw_waiting();
  EXPECT_EQ(cache->withdraw_waiting(), nullptr);
  EXPECT_EQ(cache->blocks, 0u);
  release(2, 7);
  EXPECT_EQ(cache->held(), 2 * granule);
}

TEST_F(ThreadCacheWithWaitingBlocks, KnowsHowMuchHasWaited) {
  release(2, 5);
  release(3, 6);
  release(4, 7);
  EXPECT_EQ(cache->waiting.bytes_up_to(4), 0u);
  EXPECT_EQ(cache->waiting.bytes_up_to(5), 2 * granule);
  EXPECT_EQ(cache->waiting.bytes_up_to(6), 5 * granule);
  EXPECT_EQ(cache->waiting.bytes_up_to(7), 9 * granule);
}

TEST_F(ThreadCacheWithWaitingBlocks, KnowsItOfMoreEpochsThanItCountsApart) {
  cache->limit = 100'000 * granule;
  for (std::uint64_t epoch = 1; epoch <= 500; ++epoch) {
    release(1 + epoch % 3, epoch);
    if (epoch % 3 == 0) {
      cache->withdraw_waiting();
    }
    std::uint64_t expected = 0;
    std::uint64_t asked = 0;
    for (const Mem* mem = cache->waiting.first(); mem != nullptr; mem = mem->next) {
      for (; asked < WaitingList::epoch_of(*mem); asked += 7) {
        ASSERT_EQ(cache->waiting.bytes_up_to(asked), expected) << asked << " of " << epoch;
      }
      expected += mem->capacity;
    }
    ASSERT_EQ(cache->waiting.bytes_up_to(epoch), expected);
  }
}

TEST_F(ThreadCacheWithWaitingBlocks, CountsThoseOfTheNewestEpoch) {
  release(2, 5);
  release(3, 5);
  EXPECT_EQ(cache->waiting.newest_epoch(), 5u);
  EXPECT_EQ(cache->waiting.unmarked.blocks, 2u);
  EXPECT_EQ(cache->waiting.unmarked.bytes, 5 * granule);
  Mem& returned = hand_out(4);
  cache->give_up_active(100);
  --cache->blocks;
  EXPECT_TRUE(cache->deposit_waiting(returned, 6));
  EXPECT_EQ(cache->waiting.newest_epoch(), 6u);
  EXPECT_EQ(cache->waiting.unmarked.blocks, 1u);
  EXPECT_EQ(cache->waiting.unmarked.bytes, 4 * granule);
  const WaitingList::Unmarked unmarked = std::exchange(cache->waiting.unmarked, {});
  EXPECT_EQ(unmarked.blocks, 1u);
  EXPECT_EQ(unmarked.bytes, 4 * granule);
  EXPECT_EQ(cache->waiting.unmarked.blocks, 0u);
  EXPECT_EQ(cache->waiting.unmarked.bytes, 0u);
  EXPECT_EQ(cache->active_blocks(), 0u);
}

TEST_F(ThreadCacheWithWaitingBlocks, AsksEverMoreSeldomInVain) {
  release(2, 5);
  EXPECT_FALSE(cache->count_miss_and_ask(4, 5)) << "no marker is behind it";
  EXPECT_FALSE(cache->count_miss_and_ask(5, 6)) << "it has waited";
  int asked = 0;
  for (int i = 0; i < 1000; ++i) {
    if (cache->count_miss_and_ask(4, 6)) {
      cache->note_asked(true);
      ++asked;
    }
  }
  EXPECT_EQ(asked, 6 + (1000 - 63) / 64) << "the first, 2, 4, … behind that, at most 64";
  while (!cache->count_miss_and_ask(4, 6)) {
  }
  cache->note_asked(false);
  EXPECT_TRUE(cache->count_miss_and_ask(4, 6)) << "it gets on";
}

TEST_F(ThreadCacheWithWaitingBlocks, FindsTheSmallestThatSufficesOfThoseThatHaveWaited) {
  cache->limit = 100'000 * granule;
  const auto larger = [&](std::uint64_t granules, std::uint64_t more) {
    const Mem* const mem = cache->pop_larger(granules * granule, more * granule, granules * granule);
    return mem != nullptr ? mem->capacity / granule : 0;
  };
  release(3, 5);
  for (const std::uint64_t granules : {40, 12, 300, 14}) {
    release(granules, 5);
  }
  EXPECT_EQ(larger(10, 5), 0u) << "they wait yet";
  EXPECT_TRUE(cache->end_waits(5, 10));
  EXPECT_EQ(larger(10, 1), 0u);
  EXPECT_EQ(larger(10, 5), 12u);
  EXPECT_EQ(cache->excess, 2 * granule);
  EXPECT_EQ(larger(10, 5), 14u);
  EXPECT_EQ(larger(10, 5), 0u) << "that bucket is empty again";
  EXPECT_EQ(larger(250, 100), 300u);
  EXPECT_EQ(larger(39, 39), 40u);
  EXPECT_EQ(larger(3, 3), 3u) << "one of just the size will do";
  EXPECT_EQ(larger(1, 1000), 0u);
}

TEST_F(ThreadCacheWithWaitingBlocks, KnowsNoExcessOfThem) {
  Mem& mem = hand_out(4);
  set_mark(mem, larger_mark);
  cache->excess = 3 * granule;
  EXPECT_TRUE(cache->push_waiting(mem, 5));
  EXPECT_EQ(cache->excess, 0u);
  EXPECT_EQ(mem.marks, 0);
}

/// What others have declared meanwhile, before they gave up their references, is seen.
TEST_F(ThreadCacheWithWaitingBlocks, HasNoneThatWaitForMoreThanThePool) {
  Mem& mem = hand_out(2);
  mem.home = cache.get();
  set_mark(mem, waits_mark);
  set_mark(mem, look_mark);
  EXPECT_FALSE(Pool::may_wait_in_cache(mem));
  ensure_thread_record();
  cache->set_owner(this_thread_record);
  EXPECT_FALSE(Pool::let_wait_in_own_cache(mem));
  cache->set_owner(ThreadCache::nobody());
}

}  // namespace
}  // namespace clpool::core
