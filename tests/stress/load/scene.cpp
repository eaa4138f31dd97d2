// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The pools that all threads share, and what must be left of them in the end: nothing.
#include <cinttypes>
#include <thread>

#include "source.hpp"
#include "worker.hpp"

namespace clpool::load {
namespace {

/// Asks again until it is so; gives up after a time that no machine needs.
template <typename Condition>
bool in_the_end(Condition condition) {
  for (int i = 0; i < 20000; ++i) {
    if (condition()) {
      return true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

clpool_pool_stats statistics(clpool_pool* pool) {
  clpool_pool_stats stats = CLPOOL_POOL_STATS_INIT;
  if (clpool_pool_statistics(pool, &stats) != CLPOOL_SUCCESS) {
    report().wrong("statistics: %s", clpool_last_error_message());
  }
  return stats;
}

void end_another_pool() {
  const Allocator source = Source::make(false, 0, 0);
  clpool_pool* pool = nullptr;
  if (clpool_pool_create(source.get(), nullptr, &pool) != CLPOOL_SUCCESS) {
    report().wrong("no pool: %s", clpool_last_error_message());
  }
  clpool_pool_release(pool);
}

void expect_same(const Arena& arena, const char* what, std::uint64_t is, std::uint64_t should_be) {
  if (is != should_be) {
    report().wrong("in the end %s of a pool (%s) are %" PRIu64 ", not %" PRIu64, what,
                   arena.figures->name.c_str(), is, should_be);
  }
}

}  // namespace

Scene::Scene(const Device& device, Context context, std::uint64_t seed, Clock::time_point end)
    : device_(device), context_(std::move(context)), seed_(seed), end_(end), references_(references()) {
  stub_read_counts(&before_);  // of a driver that is not in use, unless it is the one
  Random random(static_cast<std::uint32_t>(seed));
  for (Place& place : places_) {
    place.arena = make_arena(device_, context_, random, Worker::relieve);
    ++pools_;
  }
}

cl_uint Scene::references() const {
  cl_uint count = 0;
  clGetContextInfo(context_.get(), CL_CONTEXT_REFERENCE_COUNT, sizeof count, &count, nullptr);
  return count;
}

Arena Scene::any_arena(Random& random) {
  Place& place = places_[random() % places_.size()];
  const std::lock_guard lock(place.mutex);
  return place.arena;
}

void Scene::replace_arena(Random& random) {
  Arena arena = make_arena(device_, context_, random, Worker::relieve);
  ++pools_;
  Place& place = places_[random() % places_.size()];
  const std::lock_guard lock(place.mutex);
  std::swap(place.arena, arena);
}

std::vector<Held> Scene::exchange(Held held, Random& random) {
  std::vector<Held> taken;
  const std::lock_guard lock(box_mutex_);
  box_.push_back(std::move(held));
  while (box_.size() > 32) {
    std::swap(box_[random() % box_.size()], box_.back());
    taken.push_back(std::move(box_.back()));
    box_.pop_back();
  }
  return taken;
}

void Scene::finish(Arena& arena) {
  for (const Queue& queue : arena.queues) {
    clFinish(queue.get());
  }
  clFinish(arena.foreign.get());
  clpool_pool* const pool = arena.pool.get();
  check_pool(arena);
  clpool_pool_stats stats = statistics(pool);
  expect_same(arena, "blocks handed out", stats.active_blocks, 0);
  expect_same(arena, "blocks counted beside it", static_cast<std::uint64_t>(arena.figures->active), 0);
  expect_same(arena, "bytes handed out", stats.active_bytes, 0);
  expect_same(arena, "bytes reserved", stats.reserved_bytes, 0);
  expect_same(arena, "bytes held", stats.held_bytes, stats.managed_bytes);
  expect_same(arena, "requests served", stats.allocations, arena.figures->served);
  expect_same(arena, "hits and misses", stats.hits + stats.misses, stats.allocations);
  if (!in_the_end([&] {
        clpool_pool_free_held(pool);
        stats = statistics(pool);
        return stats.managed_bytes == 0;
      })) {
    report().wrong("a pool (%s) does not give back %" PRIu64 " bytes, %" PRIu64 " of them pending",
                   arena.figures->name.c_str(), stats.managed_bytes, stats.pending_bytes);
  }
  expect_same(arena, "chunks", stats.chunks, 0);
  expect_same(arena, "bytes held", stats.held_bytes, 0);
  expect_same(arena, "bytes pending", stats.pending_bytes, 0);
  expect_same(arena, "bytes cached", stats.cached_bytes, 0);
  expect_same(arena, "releases of chunks", stats.driver_releases, stats.driver_allocations);
  check_pool(arena);
  if (arena.limits_allocator && !arena.may_fail) {  // all of the limit is there again
    clpool_mem* whole = nullptr;
    if (clpool_allocator_allocate(arena.allocator.get(), arena.limit, &whole) != CLPOOL_SUCCESS) {
      report().wrong("an allocator (%s) has lost some of its limit: %s", arena.figures->name.c_str(),
                     clpool_last_error_message());
    }
    clpool_mem_release(whole);
  }
  arena = Arena();
}

void Scene::finish() {
  box_.clear();
  for (Place& place : places_) {
    finish(place.arena);
  }
  // Pools that ended while commands used their memory give it back by later calls of the library.
  if (!in_the_end([this] {
        end_another_pool();
        return Source::living() == 0 && references() == references_ &&
               stub_same_counts(&before_, nullptr, 0) != 0;
      })) {
    char text[1024] = "";
    static_cast<void>(stub_same_counts(&before_, text, sizeof text));
    report().wrong("left in the end: %" PRId64 " custom allocators, %" PRId64
                   " bytes of theirs, %u references of the context instead of %u; in the fake driver: %s",
                   Source::living(), Source::bytes(), references(), references_, text);
  }
}

}  // namespace clpool::load
