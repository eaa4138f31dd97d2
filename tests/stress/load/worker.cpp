// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
#include "worker.hpp"

#include "turn.hpp"

namespace clpool::load {
namespace {

constexpr std::size_t most_held = 24;

/// What a thread has when it ends, given back when its thread-local objects go: after the library's own, as
/// this one was there first.
struct Leftovers {
  ~Leftovers() {
    const Turn turn;
    held.clear();
  }
  std::vector<Held> held;
};
thread_local Leftovers leftovers;

void expect(clpool_status status, const char* what) {
  if (status != CLPOOL_SUCCESS) {
    report().wrong("%s: status %d: %s", what, status, clpool_last_error_message());
  }
}

/// A request may fail only in the ways that the pool's source and limit give a reason for.
bool may_be(const Arena& arena, clpool_status status) {
  switch (status) {
    case CLPOOL_SUCCESS:
      return true;
    case CLPOOL_ERROR_OUT_OF_MEMORY:
      return arena.limit != 0 || arena.may_fail;
    case CLPOOL_ERROR_OPENCL:
    case CLPOOL_ERROR_CALLBACK:
      return arena.may_fail;
    default:
      return false;
  }
}

}  // namespace

thread_local Worker* Worker::current = nullptr;

void check_pool(const Arena& arena) {
  expect(clpool_pool_check(arena.pool.get()), "check of a pool");
}

Worker::Worker(Scene& scene, std::uint32_t lane, std::uint32_t generation)
    : scene_(scene), random_([&] {
        std::seed_seq seeds{static_cast<std::uint32_t>(scene.seed()), lane, generation};
        return Random(seeds);
      }()) {
  const Turn turn;
  leftovers.held.clear();
  current = this;
}

Worker::~Worker() {
  const Turn turn;
  current = nullptr;
  if (chance(2)) {
    leftovers.held = std::move(held_);
  }
  held_.clear();
}

void Worker::run() {
  const std::uint64_t operations = 50 + random_() % 3000;
  std::uint64_t done = 0;
  while (done < operations && !scene_.is_over()) {
    const Turn turn;
    step();
    ++done;
  }
  scene_.count(done);
}

bool Worker::relieve() {
  if (current == nullptr || current->held_.empty()) {
    return false;
  }
  current->release_one();
  return true;
}

void Worker::step() {
  const std::uint64_t choice = random_() % 1000;
  if (held_.empty() || (choice < 280 && held_.size() < most_held)) {
    allocate();
  } else if (choice < 420) {
    any().write(random_);
  } else if (choice < 540) {
    any().check();
  } else if (choice < 640) {
    copy();
  } else if (choice < 850) {
    release_one();
  } else if (choice < 910) {
    exchange_one();
  } else if (choice < 940) {
    any().use_on_foreign(random_);
  } else if (choice < 960) {
    any().set_tag(random_);
  } else if (choice < 999) {
    use_pool();
  } else {
    scene_.replace_arena(random_);
  }
}

std::size_t Worker::any_size() {
  switch (random_() % 16) {
    case 0:
      return random_() % 8;
    case 1:
      return random_() % (512 << 10);
    case 2:
      return std::size_t{1024} << random_() % 6;
    default:
      return random_() % (16 << 10);
  }
}

void Worker::allocate() {
  const Arena arena = scene_.any_arena(random_);
  if (chance(20)) {
    allocate_directly(arena);
    return;
  }
  const bool on_foreign = !arena.is_custom() && chance(10);
  const Queue queue = arena.is_custom()
                          ? Queue()
                          : (on_foreign ? arena.foreign : arena.queues[random_() % arena.queues.size()]);
  clpool_mem* mem = nullptr;
  clpool_status status = CLPOOL_SUCCESS;
  if (on_foreign || (!arena.is_custom() && chance(4))) {
    status = clpool_pool_allocate_on(arena.pool.get(), queue.get(), any_size(), &mem);
  } else if (chance(4)) {
    status = clpool_pool_try_allocate(arena.pool.get(), any_size(), &mem);
    if (status == CLPOOL_ERROR_WOULD_BLOCK) {
      return;
    }
  } else {
    status = clpool_pool_allocate(arena.pool.get(), any_size(), &mem);
  }
  if (!may_be(arena, status)) {
    report().wrong("a request to a pool (%s): status %d: %s", arena.figures->name.c_str(), status,
                   clpool_last_error_message());
  }
  if (mem != nullptr) {
    held_.emplace_back(arena, mem, queue, true).write(random_);
  }
}

void Worker::allocate_directly(const Arena& arena) {
  clpool_mem* mem = nullptr;
  const clpool_status status = clpool_allocator_allocate(arena.allocator.get(), any_size(), &mem);
  if (!may_be(arena, status)) {
    report().wrong("a request to an allocator (%s): status %d: %s", arena.figures->name.c_str(), status,
                   clpool_last_error_message());
  }
  if (mem != nullptr) {
    held_.emplace_back(arena, mem, arena.is_custom() ? Queue() : arena.queues[0], false).write(random_);
  }
}

void Worker::copy() {
  const std::size_t target = random_() % held_.size();
  const std::size_t start = random_() % held_.size();
  for (std::size_t i = 0; i < held_.size(); ++i) {
    const std::size_t source = (start + i) % held_.size();
    if (source == target || !held_[target].copy_from(held_[source], random_)) {
      continue;
    }
    if (chance(2)) {  // while the command that reads it may not have begun
      std::swap(held_[source], held_.back());
      Held last = std::move(held_.back());
      held_.pop_back();
      last.release(random_);
    }
    return;
  }
}

void Worker::release_one() {
  std::swap(any(), held_.back());
  Held last = std::move(held_.back());
  held_.pop_back();
  if (chance(2)) {
    last.check();
  }
  last.release(random_);
}

void Worker::exchange_one() {
  std::swap(any(), held_.back());
  Held mine = std::move(held_.back());
  held_.pop_back();
  for (Held& other : scene_.exchange(std::move(mine), random_)) {
    other.check();
    held_.push_back(std::move(other));
  }
}

void Worker::use_pool() {
  const Arena arena = scene_.any_arena(random_);
  clpool_pool* const pool = arena.pool.get();
  switch (random_() % 10) {
    case 0:
      expect(clpool_pool_trim(pool, random_() % (1 << 20)), "trim");
      break;
    case 1:
      expect(clpool_pool_free_held(pool), "give back what is held");
      break;
    case 2: {
      char text[512];
      expect(clpool_pool_dump_json(pool, text, sizeof text, nullptr), "picture");
      break;
    }
    case 3: {
      const auto visitor = [](void*, const clpool_pool_stretch* stretch) -> std::int32_t {
        return stretch->size != 0 ? 0 : 1;
      };
      expect(clpool_pool_visit(pool, visitor, nullptr), "visit");
      break;
    }
    case 4:
      check_pool(arena);
      break;
    case 5:
      if (chance(50)) {
        expect(clpool_pool_stop_holding(pool), "stop holding");
      }
      break;
    case 6:
    case 7:
      expect(clpool_pool_tick(pool), "tick");
      break;
    default: {
      clpool_pool_stats stats = CLPOOL_POOL_STATS_INIT;
      expect(clpool_pool_statistics(pool, &stats), "statistics");
      if (!arena.limits_allocator && arena.limit != 0 && stats.peak_managed_bytes > arena.limit) {
        report().wrong("a pool limited to %llu bytes had %llu", static_cast<unsigned long long>(arena.limit),
                       static_cast<unsigned long long>(stats.peak_managed_bytes));
      }
    }
  }
}

}  // namespace clpool::load
