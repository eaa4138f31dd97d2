// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What a pool is made with, what it holds, and what it says: arguments, limits, decay, messages and dumps.
#include <chrono>
#include <nlohmann/json.hpp>
#include <random>
#include <stdexcept>
#include <thread>

#include "conformance/pool/backends.hpp"

namespace clpool::test {
namespace {

class PoolOptionsTest : public testing::Test {
 protected:
  static clpool_pool_options defaults() { return CLPOOL_POOL_OPTIONS_INIT; }
  clpool_status create(const clpool_pool_options* options) {
    auto* pool = reinterpret_cast<clpool_pool*>(1);
    const clpool_status status = clpool_pool_create(allocator.get(), options, &pool);
    EXPECT_EQ(status == CLPOOL_SUCCESS, pool != nullptr);
    clpool_pool_release(pool);
    return status;
  }

  NumberSource numbers;
  AllocatorHandle allocator = numbers.allocator();
};

TEST_F(PoolOptionsTest, NullArgumentsAreRefused) {
  const PoolHandle pool = make_pool(allocator.get());
  clpool_pool* made = nullptr;
  clpool_mem* mem = nullptr;
  clpool_pool_stats stats = CLPOOL_POOL_STATS_INIT;
  constexpr auto refused = CLPOOL_ERROR_INVALID_VALUE;
  EXPECT_EQ(clpool_pool_create(nullptr, nullptr, &made), refused);
  EXPECT_EQ(clpool_pool_create(allocator.get(), nullptr, nullptr), refused);
  EXPECT_EQ(clpool_pool_allocate(nullptr, 1, &mem), refused);
  EXPECT_EQ(clpool_pool_allocate(pool.get(), 1, nullptr), refused);
  EXPECT_EQ(clpool_pool_try_allocate(nullptr, 1, &mem), refused);
  EXPECT_EQ(clpool_pool_try_allocate(pool.get(), 1, nullptr), refused);
  EXPECT_EQ(clpool_pool_statistics(nullptr, &stats), refused);
  EXPECT_EQ(clpool_pool_statistics(pool.get(), nullptr), refused);
  EXPECT_EQ(clpool_pool_free_held(nullptr), refused);
  EXPECT_EQ(clpool_pool_stop_holding(nullptr), refused);
  EXPECT_EQ(clpool_pool_trim(nullptr, 0), refused);
  EXPECT_EQ(clpool_pool_tick(nullptr), refused);
  EXPECT_EQ(clpool_pool_retain(nullptr), refused);
  EXPECT_EQ(clpool_pool_check(nullptr), refused);
  EXPECT_EQ(clpool_pool_visit(pool.get(), nullptr, nullptr), refused);
  EXPECT_EQ(clpool_pool_dump_json(nullptr, nullptr, 0, nullptr), refused);
  EXPECT_EQ(clpool_pool_dump_json(pool.get(), nullptr, 10, nullptr), refused);
  EXPECT_EQ(clpool_mem_set_tag(nullptr, 1), refused);
  EXPECT_EQ(clpool_mem_release_after(nullptr, 0, nullptr), refused);
  EXPECT_EQ(clpool_pool_release(nullptr), CLPOOL_SUCCESS);
  EXPECT_EQ(clpool_mem_release(nullptr), CLPOOL_SUCCESS);
  EXPECT_EQ(clpool_mem_release_later(nullptr), CLPOOL_SUCCESS);
  clpool_pool_options_init(nullptr);
  clpool_pool_stats_init(nullptr);
  clpool_pool_callbacks_init(nullptr);
  EXPECT_EQ(stats_of(pool).allocations, 0u);
}

TEST_F(PoolOptionsTest, WrongValuesAreRefusedByName) {
  const auto refused = [&](auto change, const char* named) {
    clpool_pool_options options = defaults();
    change(options);
    EXPECT_EQ(create(&options), CLPOOL_ERROR_INVALID_VALUE) << named;
    EXPECT_NE(std::string(clpool_last_error_message()).find(named), std::string::npos)
        << clpool_last_error_message();
  };
  refused([](auto& options) { options.strategy = 3; }, "strategy is 3");
  refused([](auto& options) { options.alignment = 3000; }, "3000");
  refused([](auto& options) { options.reserved = 1; }, "reserved is 1 and reserved_2 0");
  refused([](auto& options) { options.reserved_2 = 7; }, "reserved_2 7");
  refused([](auto& options) { options.queue_count = 1; }, "queue_count");
  cl_command_queue queues[2] = {};
  queues[0] = reinterpret_cast<cl_command_queue>(queues);  // is not looked at: all are checked first
  refused(
      [&](auto& options) {
        options.queues = queues;
        options.queue_count = 2;
      },
      "queues[1] is NULL");
  refused([](auto& options) { options.struct_size = 0; }, "struct_size");
  refused([](auto& options) { options.struct_size = offsetof(clpool_pool_options, wait_ns) - 8; },
          "struct_size");
  clpool_pool_callbacks callbacks = CLPOOL_POOL_CALLBACKS_INIT;
  callbacks.version = 2;
  refused([&](auto& options) { options.callbacks = &callbacks; }, "version");
  callbacks = CLPOOL_POOL_CALLBACKS_INIT;
  for (const std::uint32_t size : {4, 36}) {  // too small, and half a pointer
    callbacks.struct_size = size;
    refused([&](auto& options) { options.callbacks = &callbacks; }, "struct_size");
  }
}

TEST_F(PoolOptionsTest, LargerStructsOfNewerProgramsWorkWhileWhatIsNewIsZero) {
  struct Newer {
    clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
    std::uint64_t added = 0;
  } newer;
  newer.options.struct_size = sizeof newer;
  EXPECT_EQ(create(&newer.options), CLPOOL_SUCCESS);
  newer.added = 1;
  EXPECT_EQ(create(&newer.options), CLPOOL_ERROR_NOT_SUPPORTED);

  struct NewerStats {
    clpool_pool_stats stats = CLPOOL_POOL_STATS_INIT;
    std::uint64_t added = 99;
  } stats;
  stats.stats.struct_size = sizeof stats;
  const PoolHandle pool = make_pool(allocator.get());
  EXPECT_EQ(clpool_pool_statistics(pool.get(), &stats.stats), CLPOOL_SUCCESS);
  EXPECT_EQ(stats.added, 0u) << "a figure that this library does not know is 0";
  EXPECT_EQ(stats.stats.struct_size, sizeof stats);
  stats.stats.struct_size = 8;
  EXPECT_EQ(clpool_pool_statistics(pool.get(), &stats.stats), CLPOOL_ERROR_INVALID_VALUE);
}

TEST_F(PoolOptionsTest, InitFunctionsGiveWhatTheMacrosDo) {
  clpool_pool_options options;
  clpool_pool_options_init(&options);
  EXPECT_EQ(options.struct_size, sizeof options);
  EXPECT_EQ(create(&options), CLPOOL_SUCCESS);
  EXPECT_EQ(create(nullptr), CLPOOL_SUCCESS) << "no options are all defaults";
  clpool_pool_stats stats;
  clpool_pool_stats_init(&stats);
  EXPECT_EQ(stats.struct_size, sizeof stats);
  clpool_pool_callbacks callbacks;
  clpool_pool_callbacks_init(&callbacks);
  EXPECT_EQ(callbacks.struct_size, sizeof callbacks);
  EXPECT_EQ(callbacks.version, 1u);
}

TEST_F(PoolOptionsTest, APoolLivesAsLongAsAnyReference) {
  PoolHandle first = make_pool(allocator.get());
  ASSERT_EQ(clpool_pool_retain(first.get()), CLPOOL_SUCCESS);
  const PoolHandle second(first.get());
  first.reset();
  EXPECT_NE(allocate(second, 100), nullptr);
}

TEST_F(PoolOptionsTest, LittleIsHeldWhereLittleMayBe) {
  for (const std::uint32_t strategy : {CLPOOL_STRATEGY_COALESCING, CLPOOL_STRATEGY_BINNED}) {
    clpool_pool_options options = defaults();
    options.strategy = strategy;
    options.max_held_bytes = 1'000'000;
    const PoolHandle pool = make_pool(allocator.get(), options);
    std::vector<MemHandle> live;
    for (std::size_t i = 0; i < 12; ++i) {
      live.push_back(allocate(pool, 400'000 + i * 150'000));
    }
    while (!live.empty()) {
      live.pop_back();
      const clpool_pool_stats stats = stats_of(pool);
      if (strategy == CLPOOL_STRATEGY_BINNED || live.empty()) {
        ASSERT_LE(stats.held_bytes, 1'000'000u) << "blocks that are whole chunks go back at once";
      }
    }
    expect_sound(pool);
  }
}

TEST_F(PoolOptionsTest, WhatIsOldGoesBackDownToTheThreshold) {
  for (const std::uint32_t strategy : {CLPOOL_STRATEGY_COALESCING, CLPOOL_STRATEGY_BINNED}) {
    clpool_pool_options options = defaults();
    options.strategy = strategy;
    options.decay_ns = 1;
    options.release_threshold = 2'000'000;
    options.min_chunk_bytes = 1;
    const PoolHandle pool = make_pool(allocator.get(), options);
    {
      std::vector<MemHandle> blocks;
      for (int i = 0; i < 5; ++i) {
        blocks.push_back(allocate(pool, 1'000'000));
      }
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ASSERT_EQ(clpool_pool_tick(pool.get()), CLPOOL_SUCCESS);
    const clpool_pool_stats stats = stats_of(pool);
    EXPECT_GT(stats.driver_releases, 0u);
    EXPECT_LE(stats.held_bytes, 2'000'000u);
    EXPECT_GT(stats.held_bytes, 0u) << "one that is needed to stay over the threshold stays";
    expect_sound(pool);
  }
}

TEST_F(PoolOptionsTest, NothingDecaysBeforeItsTimeOrUnasked) {
  clpool_pool_options options = defaults();
  options.decay_ns = UINT64_MAX / 2;
  for (const bool decays : {true, false}) {
    const PoolHandle pool = make_pool(allocator.get(), decays ? options : defaults());
    allocate(pool, 1'000'000).reset();
    ASSERT_EQ(clpool_pool_tick(pool.get()), CLPOOL_SUCCESS);
    EXPECT_EQ(stats_of(pool).driver_releases, 0u);
  }
}

TEST_F(PoolOptionsTest, ATickGivesBackWhatIsOverTheReleaseThreshold) {
  clpool_pool_options options = defaults();
  options.release_threshold = 1'500'000;
  options.min_chunk_bytes = 1;
  const PoolHandle pool = make_pool(allocator.get(), options);
  {
    std::vector<MemHandle> blocks;
    for (int i = 0; i < 4; ++i) {
      blocks.push_back(allocate(pool, 1'000'000));
    }
  }
  ASSERT_EQ(clpool_pool_tick(pool.get()), CLPOOL_SUCCESS);
  EXPECT_LE(stats_of(pool).held_bytes, 1'500'000u);
}

TEST_F(PoolOptionsTest, TheFastPathsCacheHoldsAtMost1PercentOr64KiBOrOneBlock) {
  const PoolHandle pool = make_pool(allocator.get());
  std::mt19937 random(21);
  std::vector<MemHandle> live;
  for (int i = 0; i < 20000; ++i) {
    if (live.size() < 300 && random() % 2 == 0) {
      live.push_back(allocate(pool, random() % 30'000));
    } else if (!live.empty()) {
      std::swap(live[random() % live.size()], live.back());
      live.pop_back();
    }
    if (i % 50 == 0) {
      const clpool_pool_stats stats = stats_of(pool);
      ASSERT_LE(stats.cached_bytes, std::max<std::uint64_t>(stats.managed_bytes / 100, 64 << 10));
    }
  }
}

TEST_F(PoolOptionsTest, APoolOverADeferredAllocatorWarns) {
  const OpenCl cl;
  if (cl.context == nullptr) {
    GTEST_SKIP() << "no OpenCL device";
  }
  clpool_allocator* made = nullptr;
  ASSERT_EQ(clpool_allocator_create_deferred(cl.context, 0, &made), CLPOOL_SUCCESS);
  const AllocatorHandle deferred(made);
  Messages messages;
  clpool_pool_callbacks callbacks = CLPOOL_POOL_CALLBACKS_INIT;
  callbacks.message = &Messages::receive;
  clpool_pool_options options = defaults();
  options.callbacks = &callbacks;
  options.user = &messages;
  options.name = "late";
  make_pool(deferred.get(), options).reset();
  EXPECT_EQ(messages.count(CLPOOL_MESSAGE_WARNING, "late"), 1u);
  EXPECT_EQ(messages.count(CLPOOL_MESSAGE_WARNING, "deferred"), 1u);

  Messages global;
  clpool_set_message_callback(&Messages::receive, &global);
  make_pool(deferred.get()).reset();
  EXPECT_EQ(global.count(CLPOOL_MESSAGE_WARNING, "deferred"), 1u);
  make_pool(deferred.get(), options).reset();
  EXPECT_EQ(global.all.size(), 1u) << "a pool's own receiver is the only one for its messages";
  clpool_set_message_callback(nullptr, nullptr);
}

TEST_F(PoolOptionsTest, APoolReleasedWithLiveBlocksListsThemByTag) {
  Messages messages;
  clpool_pool_callbacks callbacks = CLPOOL_POOL_CALLBACKS_INIT;
  callbacks.message = &Messages::receive;
  clpool_pool_options options = defaults();
  options.callbacks = &callbacks;
  options.user = &messages;
  options.name = "leaky";
  PoolHandle pool = make_pool(allocator.get(), options);
  std::vector<MemHandle> blocks;
  for (std::uint64_t i = 0; i < 6; ++i) {
    blocks.push_back(allocate(pool, 100 * (i + 1)));
    ASSERT_EQ(clpool_mem_set_tag(blocks.back().get(), i % 3 == 0 ? 42 : 0), CLPOOL_SUCCESS);
  }
  blocks[5].reset();
  pool.reset();
  EXPECT_EQ(messages.count(CLPOOL_MESSAGE_WARNING, "leaky"), 2u);
  EXPECT_EQ(messages.count(CLPOOL_MESSAGE_WARNING, "2 blocks of 500 bytes with tag 42"), 1u);
  EXPECT_EQ(messages.count(CLPOOL_MESSAGE_WARNING, "3 blocks of 1000 bytes with tag 0"), 1u);
  blocks.clear();
  EXPECT_EQ(messages.all.size(), 2u);
}

TEST_F(PoolOptionsTest, TracesWhatItDoesForThoseWhoAsked) {
  Messages messages;
  clpool_pool_callbacks callbacks = CLPOOL_POOL_CALLBACKS_INIT;
  callbacks.message = &Messages::receive;
  clpool_pool_options options = defaults();
  options.callbacks = &callbacks;
  options.user = &messages;
  options.trace_messages = 1;
  const PoolHandle pool = make_pool(allocator.get(), options);
  allocate(pool, 1234).reset();
  EXPECT_GE(messages.count(CLPOOL_MESSAGE_TRACE, "1234"), 1u);
}

TEST_F(PoolOptionsTest, AReceiverOfTracesMayUseThePoolThatTellsThem) {
  struct User {
    clpool_pool* pool = nullptr;
    int received = 0;
  } user;
  clpool_pool_callbacks callbacks = CLPOOL_POOL_CALLBACKS_INIT;
  callbacks.message = [](void* data, std::int32_t, const char*) {
    auto& self = *static_cast<User*>(data);
    ++self.received;
    clpool_mem* mem = nullptr;
    if (self.pool != nullptr && clpool_pool_allocate(self.pool, 1000, &mem) == CLPOOL_SUCCESS) {
      EXPECT_EQ(clpool_mem_release(mem), CLPOOL_SUCCESS);
    }
  };
  clpool_pool_options options = defaults();
  options.callbacks = &callbacks;
  options.user = &user;
  options.trace_messages = 1;
  const PoolHandle pool = make_pool(allocator.get(), options);
  user.pool = pool.get();
  allocate(pool, 1234).reset();
  user.pool = nullptr;
  EXPECT_GT(user.received, 2);
  EXPECT_EQ(stats_of(pool).active_blocks, 0u);
}

std::string dump(const PoolHandle& pool) {
  std::size_t needed = 0;
  EXPECT_EQ(clpool_pool_dump_json(pool.get(), nullptr, 0, &needed), CLPOOL_SUCCESS);
  std::string text(needed, 'x');
  EXPECT_EQ(clpool_pool_dump_json(pool.get(), text.data(), text.size(), nullptr), CLPOOL_SUCCESS);
  EXPECT_EQ(text.back(), '\0');
  text.pop_back();
  return text;
}

TEST_F(PoolOptionsTest, TheDumpIsTheJsonThatItsHeaderDescribes) {
  clpool_pool_options options = defaults();
  options.name = "quo\"te\\ and\nline \xC3\xA9";
  for (const std::uint32_t strategy : {CLPOOL_STRATEGY_COALESCING, CLPOOL_STRATEGY_BINNED}) {
    options.strategy = strategy;
    const PoolHandle pool = make_pool(allocator.get(), options);
    const MemHandle first = allocate(pool, 1000);
    const MemHandle second = allocate(pool, 70'000);
    allocate(pool, 500).reset();
    ASSERT_EQ(clpool_mem_set_tag(second.get(), UINT64_MAX), CLPOOL_SUCCESS);
    const nlohmann::json json = nlohmann::json::parse(dump(pool));
    const clpool_pool_stats stats = stats_of(pool);
    EXPECT_EQ(json["schema"], "clpool-pool-1");
    EXPECT_EQ(json["name"], options.name);
    EXPECT_EQ(json["strategy"], strategy == CLPOOL_STRATEGY_BINNED ? "binned" : "coalescing");
    EXPECT_EQ(json["statistics"].size(), 20u) << "one for each field of clpool_pool_stats";
    EXPECT_EQ(json["statistics"]["active_bytes"], 71'000u);
    EXPECT_EQ(json["statistics"]["managed_bytes"], stats.managed_bytes);
    ASSERT_EQ(json["chunks"].size(), stats.chunks);
    std::uint64_t managed = 0;
    std::uint64_t requested = 0;
    bool tagged = false;
    for (const auto& chunk : json["chunks"]) {
      std::uint64_t end = 0;
      for (const auto& block : chunk["blocks"]) {
        EXPECT_EQ(block["offset"], end);
        end += block["size"].get<std::uint64_t>();
        const std::string state = block["state"];
        EXPECT_TRUE(state == "active" || state == "free" || state == "cached" || state == "pending");
        EXPECT_EQ(block.contains("tag"), state == "active");
        if (state == "active") {
          requested += block["requested"].get<std::uint64_t>();
          tagged = tagged || block["tag"] == UINT64_MAX;
        }
      }
      EXPECT_EQ(chunk["size"], end);
      managed += end;
    }
    EXPECT_EQ(managed, stats.managed_bytes);
    EXPECT_EQ(requested, stats.active_bytes);
    EXPECT_TRUE(tagged);
  }
}

TEST_F(PoolOptionsTest, ADumpHoldsWhateverIsInAName) {
  clpool_pool_options options = defaults();
  const std::string controls = "\x01\x1b[2J\r\n\t\x7f";
  const std::string page = "</script><b>&amp;'`\xE2\x80\xA8\xE2\x80\xA9\"}";
  const std::string letters = "\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80";
  for (const std::string& name : {controls, page, letters}) {
    options.name = name.c_str();
    const std::string text = dump(make_pool(allocator.get(), options));
    EXPECT_EQ(nlohmann::json::parse(text)["name"], name);
    EXPECT_EQ(text.find_first_of("<>&\r\n\t\x1b\x7f"), std::string::npos) << text;
    EXPECT_EQ(text.find("\xE2\x80\xA8"), std::string::npos) << "ends a line of JavaScript";
  }
}

TEST_F(PoolOptionsTest, ADumpIsUtf8WhateverIsInAName) {
  const std::string replaced = "\xEF\xBF\xBD";
  clpool_pool_options options = defaults();
  const std::pair<std::string, std::string> names[] = {
      {"a\xFFz", "a" + replaced + "z"},                                // never in UTF-8
      {"\xC3", replaced},                                              // cut off
      {"\xC0\xAF", replaced + replaced},                               // a longer form than needed
      {"\xE0\x80\xAF", replaced + replaced + replaced},                // the same
      {"\xED\xA0\x80", replaced + replaced + replaced},                // half of a pair of UTF-16
      {"\xF4\x90\x80\x80", replaced + replaced + replaced + replaced}  // beyond the last character
  };
  for (const auto& [name, expected] : names) {
    options.name = name.c_str();
    EXPECT_EQ(nlohmann::json::parse(dump(make_pool(allocator.get(), options)))["name"], expected);
  }
}

TEST_F(PoolOptionsTest, QueuesWithoutTheirNumberAreRefused) {
  const cl_command_queue queue = nullptr;
  clpool_pool_options options = defaults();
  options.queues = &queue;
  clpool_pool* pool = nullptr;
  EXPECT_EQ(clpool_pool_create(allocator.get(), &options, &pool), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_NE(std::string(clpool_last_error_message()).find("queue_count is 0"), std::string::npos);
}

TEST_F(PoolOptionsTest, ADumpThatDoesNotFitIsCut) {
  const PoolHandle pool = make_pool(allocator.get());
  const std::string whole = dump(pool);
  char text[20];
  std::size_t needed = 0;
  ASSERT_EQ(clpool_pool_dump_json(pool.get(), text, sizeof text, &needed), CLPOOL_SUCCESS);
  EXPECT_EQ(needed, whole.size() + 1);
  EXPECT_EQ(whole.substr(0, 19), text);
}

TEST_F(PoolOptionsTest, ADumpIsNotWrittenBeyondItsPlace) {
  const PoolHandle pool = make_pool(allocator.get());
  const std::string whole = dump(pool);
  for (const std::size_t capacity : {whole.size() - 1, whole.size(), whole.size() + 1}) {
    std::string text(whole.size() + 3, 'x');
    ASSERT_EQ(clpool_pool_dump_json(pool.get(), text.data(), capacity, nullptr), CLPOOL_SUCCESS);
    EXPECT_EQ(text, whole.substr(0, capacity - 1) + '\0' + std::string(text.size() - capacity, 'x'));
  }
}

TEST_F(PoolOptionsTest, HeldBlocksOfACoalescingPoolAreStretchesAndBlocksInCaches) {
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  options.strategy = CLPOOL_STRATEGY_COALESCING;
  options.guard = CLPOOL_GUARD_OFF;  // blocks of guarded pools are in no cache
  const PoolHandle pool = make_pool(allocator.get(), options);
  std::vector<MemHandle> blocks;
  for (int i = 0; i < 4; ++i) {
    blocks.push_back(allocate(pool, 512));
  }
  EXPECT_EQ(stats_of(pool).held_blocks, 0u) << "what was never handed out is no block";
  blocks.clear();
  EXPECT_EQ(stats_of(pool).held_blocks, 4u) << "neighbours, but each is in the thread's cache";
  EXPECT_EQ(clpool_pool_trim(pool.get(), UINT64_MAX), CLPOOL_SUCCESS);  // which empties the caches
  EXPECT_EQ(stats_of(pool).held_blocks, 1u);
  EXPECT_EQ(stats_of(pool).cached_bytes, 0u);
}

TEST_F(PoolOptionsTest, AVisitorMayStopAndMayUseThePool) {
  const PoolHandle pool = make_pool(allocator.get());
  std::vector<MemHandle> blocks;
  for (int i = 0; i < 10; ++i) {
    blocks.push_back(allocate(pool, 1000));
  }
  struct Visit {
    clpool_pool* pool;
    int seen;
  } visit{pool.get(), 0};
  ASSERT_EQ(clpool_pool_visit(
                pool.get(),
                [](void* user, const clpool_pool_stretch*) -> int32_t {
                  auto& self = *static_cast<Visit*>(user);
                  allocate(self.pool, 100).reset();
                  expect_sound(self.pool);
                  return ++self.seen == 3 ? 1 : 0;
                },
                &visit),
            CLPOOL_ERROR_CALLBACK);
  EXPECT_STREQ(clpool_last_error_message(), "clpool_pool_visit: the visitor stopped it with 1");
  EXPECT_EQ(visit.seen, 3);
  const auto throwing = [](void*, const clpool_pool_stretch*) -> int32_t {
    throw std::runtime_error("ugly");
  };
  EXPECT_EQ(clpool_pool_visit(pool.get(), throwing, nullptr), CLPOOL_ERROR_CALLBACK);
  EXPECT_STREQ(clpool_last_error_message(), "clpool_pool_visit: the visitor threw: ugly");
}

}  // namespace
}  // namespace clpool::test
