// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// A model of a whole pool around its books: an allocator that has a limit and fails, queues that complete
// late, in any order or never, and several requests whose steps interleave in every way that threads could
// make them.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <iterator>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "pool/blocks/pool_block.hpp"
#include "pool/books/books.hpp"

namespace clpool::core {
namespace {

using Kind = Step::Kind;

struct Shape {
  unsigned seed;
  StrategyKind strategy;
  bool handles;
};

std::string name_of(const testing::TestParamInfo<Shape>& info) {
  return std::string(info.param.strategy == StrategyKind::binned ? "binned" : "coalescing") +
         (info.param.handles ? "_handles_" : "_addresses_") + std::to_string(info.param.seed);
}

std::vector<Shape> all_shapes() {
  std::vector<Shape> shapes;
  for (const StrategyKind strategy : {StrategyKind::coalescing, StrategyKind::binned}) {
    for (const bool handles : {false, true}) {
      for (unsigned seed = 1; seed <= 12; ++seed) {
        shapes.push_back({seed, strategy, handles});
      }
    }
  }
  return shapes;
}

/// A set of queues: epochs end in their order, some of them late, some never before the end.
struct ModelQueue : HeldBack {
  std::uint64_t open = 1;
  std::uint64_t complete = 0;
  std::uint64_t last_capacity = 0;  ///< of what came last
  bool stuck = false;
};

/// A thread at work in the pool: what it does outside of the books is begun in one turn and ended in another.
struct Worker {
  enum class At : std::uint8_t { ask, allocate, make_handle, wait, parts, chunks, ended };
  At at = At::ask;
  bool is_request = true;
  bool inside = false;
  bool made_handle = false;
  bool closes = false;  ///< the request has ended; what is left is to be released
  Request request;
  std::uint64_t bytes = 0;     ///< being allocated, or of chunks being given back
  std::uint64_t help = 0;      ///< waits until it is another one
  std::uint64_t awaited = 0;   ///< or until the queue is that far
  std::uint64_t deadline = 0;  ///< or until then
  Garbage garbage;
  int steps = 0;
};

class PoolBooksModel : public testing::TestWithParam<Shape>, protected Surroundings {
 protected:
  void SetUp() override {
    const unsigned seed = GetParam().seed;
    options.strategy = GetParam().strategy;
    options.leading_bits = 4;
    options.min_chunk_bytes = seed % 2 == 0 ? 16 * 1024 : 0;
    options.max_bytes = seed % 3 == 0 ? UINT64_MAX : 512 * 1024;
    options.max_held_bytes = seed % 5 == 0 ? 64 * 1024 : UINT64_MAX;
    options.decay_ns = seed % 4 == 0 ? 5'000'000 : 0;
    options.wait_ns = 10'000'000;
    if (seed % 2 == 1) {
      options.callbacks.collect = [](void*) {};
      options.callbacks.out_of_memory = [](void*, std::uint64_t, std::uint32_t) { return 0; };
    }
    rules.granule = 256;
    rules.has_handles = GetParam().handles;
    rules.outlives_release = GetParam().handles || seed % 2 == 0;
    rules.max_chunk_bytes = seed % 6 == 0 ? 128 * 1024 : 0;
    capacity = seed % 3 == 0 ? 400 * 1024 : UINT64_MAX;
    has_own_queue = seed % 4 != 3;
    random.seed(seed * 7919 + (GetParam().handles ? 1 : 0));
    books = std::make_unique<Books>(options, rules, static_cast<Surroundings&>(*this));
    queues[1].find_by_size();
  }

  // Surroundings
  std::uint64_t earning_requests() const noexcept override { return served; }
  bool has_queues() const noexcept override { return has_own_queue; }
  bool may_look_at_all() const noexcept override { return has_own_queue; }
  bool may_settle(const Request*, std::uint64_t) const noexcept override {
    return has_own_queue && !queues[0].stuck;
  }
  std::uint64_t settling_ns(std::uint64_t, std::uint64_t least) const noexcept override { return least; }
  std::uint64_t completed() const noexcept override { return queues[0].complete; }
  std::uint64_t open() const noexcept override { return queues[0].open; }
  std::uint64_t now_ns() const noexcept override { return now; }
  bool blocks_come_home() const noexcept override { return false; }
  bool uses_parts_once() const noexcept override { return parts_once; }
  bool ended_pools_remain() const noexcept override { return false; }
  std::uint64_t given_back_so_far() const noexcept override { return 0; }
  bool keep(PoolBlock& block) noexcept override {
    const bool keeps = polls && has_caches() && one_in(3);
    if (keeps) {
      clear_use(block);
      cached.push_back(&block);
    }
    return keeps;
  }
  bool has_caches() const {
    return options.strategy == StrategyKind::coalescing && options.max_held_bytes == UINT64_MAX;
  }

  std::size_t below(std::size_t most) { return static_cast<std::size_t>(random() % most); }
  /// Many small blocks at a time, so that there are more unused handles than are kept.
  static bool is_small() { return GetParam().seed % 4 == 1; }
  bool one_in(std::size_t count) { return below(count) == 0; }

  // Queues.
  void look(bool close_all) {
    for (ModelQueue& queue : queues) {
      if (close_all || one_in(3)) {
        ++queue.open;
      }
      if (!queue.stuck && one_in(2)) {
        queue.complete += below(queue.open - queue.complete);
      }
      books->free_completed(queue, queue.complete, 0);
    }
    for (std::size_t i = 0; i < with_events.size();) {
      if (!events_are_stuck && one_in(4)) {
        PoolBlock* const block = with_events[i];
        with_events.erase(with_events.begin() + static_cast<std::ptrdiff_t>(i));
        books->end_pending(*block);
        books->free(*block, has_own_queue ? queues[0].open : 0);
      } else {
        ++i;
      }
    }
  }

  // Blocks.
  std::uint64_t address(const PoolBlock& block) const {
    return pool_chunk(*block.chunk).memory.value + block.offset;
  }
  void hand_out(PoolBlock& block, std::uint64_t size) {
    block.capacity = block.Block::size;
    block.next = nullptr;
    clear_use(block);
    EXPECT_GE(block.capacity, size);
    const std::uint64_t begin = address(block);
    const auto chunk = chunks.upper_bound(begin);
    ASSERT_NE(chunk, chunks.begin()) << "a block of no chunk";
    ASSERT_LE(begin + block.capacity, std::prev(chunk)->first + std::prev(chunk)->second);
    const auto after = live.upper_bound(begin);
    if (after != live.end()) {
      ASSERT_LE(begin + block.capacity, after->first) << "live blocks overlap";
    }
    if (after != live.begin()) {
      ASSERT_LE(std::prev(after)->first + std::prev(after)->second->capacity, begin) << "live blocks overlap";
    }
    if (rules.has_handles) {
      ASSERT_NE(block.handle, nullptr);
    } else {
      ASSERT_EQ(reinterpret_cast<std::uintptr_t>(block.pointer), begin);
    }
    live[begin] = &block;
    ++served;
  }
  PoolBlock* take_live() {
    if (live.empty()) {
      return nullptr;
    }
    const auto at = std::next(live.begin(), static_cast<std::ptrdiff_t>(below(live.size())));
    PoolBlock* const block = at->second;
    live.erase(at);
    return block;
  }
  void release(PoolBlock& block) {
    switch (below(6)) {
      case 0:
        books->hold_back(queues[0], block, queues[0].open);
        break;
      case 1:
        queues[1].last_capacity = block.capacity;
        books->hold_back(queues[1], block, queues[1].open);
        break;
      case 2:
        books->count_pending(block);
        with_events.push_back(&block);
        break;
      case 3:
        if (has_caches()) {
          cached.push_back(&block);
          break;
        }
        [[fallthrough]];
      default:
        books->free(block, has_own_queue && one_in(2) ? queues[0].open : 0);
    }
  }
  void empty_caches() {
    for (PoolBlock* const block : std::exchange(cached, {})) {
      books->free(*block, has_own_queue ? queues[0].open : 0);
    }
  }

  // The driver.
  void living_handle(std::uint64_t begin, std::uint64_t bytes) {
    for (const auto& [other, size] : handles) {
      EXPECT_FALSE(begin < other + size && other < begin + bytes) << "two living handles overlap";
    }
    handles[begin] = bytes;
  }
  void begin_allocation(Worker& worker, std::uint64_t bytes) {
    EXPECT_LE(bytes, options.max_bytes - std::min(options.max_bytes, taken + asked)) << "beyond the limit";
    worker.bytes = bytes;
    asked += bytes;
    worker.at = Worker::At::allocate;
  }
  void end_allocation(Worker& worker) {
    worker.at = Worker::At::ask;
    asked -= worker.bytes;
    if (worker.bytes > capacity - std::min(capacity, taken) || one_in(20)) {
      const bool fatal = one_in(40);
      return books->refused(worker.request, fatal ? Status::opencl : Status::out_of_memory, fatal ? -34 : -4);
    }
    auto chunk = std::make_unique<PoolChunk>();
    chunk->size = worker.bytes;
    chunk->memory.value = next_address;
    chunks[next_address] = worker.bytes;
    next_address += (worker.bytes + 4095) / 4096 * 4096 + 4096;
    taken += worker.bytes;
    books->arrived(worker.request, std::move(chunk));
  }
  void end_handle(Worker& worker) {
    worker.at = Worker::At::ask;
    const std::uint64_t begin = address(*worker.request.block);
    if (one_in(15)) {
      handles.erase(begin);
      return books->handle_failed(worker.request, Status::out_of_memory, -5);
    }
    const std::uintptr_t handle = std::uintptr_t{64} * ++handles_made;
    const bool used_once = parts_once || one_in(3);
    if (used_once) {
      handles_used_once.insert(handle);
    }
    worker.made_handle = true;
    books->handle_made(worker.request, reinterpret_cast<cl_mem>(handle), used_once);
  }

  // Workers.
  void begin_tidying(Worker& worker) {
    worker.garbage = books->take_garbage();
    worker.at = Worker::At::parts;
  }
  void end_parts(Worker& worker) {
    while (Part* const part = worker.garbage.parts.take()) {
      EXPECT_EQ(handles.erase(part->chunk->memory.value + part->offset), 1u) << "released twice";
      books->released(*part);
    }
    worker.at = Worker::At::chunks;
  }
  void end_chunks(Worker& worker) {
    while (const std::unique_ptr<PoolChunk> chunk{worker.garbage.chunks.take()}) {
      EXPECT_EQ(chunk->parts.alive(), 0u) << "a chunk goes before its handles";
      EXPECT_EQ(chunks.erase(chunk->memory.value), 1u) << "a chunk goes twice";
      const auto block = live.lower_bound(chunk->memory.value);
      EXPECT_TRUE(block == live.end() || block->first >= chunk->memory.value + chunk->size)
          << "a chunk goes with live blocks";
      taken -= chunk->size;
    }
    books->released(std::exchange(worker.garbage.bytes, 0));
    if (!books->garbage().empty()) {
      begin_tidying(worker);
    } else {
      worker.at = worker.closes ? Worker::At::ended : Worker::At::ask;
    }
  }
  /// The end of whatever a thread did in the pool.
  void close(Worker& worker) {
    worker.closes = true;
    if (books->garbage().empty()) {
      worker.at = Worker::At::ended;
    } else {
      begin_tidying(worker);
    }
  }
  void close_visit() {
    workers.emplace_back();
    workers.back().is_request = false;
    close(workers.back());
  }
  void ask(Worker& worker) {
    Request& request = worker.request;
    if (worker.steps == 0 && one_in(2) && books->serves_at_once(request)) {
      hand_out(*request.block, request.size);
      return close(worker);
    }
    const Step step = books->next(request);
    ASSERT_LT(++worker.steps, 3000) << "the request does not end";
    const bool asks_others =
        step.kind == Kind::wait || step.kind == Kind::collect || step.kind == Kind::ask_user;
    EXPECT_FALSE(worker.inside && asks_others);
    switch (step.kind) {
      case Kind::done:
        if (const auto handle = reinterpret_cast<std::uintptr_t>(request.block->handle);
            rules.has_handles && parts_once && !worker.made_handle &&
            request.block->Block::size != request.block->chunk->size) {
          EXPECT_TRUE(handles_used_once.contains(handle)) << "a handle that nobody used yet";
        }
        hand_out(*request.block, request.size);
        return close(worker);
      case Kind::fail:
        EXPECT_NE(request.failure, Status::success);
        EXPECT_EQ(request.block, nullptr);
        ++failed;
        return close(worker);
      case Kind::empty_caches:  // what is little may stay, or go next time
        if (one_in(3)) {
          return Books::look_into_caches_again(request);
        }
        return one_in(2) ? empty_caches() : void();
      case Kind::empty_all_caches:
        return empty_caches();
      case Kind::release_garbage:
        EXPECT_FALSE(books->garbage().empty());
        return begin_tidying(worker);
      case Kind::make_handle:
        living_handle(address(*request.block), request.block->Block::size);
        worker.at = Worker::At::make_handle;
        return;
      case Kind::allocate:
        return begin_allocation(worker, step.amount);
      case Kind::poll:
        polls = true;
        look(false);
        polls = false;
        return;
      case Kind::look_at_all:
        return look(false);
      case Kind::look_before_growth:
        return look(below(2) != 0);
      case Kind::settle:
        now += below(2) * 100'000;
        return look(true);
      case Kind::wait:
        worker.help = books->help_for(request);
        worker.awaited = request.waits_for_queues ? queues[0].open : UINT64_MAX;
        worker.deadline = step.amount == UINT64_MAX ? UINT64_MAX : now + step.amount;
        worker.at = Worker::At::wait;
        return;
      case Kind::end_pools:
        return books->pools_ended(request, below(4) == 0);
      case Kind::collect:
        for (std::size_t i = below(3); i > 0; --i) {
          if (PoolBlock* const block = take_live(); block != nullptr) {
            release(*block);
          }
        }
        return books->collected(request);
      case Kind::ask_user:
        return books->answered(request, request.attempt++ < 3);
      case Kind::end_rest:
        ADD_FAILURE() << "only guarded pools have blocks at rest";
        return;
    }
  }
  void go_on_waiting(Worker& worker) {
    const auto is_helped = [&] { return books->help_for(worker.request) != worker.help; };
    if (!is_helped() && now < worker.deadline) {
      empty_caches();
      look(true);
      now += 100'000;
    }
    const bool is_through = worker.request.block == nullptr && completed() >= worker.awaited;
    if (is_helped() || is_through || now >= worker.deadline) {
      worker.at = Worker::At::ask;
      books->waited(worker.request, is_helped()  ? Waited::helped
                                    : is_through ? Waited::through
                                                 : Waited::in_vain);
    }
  }
  void advance(Worker& worker) {
    switch (worker.at) {
      case Worker::At::ask:
        return ask(worker);
      case Worker::At::allocate:
        return end_allocation(worker);
      case Worker::At::make_handle:
        return end_handle(worker);
      case Worker::At::wait:
        return go_on_waiting(worker);
      case Worker::At::parts:
        return end_parts(worker);
      case Worker::At::chunks:
        return end_chunks(worker);
      case Worker::At::ended:
        return;
    }
  }
  void advance_some_worker() {
    const auto at = std::next(workers.begin(), static_cast<std::ptrdiff_t>(below(workers.size())));
    advance(*at);
    if (at->at == Worker::At::ended) {
      workers.erase(at);
    }
  }
  void finish_workers() {
    for (int count = 0; !workers.empty() && !HasFatalFailure(); ++count) {
      ASSERT_LT(count, 200'000) << "somebody waits for what nobody does";
      advance_some_worker();
    }
  }
  void begin_request() {
    workers.emplace_back();
    Worker& worker = workers.back();
    worker.inside = one_in(6);
    worker.request.inside = worker.inside;
    const std::size_t sizes[] = {below(1024), below(8 * 1024), below(64 * 1024), below(160 * 1024)};
    const std::size_t size = sizes[is_small() ? 0 : below(4)];
    if (books->begin(size, worker.request) != Status::success) {
      EXPECT_TRUE(rules.max_chunk_bytes != 0 && size > rules.max_chunk_bytes);
      workers.pop_back();
    }
  }
  void do_something() {
    const std::size_t choice = below(40);
    if (choice < 8 && workers.size() < 5) {
      begin_request();
    } else if (choice < 16) {
      PoolBlock* const block =
          live.size() > (is_small() ? 150 : 8) || one_in(is_small() ? 8 : 4) ? take_live() : nullptr;
      if (block != nullptr) {
        release(*block);
        close_visit();
      }
    } else if (choice == 16) {
      look(false);
      close_visit();
    } else if (choice == 17) {
      books->give_back_some(1 + below(3));
      close_visit();
    } else if (choice == 18) {
      books->trim_some(below(200 * 1024), 2);
      close_visit();
    } else if (choice == 19) {
      books->give_back_aged();
      close_visit();
    } else if (choice == 20) {  // also of a size that has gone
      PoolBlock* const block = books->take_held_back(queues[1], queues[1].last_capacity);
      if (block != nullptr) {
        ++taken_back;
        hand_out(*block, 0);
      }
    } else if (choice == 21 && one_in(4)) {
      queues[below(2)].stuck ^= true;
      events_are_stuck ^= one_in(2);
    } else if (!workers.empty()) {
      advance_some_worker();
    }
    now += 1000;
  }

  PoolOptions options;
  MemoryRules rules;
  std::unique_ptr<Books> books;
  std::mt19937 random;
  std::uint64_t capacity = UINT64_MAX;
  bool has_own_queue = true;
  std::uint64_t served = 0;
  std::uint64_t failed = 0;
  std::uint64_t now = 1;
  bool parts_once = false;  ///< several threads have come, to a driver that needs turns
  bool polls = false;       ///< blocks that come free may be kept
  std::set<std::uintptr_t> handles_used_once;
  std::uint64_t taken = 0;
  std::uint64_t taken_back = 0;  ///< blocks that were held back
  std::uint64_t asked = 0;
  std::uint64_t next_address = 1 << 20;
  std::uint64_t handles_made = 0;
  std::array<ModelQueue, 2> queues;
  bool events_are_stuck = false;
  std::map<std::uint64_t, std::uint64_t> chunks;   ///< that the driver has given, address to bytes
  std::map<std::uint64_t, std::uint64_t> handles;  ///< that are alive in the driver, but for those of chunks
  std::map<std::uint64_t, PoolBlock*> live;        ///< handed out, by address
  std::vector<PoolBlock*> with_events;
  std::vector<PoolBlock*> cached;
  std::deque<Worker> workers;
};
INSTANTIATE_TEST_SUITE_P(, PoolBooksModel, testing::ValuesIn(all_shapes()), name_of);

TEST_P(PoolBooksModel, KeepsItsPromisesUnderAnyInterleaving) {
  for (int round = 0; round < 30'000 && !HasFailure(); ++round) {
    parts_once = round >= 15'000;
    do_something();
    const char* const wrong = books->check();
    ASSERT_EQ(wrong, nullptr) << wrong << " in round " << round;
    PoolStats stats;
    for (const PoolBlock* const block : cached) {
      stats.cached_bytes += block->capacity;
    }
    books->add_to(stats);
    ASSERT_LE(stats.held_bytes, stats.managed_bytes) << "in round " << round;
    ASSERT_LE(stats.peak_managed_bytes, options.max_bytes);
  }
  EXPECT_GT(served, 100u);
  EXPECT_GT(taken_back, 10u);
  finish_workers();
  ASSERT_FALSE(HasFatalFailure());
  // Everything ends: all that is known of memory on its way is at zero.
  for (ModelQueue& queue : queues) {
    queue.complete = queue.open++;
    books->free_completed(queue, queue.complete, 0);
    EXPECT_TRUE(queue.empty());
  }
  for (PoolBlock* const block : std::exchange(with_events, {})) {
    books->end_pending(*block);
    books->free(*block, 0);
  }
  empty_caches();
  while (PoolBlock* const block = take_live()) {
    books->free(*block, 0);
  }
  EXPECT_EQ(books->pending_blocks(), 0u);
  EXPECT_EQ(books->pending_bytes(), 0u);
  while (books->give_back_at_end(2)) {
    close_visit();
    finish_workers();
  }
  EXPECT_TRUE(books->garbage().empty());
  EXPECT_FALSE(books->help_is_under_way(Request())) << "something stays reserved or on its way out";
  EXPECT_TRUE(chunks.empty());
  EXPECT_TRUE(handles.empty());
  EXPECT_EQ(taken, 0u);
  EXPECT_EQ(asked, 0u);
  PoolStats stats;
  books->add_to(stats);
  EXPECT_EQ(stats.managed_bytes, 0u);
  EXPECT_EQ(stats.chunks, 0u);
  EXPECT_EQ(stats.driver_allocations, stats.driver_releases);
}

}  // namespace
}  // namespace clpool::core
