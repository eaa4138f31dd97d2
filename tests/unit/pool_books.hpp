// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Books without a pool: a world of figures that a test sets, and requests that are served step by step.
#pragma once

#include "pool/books/books.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "pool/blocks/pool_block.hpp"

namespace clpool::core {

using Kind = Step::Kind;

inline constexpr cl_int out_of_device_memory = -4;

/// What a pool does when it hands a block out, as far as the books see it.
inline void hand_out(PoolBlock& block) {
  block.capacity = block.Block::size;
  clear_use(block);
}

/// The world of named tests: figures that a test sets.
struct StillWorld final : Surroundings {
  std::uint64_t served = 0;
  bool queues = false;
  bool settles = false;
  bool looks_at_all = false;
  std::uint64_t complete = 0;
  std::uint64_t opened = 1;
  std::uint64_t now = 1;
  std::uint64_t coming_home = 0;    ///< in so many steps
  mutable std::uint64_t asked = 0;  ///< how often it was asked whether some chunk is idle
  mutable std::uint64_t asked_for_requests = 0;
  std::uint64_t earning_requests() const noexcept override {
    ++asked_for_requests;
    return served;
  }
  mutable std::uint64_t asked_for_queues = 0;
  bool has_queues() const noexcept override {
    ++asked_for_queues;
    return queues;
  }
  bool may_settle(const Request*, std::uint64_t) const noexcept override { return settles; }
  std::uint64_t longer = 0;  ///< nanoseconds that requests may wait beyond the least
  std::uint64_t settling_ns(std::uint64_t, std::uint64_t least) const noexcept override {
    return least + longer;
  }
  bool may_look_at_all() const noexcept override { return looks_at_all; }
  std::uint64_t completed() const noexcept override {
    ++asked;
    return complete;
  }
  std::uint64_t open() const noexcept override { return opened; }
  std::uint64_t now_ns() const noexcept override { return now; }
  bool keeps = false;  ///< what comes free
  std::vector<PoolBlock*> kept;
  bool keep(PoolBlock& block) noexcept override {
    if (keeps) {
      clear_use(block);
      kept.push_back(&block);
    }
    return keeps;
  }
  bool blocks_come_home() const noexcept override { return coming_home > 0; }
  bool turns = false;  ///< handles must have been used once
  bool uses_parts_once() const noexcept override { return turns; }
  bool remain = false;  ///< ended pools
  bool ended_pools_remain() const noexcept override { return remain; }
  std::uint64_t gave_back = 0;  ///< to the driver, in the whole process
  std::uint64_t given_back_so_far() const noexcept override { return gave_back; }
};

inline PoolOptions binned_options() {
  PoolOptions options;
  options.strategy = StrategyKind::binned;
  options.leading_bits = 4;
  options.wait_ns = 1000;
  options.callbacks.collect = [](void*) {};
  options.callbacks.out_of_memory = [](void*, std::uint64_t, std::uint32_t) { return 0; };
  return options;
}

/// Runs requests step by step and writes down the steps that leave the books.
class PoolBooks : public testing::Test {
 protected:
  void begin_books() { books = std::make_unique<Books>(options, rules, world); }
  void TearDown() override {
    if (books == nullptr) {
      return;
    }
    release_garbage();
    while (books->give_back_at_end(1)) {
      release_garbage();
    }
    EXPECT_EQ(books->check(), nullptr);
  }
  ~PoolBooks() override {
    EXPECT_EQ(taken, 0U) << "a block was not given back, or TearDown() was not called";
  }

  void release_garbage() {
    Garbage garbage = books->take_garbage();
    while (Part* const part = garbage.parts.take()) {
      books->released(*part);
    }
    while (const std::unique_ptr<PoolChunk> chunk{garbage.chunks.take()}) {
      taken -= chunk->size;
    }
    books->released(garbage.bytes);
  }
  void allocate_chunk(Request& request, std::uint64_t bytes) {
    if (bytes > capacity - taken) {
      books->refused(request, Status::out_of_memory, out_of_device_memory);
      return;
    }
    auto chunk = std::make_unique<PoolChunk>();
    chunk->size = bytes;
    chunk->memory.value = next_address;
    next_address += bytes;
    taken += bytes;
    books->arrived(request, std::move(chunk));
  }

  /// Does one step, as a pool does; false at the request's end.
  bool perform(Request& request, const Step& step) {
    switch (step.kind) {
      case Kind::done:
        hand_out(*request.block);
        steps.emplace_back("done");
        return false;
      case Kind::fail:
        steps.emplace_back("fail");
        return false;
      case Kind::release_garbage:
        steps.emplace_back("release garbage");
        release_garbage();
        return true;
      case Kind::make_handle:
        steps.emplace_back("make handle");
        books->handle_made(request, reinterpret_cast<cl_mem>(std::uintptr_t{64} * ++handles), world.turns);
        return true;
      case Kind::allocate:
        steps.push_back("allocate " + std::to_string(step.amount));
        allocate_chunk(request, step.amount);
        return true;
      case Kind::wait:
        steps.emplace_back(request.waits_for_queues ? "wait for queues" : "wait");
        world.now += step.amount == UINT64_MAX ? 1 : step.amount;
        books->waited(request, request.waits_for_queues && gets_through ? Waited::through : Waited::in_vain);
        return step.amount != UINT64_MAX;  // else it is for ever
      case Kind::collect:
        steps.emplace_back("collect");
        books->collected(request);
        return true;
      case Kind::ask_user:
        steps.emplace_back("ask user");
        books->answered(request, request.attempt++ < attempts);
        return true;
      case Kind::look_at_all:
        steps.emplace_back("look at all");
        return true;
      case Kind::look_before_growth:
        steps.emplace_back("look");
        world.settles = world.settles || is_through_at_a_look;
        return true;
      case Kind::settle:
        steps.emplace_back("settle");
        world.now += step.amount;
        return true;
      case Kind::end_pools:
        books->pools_ended(request, pools_to_end-- > 0);
        return true;
      case Kind::empty_caches:
        steps_home += world.coming_home > 0 ? 1 : 0;
        world.coming_home -= world.coming_home > 0 ? 1 : 0;
        return true;
      case Kind::poll:
      case Kind::empty_all_caches:
        return true;
      case Kind::end_rest:
        ADD_FAILURE() << "only guarded pools have blocks at rest";
        return false;
    }
    return false;
  }
  /// The block, or null if the request failed.
  PoolBlock* serve(Request& request) {
    steps.clear();
    for (int count = 0; count < 1000; ++count) {
      if (!perform(request, books->next(request))) {
        return request.failure == Status::success ? request.block : nullptr;
      }
    }
    ADD_FAILURE() << "the request does not end";
    return nullptr;
  }
  PoolBlock* serve(std::size_t size, bool inside = false) {
    Request request;
    EXPECT_EQ(books->begin(size, request), Status::success);
    request.inside = inside;
    return serve(request);
  }
  /// A request that is under way is served; its block comes back.
  void expect_served(Request& request) {
    PoolBlock* const block = serve(request);
    ASSERT_NE(block, nullptr);
    books->free(*block, 0);
  }
  /// Does the steps of a request, and names them to `done` if that is given, until one of that kind comes, which it gives. A
  /// request that ends before fails the test.
  Step run_to(Request& request, Kind kind, std::vector<Kind>* done = nullptr) {
    Step step = books->next(request);
    for (; step.kind != kind; step = books->next(request)) {
      if (done != nullptr) {
        done->push_back(step.kind);
      }
      if (!perform(request, step)) {
        ADD_FAILURE() << "the request ends before that";
        return step;
      }
    }
    return step;
  }
  /// Begins a request, and gives the first step that takes memory from elsewhere, or waits for it.
  Step begin_request(Request& request, std::size_t size) {
    EXPECT_EQ(books->begin(size, request), Status::success);
    Step step = books->next(request);
    while (step.kind == Kind::empty_caches || step.kind == Kind::empty_all_caches ||
           step.kind == Kind::end_pools) {
      step = books->next(request);
    }
    return step;
  }
  std::string allocate_step(std::size_t size) const {
    return "allocate " + std::to_string(books->strategy().rounded(size));
  }

  using Steps = std::vector<std::string>;

  PoolOptions options = binned_options();
  MemoryRules rules;
  StillWorld world;
  std::unique_ptr<Books> books;
  std::uint64_t capacity = UINT64_MAX;
  std::uint64_t taken = 0;
  std::uint64_t next_address = 1 << 20;
  std::uint64_t handles = 0;
  int pools_to_end = 0;               ///< how often ended pools give something back when they are asked
  bool gets_through = false;          ///< a wait for queues ends because they are through
  bool is_through_at_a_look = false;  ///< what was waited for in vain
  std::uint32_t attempts = 1;         ///< how often the user is asked before they say no
  Steps steps;
  std::uint64_t steps_home = 0;  ///< in which blocks came home
};

inline constexpr std::size_t mib = std::size_t{1} << 20;

/// Sizes are not rounded, so that limits are met exactly.
class PoolBooksAtTheirLimits : public PoolBooks {
 protected:
  void SetUp() override {
    options.callbacks = {};
    options.leading_bits = max_leading_bits;
    world.settles = true;
  }
  bool settles(std::size_t size) {
    PoolBlock* const block = serve(size);
    EXPECT_NE(block, nullptr);
    books->free(*block, 0);
    return std::count(steps.begin(), steps.end(), "settle") != 0;
  }
  /// Of the requests that a test makes without naming another, and of the one that it names.
  Account& account() { return books->account_of(Request{}); }
  static Request request_of(std::uint32_t account) {
    Request request;
    request.account = account;
    return request;
  }
  /// A block that was handed out to a request of that account.
  PoolBlock& serve_for(std::uint32_t account, std::size_t size) {
    Request request = request_of(account);
    EXPECT_EQ(books->begin(size, request), Status::success);
    books->note_beginning(request);
    PoolBlock* const block = serve(request);
    EXPECT_NE(block, nullptr);
    books->leave_line(request);
    block->account = static_cast<std::uint16_t>(account);
    return *block;
  }
  /// Whether a request of that account waits.
  bool settles_for(std::uint32_t account, std::size_t size) {
    books->free(serve_for(account, size), 0);
    return std::count(steps.begin(), steps.end(), "settle") != 0;
  }
  /// What is held back was waited for in vain, for a moment.
  void wait_in_vain() { account().note_vain_wait(1, account().came_free(), 1, 0); }
  /// Twice as much may be held back from now on, as that is tried; behind blocks of so many bytes.
  void more_in_flight(std::uint64_t block = 500 * mib) { wait_while(1, 1, block); }
  /// … which has made the device faster: whether it is slower again with what was held back before, which was nothing.
  void go_back_from_a_try() {
    more_in_flight();
    wait_while(2, 2, 500 * mib);
  }

 private:
  /// While so many times the slack may be held back, at a speed of the device.
  void wait_while(std::uint64_t times, std::uint64_t speed, std::uint64_t block) {
    constexpr std::uint64_t wait_ns = 50'000'000;
    while (books->waited_slack().times() == times) {
      blocks_ += 100 * speed;
      freed_ += 100 * speed * block;
      books->waited_slack().note_wait(waited_ns_, waited_ns_ + wait_ns, {freed_, blocks_}, 0);
      waited_ns_ += wait_ns;
    }
  }

  std::uint64_t waited_ns_ = 1;
  std::uint64_t freed_ = 0;
  std::uint64_t blocks_ = 0;
};

/// Requests of two threads.
class PoolBooksOfThreads : public PoolBooksAtTheirLimits {
 protected:
  /// The first has its share held back, the other more; so much is free. A request of the first, which is to wait.
  void wait_for(Request& request, std::size_t size, std::size_t free) {
    begin_books();
    books->hold_back(list, serve_for(2, 40 * mib), 1);
    books->hold_back(list, serve_for(1, 32 * mib), 1);
    books->free(serve_for(2, free), 0);
    request = request_of(1);
    ASSERT_EQ(books->begin(size, request), Status::success);
    const Step step = run_to(request, Kind::settle);
    EXPECT_EQ(step.needed, size);
    request.settled_ns = step.amount;
  }
  void TearDown() override {
    books->free_completed(list, 1, 0);
    EXPECT_EQ(books->pending_bytes(), 0U);
    PoolBooksAtTheirLimits::TearDown();
  }

  HeldBack list;
};

/// … of buffers, whose parts need a handle each.
class PoolBooksWithHandles : public PoolBooks {
 protected:
  void SetUp() override {
    options.strategy = StrategyKind::coalescing;
    options.min_chunk_bytes = 1 << 20;
    rules.granule = 256;
    rules.has_handles = true;
    begin_books();
  }
};

}  // namespace clpool::core
