// Which thread has which cache of a pool, and what becomes of it when the thread ends.
#include <gtest/gtest.h>

#include <optional>
#include <thread>

#include "pool/caches.hpp"

namespace clpool::core {
namespace {

constexpr bool may_cache = true;
constexpr std::uint64_t managed = 1 << 20;

ThreadCache& own_cache(Caches& caches) {
  ensure_thread_record();
  return caches.of_this_thread(may_cache, managed);
}

TEST(Caches, AThreadKeepsItsOwn) {
  Caches caches(1, 9);
  ThreadCache& own = own_cache(caches);
  EXPECT_EQ(&own_cache(caches), &own);
  EXPECT_TRUE(caches.is_own(own));
  EXPECT_FALSE(own.is_abandoned());
}

TEST(Caches, ThatOfAThreadThatEndedIsTakenOverByTheNext) {
  Caches caches(2, 9);
  ThreadCache* first = nullptr;
  std::thread([&] { first = &own_cache(caches); }).join();
  EXPECT_TRUE(first->is_abandoned());
  EXPECT_FALSE(caches.is_own(*first));
  std::thread([&] {
    EXPECT_EQ(&own_cache(caches), first);
    EXPECT_TRUE(caches.is_own(*first));
    EXPECT_FALSE(first->is_abandoned());
  }).join();
}

TEST(Caches, NoLaterThreadIsTakenForOneThatEnded) {
  // Records that nobody keeps would be used again at once: the allocator hands the same memory to the next
  // thread.
  Caches caches(3, 9);
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
  std::optional<Caches> caches(std::in_place, 4, 9);
  std::thread([&] { own_cache(*caches); }).join();
  own_cache(*caches);
  caches.reset();  // the record of the thread that ended goes with them: AddressSanitizer sees it if not
  Caches next(5, 9);
  EXPECT_TRUE(next.is_own(own_cache(next)));
}

TEST(Caches, OfAPoolThatHasEndedBelongToNobody) {
  Caches caches(6, 9);
  ThreadCache& own = own_cache(caches);
  caches.disown_all();
  EXPECT_FALSE(caches.is_own(own));
  EXPECT_TRUE(own.is_abandoned());
}

}  // namespace
}  // namespace clpool::core
