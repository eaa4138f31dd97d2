// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Which thread has which cache of a pool, and what becomes of it when the thread ends.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <deque>
#include <optional>
#include <semaphore>
#include <set>
#include <thread>
#include <vector>

#include "engine/call_budget.hpp"
#include "pool/caches/caches.hpp"

namespace clpool::core {
namespace {

constexpr bool may_cache = true;
constexpr std::uint64_t managed = 100 << 20;

struct Locks {
  OwnerLock::Revocation revocation;
};
/// A pool's, with granules of 512 bytes.
class CachesOf : private Locks, public Caches {
 public:
  explicit CachesOf(std::uint64_t key, std::uint64_t max_bytes = UINT64_MAX)
      : Caches(key, 9, Locks::revocation, max_bytes) {}
};

ThreadCache& own_cache(Caches& caches, std::uint64_t pool_bytes = managed) {
  ensure_thread_record();
  return caches.of_this_thread(
      caches.at_hand(), [] { return may_cache; }, pool_bytes);
}

struct BlockOf : Mem {
  explicit BlockOf(std::size_t bytes) {
    size = bytes;
    capacity = bytes;
  }
};

/// What the pool does with a block of `size` bytes that a cache hands out or gets back, past the hit path.
void hand_out(Caches& caches, ThreadCache& cache, std::size_t size) {
  if (caches.count_handed_out(cache, BlockOf(size))) {
    caches.raise_peak();
  }
}
void take_back(Caches& caches, ThreadCache& cache, std::size_t size) {
  BlockOf block(size);
  caches.count_returned(cache, block);
}
PoolStats stats_of(Caches& caches) {
  const Borrowed borrowed(caches);
  PoolStats stats;
  caches.add_to(stats, 0);
  return stats;
}

TEST(Caches, AreSharedOutAnewWhereOtherKeepersLeaveLessForTheirs) {
  CachesOf caches(ThreadRecord::key_of(64));
  caches.keeper().begin(2 << 20);
  ThreadCache& own = own_cache(caches);
  own_cache(caches);
  const std::uint64_t limit = own.limit;
  caches.widen(own, 64 << 10, managed);
  const std::uint64_t earned = own.earned;
  std::deque<Keeper> others(1);
  others.front().begin(2 << 20);
  own_cache(caches);
  EXPECT_EQ(own.earned, earned) << "there is as much for each as before";
  while (others.size() != 63) {
    others.emplace_back().begin(2 << 20);
  }
  own_cache(caches);
  EXPECT_LT(own.earned, earned);
  EXPECT_EQ(own.limit, limit - (1 << 20) + own.earned);
}

TEST(Caches, AThreadKeepsItsOwn) {
  CachesOf caches(ThreadRecord::key_of(1));
  ThreadCache& own = own_cache(caches);
  EXPECT_EQ(&own_cache(caches), &own);
  EXPECT_TRUE(caches.is_own(own));
  EXPECT_FALSE(own.is_abandoned());
  EXPECT_EQ(own.granule_shift, 9u) << "sizes that differ by granules have buckets of their own";
}

TEST(Caches, AreAtHandWhenTheirThreadsTableHasGrown) {
  CachesOf first(ThreadRecord::key_of(101));
  CachesOf second(ThreadRecord::key_of(102));
  CachesOf in_first_place(ThreadRecord::key_of(96));  // before and behind
  std::thread([&] {
    ThreadCache& of_first = own_cache(first);
    ThreadCache& of_second = own_cache(second);
    ThreadCache& of_that = own_cache(in_first_place);
    this_thread_record->grow();
    EXPECT_EQ(this_thread_record->cache_of(ThreadRecord::key_of(96)), &of_that);
    EXPECT_EQ(this_thread_record->cache_of(ThreadRecord::key_of(101)), &of_first);
    EXPECT_EQ(this_thread_record->cache_of(ThreadRecord::key_of(102)), &of_second);
  }).join();
}

TEST(Caches, WhatTheyServeWithoutEndEarnsFewDriverCalls) {
  CachesOf caches(ThreadRecord::key_of(61));
  ThreadCache& own = own_cache(caches);
  constexpr int most = static_cast<int>(1 / CallBudget::per_request);  // which earn one
  std::uint64_t before = 0;
  for (const int hits : {most - 1, 1'000'000}) {
    for (int i = 0; i < hits; ++i) {
      own.count_handed_out(4096);
      own.give_up_active(4096);
    }
    hand_out(caches, own, 4096);
    EXPECT_EQ(caches.earning_requests() - before, 0u + std::min(hits + 1, most))
        << hits << " hits, then a visit";
    before = caches.earning_requests();
    take_back(caches, own, 4096);
  }
  EXPECT_EQ(stats_of(caches).allocations, 1'000'002u + most - 1) << "all are counted";
}

TEST(Caches, ThatOfAThreadThatEndedIsTakenOverByTheNext) {
  CachesOf caches(ThreadRecord::key_of(2));
  ThreadCache* first = nullptr;
  std::thread([&] { first = &own_cache(caches); }).join();
  EXPECT_TRUE(first->is_abandoned());
  EXPECT_FALSE(caches.is_own(*first));
  caches.share_limits(may_cache, managed);
  EXPECT_EQ(first->limit, 0u);
  std::thread([&] {
    EXPECT_EQ(&own_cache(caches), first);
    EXPECT_EQ(first->limit, managed / 100);
    EXPECT_TRUE(caches.is_own(*first));
    EXPECT_FALSE(first->is_abandoned());
  }).join();
}

TEST(Caches, NoLaterThreadIsTakenForOneThatEnded) {
  // Records that nobody keeps would be used again at once: the allocator hands the same memory to the next
  // thread.
  CachesOf caches(ThreadRecord::key_of(3));
  ThreadCache* left = nullptr;
  std::thread([&] { left = &own_cache(caches); }).join();
  for (int i = 0; i < 100; ++i) {
    std::thread([&] {
      ensure_thread_record();
      EXPECT_FALSE(caches.is_own(*left));
    }).join();
  }
}

TEST(Caches, GoWithTheirPoolWhetherTheirThreadsLiveOrNot) {
  std::optional<CachesOf> caches(std::in_place, 4);
  std::thread([&] { own_cache(*caches); }).join();
  own_cache(*caches);
  caches.reset();  // the record of the thread that ended goes with them: AddressSanitizer sees it if not
  CachesOf next(ThreadRecord::key_of(5));
  EXPECT_TRUE(next.is_own(own_cache(next)));
}

TEST(Caches, OfPoolsInTurnsKeepTheirPlacesHoweverManyThereAre) {
  constexpr std::size_t count = 40;
  std::array<std::optional<CachesOf>, count> pools;
  for (std::size_t i = 0; i < count; ++i) {
    pools[i].emplace(ThreadRecord::key_of(100 + 16 * i));  // all in one place of a new record
  }
  std::thread([&] {
    std::array<ThreadCache*, count> own{};
    for (int turn = 0; turn < 12; ++turn) {
      for (std::size_t i = 0; i < count; ++i) {
        ThreadCache& cache = own_cache(*pools[i]);
        EXPECT_TRUE(own[i] == nullptr || own[i] == &cache);
        own[i] = &cache;
      }
    }
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_EQ(cache_at_hand(ThreadRecord::key_of(100 + 16 * i)), own[i])
          << "without a lock, and without a search";
    }
  }).join();
}

TEST(Caches, CountHitsWhenTheirThreadComesByOrFiguresAreAsked) {
  CachesOf caches(ThreadRecord::key_of(7));
  std::thread([&] {
    ThreadCache& own = own_cache(caches);
    Mem block;
    block.capacity = 1024;
    hand_out(caches, own, block.size = 1000);
    for (const std::size_t size : {1000, 600, 1024, 700}) {
      ASSERT_TRUE(own.push(block));
      ASSERT_EQ(own.pop(1024, size), &block);
    }
    const PoolStats stats = stats_of(caches);
    EXPECT_EQ(stats.active_blocks, 1u);
    EXPECT_EQ(stats.active_bytes, 700u);
    EXPECT_EQ(stats.peak_active_bytes, 1024u);
    EXPECT_EQ(stats.allocations, 5u);
    ASSERT_TRUE(own.push(block));
    EXPECT_EQ(stats_of(caches).active_bytes, 0u);
    EXPECT_EQ(stats_of(caches).held_blocks, 1u);
    EXPECT_EQ(stats_of(caches).cached_bytes, 1024u);
    EXPECT_EQ(own.withdraw(1024), &block);
    EXPECT_EQ(stats_of(caches).active_blocks, 0u);
    EXPECT_EQ(stats_of(caches).held_blocks, 0u);
  }).join();
}

TEST(Caches, CountWhatOthersReturnWithoutTouchingThem) {
  CachesOf caches(ThreadRecord::key_of(8));
  std::atomic<ThreadCache*> theirs{nullptr};
  std::atomic<bool> is_counted{false};
  std::thread owner([&] {
    ThreadCache& own = own_cache(caches);
    hand_out(caches, own, 5000);
    hand_out(caches, own, 3000);
    theirs = &own;
    while (!is_counted) {
      std::this_thread::yield();
    }
    EXPECT_EQ(own.active_bytes, 8000u) << "only its owner writes there";
    hand_out(caches, own, 4000);
    EXPECT_EQ(own.active_bytes, 7000u);
  });
  while (theirs == nullptr) {
    std::this_thread::yield();
  }
  take_back(caches, *theirs, 5000);
  EXPECT_EQ(caches.active_blocks(), 1u);
  ThreadCache& own = own_cache(caches);
  hand_out(caches, own, 2000);
  take_back(caches, own, 2000);
  is_counted = true;
  owner.join();
  const PoolStats stats = stats_of(caches);
  EXPECT_EQ(stats.active_blocks, 2u);
  EXPECT_EQ(stats.active_bytes, 7000u);
  EXPECT_EQ(stats.peak_active_bytes, 8000u) << "3000 + 4000, and 8000 before";
}

TEST(Caches, TakeBlocksOfOthersInTheOrderOfListsAndNoneOnceTheyAreClosed) {
  CachesOf caches(ThreadRecord::key_of(9));
  ThreadCache& own = own_cache(caches);
  std::array<Mem, 3> blocks;
  EXPECT_FALSE(own.has_returned());
  EXPECT_EQ(own.take_returned(), nullptr);
  ASSERT_TRUE(own.remote.add(blocks[0]));
  EXPECT_TRUE(own.has_returned());
  ASSERT_TRUE(own.remote.add(blocks[1]));
  EXPECT_EQ(own.take_returned(), &blocks[1]);
  EXPECT_TRUE(own.has_returned()) << "in the backlog";
  ASSERT_TRUE(own.remote.add(blocks[2]));
  own.close();
  EXPECT_FALSE(own.remote.add(blocks[1]));
  EXPECT_EQ(own.take_returned(), &blocks[0]);
  EXPECT_EQ(own.take_returned(), &blocks[2]);
  EXPECT_EQ(own.take_returned(), nullptr);
  EXPECT_FALSE(own.has_returned());
}

TEST(Caches, KnowOfAThreadWhatOthersReturnedForIt) {
  CachesOf caches(ThreadRecord::key_of(17));
  ThreadCache* other = nullptr;
  std::thread([&] {
    other = &own_cache(caches);
    hand_out(caches, *other, 8000);
  }).join();
  take_back(caches, *other, 5000);
  hand_out(caches, caches.central(), 6000);  // a peak
  EXPECT_EQ(stats_of(caches).peak_active_bytes, 9000u);
}

TEST(Caches, KnowHowMuchLargerThanNeedBeBlocksAreThatTheirThreadHasWhoeverReturnsThem) {
  CachesOf caches(ThreadRecord::key_of(72));
  ThreadCache& own = own_cache(caches);
  BlockOf first(1000);
  BlockOf second(1000);
  BlockOf third(1000);
  const auto hand_out_larger = [&](Mem& block, std::uint64_t granules) {
    caches.count_handed_out(own, block);
    block.capacity = 1024 + granules * 512;
    set_mark(block, larger_mark);
    own.excess += granules * 512;
  };
  hand_out_larger(first, 3);
  hand_out_larger(second, 5);
  hand_out_larger(third, 7);
  BlockOf of_its_size(1000);
  caches.count_handed_out(own, of_its_size);
  caches.count_returned(own, of_its_size);
  EXPECT_EQ(own.excess, 15 * 512u);
  caches.count_returned(own, first);
  EXPECT_EQ(own.excess, 12 * 512u);
  EXPECT_EQ(first.marks, 0);
  std::thread([&] { caches.count_returned(own, second); }).join();
  EXPECT_EQ(second.marks, 0);
  EXPECT_EQ(own.excess, 12 * 512u) << "only its owner writes there";
  caches.take_in(own);
  EXPECT_EQ(own.excess, 7 * 512u);
  caches.take_in(own);
  EXPECT_EQ(own.excess, 7 * 512u) << "once";
  EXPECT_EQ(third.marks, larger_mark);
}

TEST(Caches, NoticeAPeakOfHitsBelowWhatTheirThreadOnceHad) {
  CachesOf caches(ThreadRecord::key_of(18));
  ThreadCache& own = own_cache(caches);
  hand_out(caches, own, 8000);
  take_back(caches, own, 3000);
  Mem block;
  block.capacity = 2048;
  ASSERT_TRUE(own.deposit(block));
  hand_out(caches, caches.central(), 10'000);
  ASSERT_EQ(own.pop(2048, 2000), &block);
  ASSERT_TRUE(own.push(block));
  EXPECT_EQ(stats_of(caches).active_bytes, 15'000u);
  EXPECT_EQ(stats_of(caches).peak_active_bytes, 17'000u);
  EXPECT_EQ(own.withdraw(2048), &block);
}

/// Threads that live until they are told to end, each of which has asked for its cache of a pool, one after the other.
class LivingThreads {
 public:
  LivingThreads(Caches& caches, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      ThreadCache* own = nullptr;
      std::binary_semaphore has_come{0};
      threads_.emplace_back([&, &end = ends_.emplace_back(0)] {
        own = &own_cache(caches);
        has_come.release();
        end.acquire();
      });
      has_come.acquire();
      caches_.insert(own);
    }
  }
  LivingThreads(const LivingThreads&) = delete;
  LivingThreads& operator=(const LivingThreads&) = delete;
  ~LivingThreads() {
    while (!threads_.empty()) {
      end_one();
    }
  }
  void end_one() {
    ends_.front().release();
    threads_.front().join();
    threads_.pop_front();
    ends_.pop_front();
  }
  const std::set<ThreadCache*>& caches() const { return caches_; }

 private:
  std::deque<std::binary_semaphore> ends_;
  std::deque<std::thread> threads_;
  std::set<ThreadCache*> caches_;
};

constexpr std::size_t most_caches = 256;

TEST(Caches, AreForSoManyThreadsAtATime) {
  CachesOf caches(ThreadRecord::key_of(19));
  const LivingThreads threads(caches, most_caches + 3);
  EXPECT_EQ(threads.caches().size(), most_caches + 1);
  EXPECT_TRUE(threads.caches().count(&caches.central())) << "the others have the one that caches nothing";
}

TEST(Caches, AreNotSearchedAtEachVisitForAThreadThatHasNone) {
  CachesOf caches(ThreadRecord::key_of(20));
  LivingThreads threads(caches, most_caches);
  ASSERT_EQ(&own_cache(caches), &caches.central());
  caches.share_limits(may_cache, managed);
  threads.end_one();
  for (int visit = 0; visit < 256; ++visit) {
    ASSERT_EQ(&own_cache(caches), &caches.central()) << visit;
  }
  EXPECT_NE(&own_cache(caches), &caches.central()) << "found when limits are shared out anew";
}

TEST(Caches, AreFoundOfAThreadWhosePlaceAnotherPoolTookAlsoWhereNoneIsFree) {
  CachesOf caches(ThreadRecord::key_of(21));
  CachesOf other(ThreadRecord::key_of(21 + 4096));  // in the same place, however large the table
  std::thread([&] {
    ThreadCache& own = own_cache(caches);
    ThreadCache& own_of_other = own_cache(other);
    const LivingThreads threads(caches, most_caches - 1);
    const LivingThreads threads_of_other(other, most_caches - 1);
    for (int turn = 0; turn < 3; ++turn) {
      EXPECT_EQ(&own_cache(caches), &own);
      EXPECT_EQ(&own_cache(other), &own_of_other);
    }
  }).join();
}

TEST(Caches, ShareTheirLimitAmongTheThreadsThatLive) {
  constexpr std::uint64_t pool_bytes = 100 << 20;
  CachesOf caches(ThreadRecord::key_of(10));
  ensure_thread_record();
  ThreadCache& own = own_cache(caches, pool_bytes);
  EXPECT_EQ(own.limit, pool_bytes / 100);
  for (int i = 0; i < 9; ++i) {
    std::thread([&] { own_cache(caches); }).join();
  }
  for (int round = 0; round < 3; ++round) {
    std::thread([&] {
      own_cache(caches);
      caches.share_limits(may_cache, pool_bytes);
      EXPECT_EQ(own.limit, pool_bytes / 100 / 2);
    }).join();
    for (int visit = 0; visit < 256; ++visit) {
      EXPECT_EQ(own.limit, pool_bytes / 100 / 2);
      own_cache(caches, pool_bytes);
    }
    EXPECT_EQ(own.limit, pool_bytes / 100) << "seen by and by, as a thread tells nobody that it ends";
  }
}

TEST(Caches, OfASmallPoolHoldAFewSmallBlocksOfDifferentSizes) {
  for (const auto& [pool_bytes, limit] : {std::pair<std::uint64_t, std::uint64_t>{4096, 4096},
                                          {1 << 20, 64 << 10},
                                          {6'400 << 10, 64 << 10},
                                          {64'000 << 10, 640 << 10}}) {
    CachesOf caches(ThreadRecord::key_of(14 + pool_bytes));
    ensure_thread_record();
    EXPECT_EQ(own_cache(caches, pool_bytes).limit, limit);
  }
}

TEST(Caches, HoldMoreWhereThreadsAreInEachOthersWay) {
  constexpr std::uint64_t share = managed / 100;
  constexpr std::uint64_t most = 64 << 20;
  CachesOf caches(ThreadRecord::key_of(11));
  ThreadCache& own = own_cache(caches);
  caches.widen(own, 64 << 10, managed);
  EXPECT_EQ(own.limit, share + (128 << 10)) << "two such blocks";
  caches.widen(own, 512, managed);
  EXPECT_EQ(own.limit, share + (128 << 10)) << "no more than twice what the thread has in use";
  hand_out(caches, own, 4 * most);
  caches.widen(own, 512, managed);
  EXPECT_EQ(own.limit, share + (256 << 10)) << "twice as much each time";
  caches.share_limits(may_cache, managed);
  EXPECT_EQ(own.limit, share + (224 << 10)) << "for some time";
  for (int i = 0; i < 20; ++i) {
    caches.widen(own, 64 << 10, managed);
  }
  EXPECT_EQ(own.limit, share + most);
  caches.widen(own, 64 << 10, 16 * most);
  EXPECT_EQ(own.limit, share + 2 * most) << "or an eighth of what the pool has";
  caches.share_limits(!may_cache, managed);
  EXPECT_EQ(own.limit, 0u);
  caches.share_limits(may_cache, managed);
  EXPECT_EQ(own.limit, share);
}

TEST(Caches, MayHaveThreadsWasteASixteenthOfThePoolTogether) {
  CachesOf caches(ThreadRecord::key_of(71));
  ThreadCache& own = own_cache(caches);
  EXPECT_EQ(own.most_excess, managed / 16);
  std::thread([&] {
    EXPECT_EQ(own_cache(caches).most_excess, managed / 32);
    EXPECT_EQ(own.most_excess, managed / 32);
  }).join();
}

TEST(Caches, HaveNothingWastedThatALimitHasNoRoomFor) {
  CachesOf caches(ThreadRecord::key_of(74), managed + 1000);
  const ThreadCache& own = own_cache(caches);
  EXPECT_EQ(own.most_excess, 1000u);
  caches.share_limits(may_cache, managed / 2);
  EXPECT_EQ(own.most_excess, managed / 32);
  caches.share_limits(may_cache, managed + 1000);
  EXPECT_EQ(own.most_excess, 0u);
}

TEST(Caches, HoldMoreTogetherOnlyUpToALimit) {
  constexpr std::uint64_t most = 64 << 20;
  CachesOf caches(ThreadRecord::key_of(12));
  ThreadCache& own = own_cache(caches);
  caches.widen(own, most, managed);
  EXPECT_EQ(own.limit, managed / 100 + most);
  std::thread([&] {
    ThreadCache& other = own_cache(caches);
    EXPECT_EQ(own.limit, managed / 100 / 2 + most / 2);
    caches.widen(other, most, managed);
    EXPECT_EQ(other.limit, managed / 100 / 2 + most / 2);
    caches.narrow(other);
    EXPECT_EQ(other.limit, managed / 100 / 2) << "memory is short";
    EXPECT_EQ(own.limit, managed / 100 / 2 + most / 2);
  }).join();
}

TEST(Caches, DoNotTakeForAPeakWhatThreadsGaveUpMeanwhile) {
  CachesOf caches(ThreadRecord::key_of(13));
  ThreadCache* other = nullptr;
  std::thread([&] {
    other = &own_cache(caches);
    hand_out(caches, *other, 1000);
    other->give_up_active(1000);  // on the hit path, and nothing after it
  }).join();
  ThreadCache& own = caches.central();
  hand_out(caches, own, 100);
  EXPECT_EQ(stats_of(caches).peak_active_bytes, 1000u);
  hand_out(caches, own, 1000);
  EXPECT_EQ(stats_of(caches).peak_active_bytes, 1100u);
  own.count_handed_out(50);
  caches.take_in(own);
  EXPECT_EQ(stats_of(caches).peak_active_bytes, 1150u);
}

TEST(Caches, TellNoPeakBelowWhatIsInUse) {
  CachesOf caches(ThreadRecord::key_of(16));
  ThreadCache* other = nullptr;
  std::thread([&] {
    other = &own_cache(caches);
    hand_out(caches, *other, 1000);
    other->count_handed_out(500);  // on the hit path
    ++other->blocks;
  }).join();
  take_back(caches, *other, 1000);  // by this thread
  take_back(caches, *other, 400);   // of what the pool has not heard of
  caches.take_in(*other);
  other->count_handed_out(2000);
  ++other->blocks;
  EXPECT_EQ(stats_of(caches).active_bytes, 2100u);
  EXPECT_EQ(stats_of(caches).peak_active_bytes, 2100u);
}

TEST(Caches, AreLeftAloneWithOnePercentOfThePoolAndALittle) {
  CachesOf caches(ThreadRecord::key_of(17));
  EXPECT_EQ(caches.allowance(0), 1u << 20);
  EXPECT_EQ(caches.allowance(100 << 20), 1u << 20);
  EXPECT_EQ(caches.allowance(200 << 20), 2u << 20);
  caches.keeper().begin(1u << 20);
  EXPECT_EQ(caches.allowance(1 << 20), 64u << 10) << "of a keeper";
  EXPECT_EQ(caches.allowance(200 << 20), 2u << 20);
}

/// A thread that is in its cache, until it is told to leave, and then tries to enter again.
class OwnerInside {
 public:
  explicit OwnerInside(Caches& caches)
      : owner_([this, &caches] {
          ThreadCache& cache = own_cache(caches);
          EXPECT_TRUE(cache.lock.try_enter(caches.revocation()));
          is_inside_.release();
          leaves_.acquire();
          cache.lock.leave();
          has_left_.release();
          tries_.acquire();
          enters_ = cache.lock.try_enter(caches.revocation());
          if (enters_) {
            cache.lock.leave();
          }
        }) {
    is_inside_.acquire();
  }
  OwnerInside(const OwnerInside&) = delete;
  OwnerInside& operator=(const OwnerInside&) = delete;
  ~OwnerInside() { EXPECT_FALSE(owner_.joinable()); }
  void leave() {
    leaves_.release();
    has_left_.acquire();
  }
  /// The last that it does.
  bool enters() {
    tries_.release();
    owner_.join();
    return enters_;
  }

 private:
  std::binary_semaphore is_inside_{0};
  std::binary_semaphore leaves_{0};
  std::binary_semaphore has_left_{0};
  std::binary_semaphore tries_{0};
  bool enters_ = false;
  std::thread owner_;
};

TEST(BorrowedCaches, AreNoneThatTheirOwnersAreIn) {
  OwnerLock::initialize();
  CachesOf caches(ThreadRecord::key_of(17));
  OwnerInside owner(caches);
  std::binary_semaphore has_them{0};
  std::binary_semaphore gives_back{0};
  std::thread borrower([&] {
    const Borrowed borrowed(caches);
    has_them.release();
    gives_back.acquire();
  });
  // As long as one likes; whoever does not wait is there sooner.
  const bool came_too_early = has_them.try_acquire_for(std::chrono::milliseconds(50));
  EXPECT_FALSE(came_too_early);
  owner.leave();
  if (!came_too_early) {
    has_them.acquire();
  }
  EXPECT_FALSE(owner.enters()) << "while they are borrowed";
  gives_back.release();
  borrower.join();
}

TEST(BorrowedCaches, AreTheirOwnersAgainAfterwards) {
  OwnerLock::initialize();
  CachesOf caches(ThreadRecord::key_of(18));
  OwnerInside owner(caches);
  owner.leave();
  { const Borrowed borrowed(caches); }
  EXPECT_TRUE(owner.enters());
}

TEST(Caches, OfAPoolThatHasEndedBelongToNobody) {
  CachesOf caches(ThreadRecord::key_of(6));
  ThreadCache& own = own_cache(caches);
  caches.disown_all();
  EXPECT_FALSE(caches.is_own(own));
  EXPECT_TRUE(own.is_abandoned());
}

}  // namespace
}  // namespace clpool::core
