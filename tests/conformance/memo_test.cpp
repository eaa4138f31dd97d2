// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// clpool/memo.h: what is computed once, when it goes, and what several threads see of it.
#include "clpool/memo.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "clpool/pool.h"
#include "clpool/testing/gtest.hpp"

namespace {

/// Counts what a cache does with results, which are numbers from 1.
struct Counter {
  std::atomic<intptr_t> computed{0};
  clpool_status answer = CLPOOL_SUCCESS;
};
std::atomic<int> destroyed{0};

clpool_status compute(void* user, void** value) {
  auto* counter = static_cast<Counter*>(user);
  *value = reinterpret_cast<void*>(++counter->computed);
  return counter->answer;
}

void destroy(void*, void*) {
  ++destroyed;
}

class Memo : public testing::Test {
 protected:
  void SetUp() override {
    destroyed = 0;
    ops.compute = compute;
    ops.destroy = destroy;
    ASSERT_EQ(clpool_memo_create(&memo), CLPOOL_SUCCESS);
  }
  void TearDown() override { EXPECT_EQ(clpool_memo_release(memo), CLPOOL_SUCCESS); }

  clpool_status get(const std::string& key, intptr_t& number, void* object = nullptr,
                    uint32_t kind = CLPOOL_MEMO_ANY) {
    clpool_memo_value* value = nullptr;
    const clpool_status status =
        clpool_memo_get(memo, kind, object, key.data(), key.size(), &ops, &counter, &value);
    number = reinterpret_cast<intptr_t>(clpool_memo_value_get(value));
    EXPECT_EQ(clpool_memo_value_release(value), CLPOOL_SUCCESS);
    return status;
  }
  intptr_t got(const std::string& key, void* object = nullptr, uint32_t kind = CLPOOL_MEMO_ANY) {
    intptr_t number = 0;
    EXPECT_EQ(get(key, number, object, kind), CLPOOL_SUCCESS) << clpool_last_error_message();
    return number;
  }
  size_t size() {
    size_t count = 99;
    EXPECT_EQ(clpool_memo_size(memo, &count), CLPOOL_SUCCESS);
    return count;
  }

  clpool_memo* memo = nullptr;
  clpool_memo_ops ops = CLPOOL_MEMO_OPS_INIT;
  Counter counter;
};

TEST_F(Memo, EachObjectAndKeyIsComputedOnce) {
  int first = 0;
  int second = 0;
  EXPECT_EQ(got("a", &first), 1);
  EXPECT_EQ(got("a", &first), 1);
  EXPECT_EQ(got("b", &first), 2);
  EXPECT_EQ(got("a", &second), 3);
  EXPECT_EQ(got("", &second), 4);
  EXPECT_EQ(got(std::string("a\0b", 3), &second), 5) << "keys are bytes, not texts";
  EXPECT_EQ(counter.computed, 5);
  EXPECT_EQ(size(), 5u);
}

TEST_F(Memo, AResultOfNullIsKeptToo) {
  ops.compute = [](void* user, void** value) -> clpool_status {
    ++static_cast<Counter*>(user)->computed;
    *value = nullptr;
    return CLPOOL_SUCCESS;
  };
  EXPECT_EQ(got("a"), 0);
  EXPECT_EQ(got("a"), 0);
  EXPECT_EQ(counter.computed, 1);
}

TEST_F(Memo, AFailureIsNotKept) {
  counter.answer = CLPOOL_ERROR_IO;
  intptr_t number = 0;
  EXPECT_EQ(get("a", number), CLPOOL_ERROR_CALLBACK);
  EXPECT_NE(
      std::string(clpool_last_error_message()).find("reports status 8 (a file could not be read or written)"),
      std::string::npos);
  EXPECT_EQ(size(), 0u);
  counter.answer = CLPOOL_SUCCESS;
  EXPECT_EQ(got("a"), 2);
}

TEST_F(Memo, AComputationThatFailsWithACallOfTheLibraryTellsThatCallsReason) {
  ops.compute = [](void*, void**) { return clpool_pool_free_held(nullptr); };
  intptr_t number = 0;
  EXPECT_EQ(get("a", number), CLPOOL_ERROR_CALLBACK);
  EXPECT_STREQ(clpool_last_error_message(),
               "the computation for a key of 1 bytes reports status 1 (invalid value): "
               "clpool_pool_free_held: pool is NULL");
  ops.compute = [](void*, void**) -> clpool_status {
    clpool_pool_free_held(nullptr);  // is dealt with
    return CLPOOL_ERROR_OUT_OF_MEMORY;
  };
  EXPECT_EQ(get("a", number), CLPOOL_ERROR_OUT_OF_MEMORY);
  EXPECT_STREQ(clpool_last_error_message(),
               "the computation for a key of 1 bytes reports status 3 (out of device memory)");
  ops.compute = [](void*, void**) -> clpool_status { return -61; };
  EXPECT_EQ(get("a", number), CLPOOL_ERROR_OPENCL);
  EXPECT_EQ(clpool_last_cl_error(), -61);
  EXPECT_STREQ(clpool_last_error_message(),
               "the computation: a key of 1 bytes (CL_INVALID_BUFFER_SIZE, -61)");
}

TEST_F(Memo, AComputationThatThrowsFailsWithItsTextAndKeepsNobodyWaiting) {
  static std::atomic<bool> is_running{false};
  is_running = false;
  ops.compute = [](void*, void**) -> clpool_status {
    is_running = true;
    std::this_thread::sleep_for(
        std::chrono::milliseconds(50));  // another thread waits for the key, as a rule
    throw std::runtime_error("no result today");
  };
  std::thread waiting([this] {
    while (!is_running) {
      std::this_thread::yield();
    }
    clpool_memo_ops works = ops;
    works.compute = compute;
    clpool_memo_value* value = nullptr;
    EXPECT_EQ(clpool_memo_get(memo, CLPOOL_MEMO_ANY, nullptr, "a", 1, &works, &counter, &value),
              CLPOOL_SUCCESS);
    EXPECT_EQ(clpool_memo_value_release(value), CLPOOL_SUCCESS);
  });
  intptr_t number = 1;
  EXPECT_EQ(get("a", number), CLPOOL_ERROR_CALLBACK);
  EXPECT_EQ(number, 0);
  EXPECT_STREQ(clpool_last_error_message(), "the computation for a key of 1 bytes threw: no result today");
  waiting.join();
  ops.compute = [](void*, void**) -> clpool_status { throw 1; };
  EXPECT_EQ(get("b", number), CLPOOL_ERROR_CALLBACK);
  EXPECT_STREQ(clpool_last_error_message(), "the computation for a key of 1 bytes threw");
  ops.compute = [](void*, void**) -> clpool_status {
    std::string text = "x";
    for (int i = 0; i < 400; ++i) {
      text += "ä";
    }
    throw std::runtime_error(text);
  };
  EXPECT_EQ(get("b", number), CLPOOL_ERROR_CALLBACK);
  EXPECT_NE(std::strstr(clpool_last_error_message(), "ä ... ä"), nullptr) << "cut between characters";
  EXPECT_EQ(size(), 1u);
}

TEST_F(Memo, FindingNeverComputes) {
  clpool_memo_value* value = nullptr;
  EXPECT_EQ(clpool_memo_find(nullptr, nullptr, "a", 1, &value), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(clpool_memo_find(memo, nullptr, "a", 1, &value), CLPOOL_ERROR_NOT_FOUND);
  EXPECT_STREQ(clpool_last_error_message(), "") << "of another call";
  EXPECT_EQ(value, nullptr);
  got("a");
  EXPECT_EQ(clpool_memo_find(memo, nullptr, "a", 1, &value), CLPOOL_SUCCESS);
  EXPECT_EQ(clpool_memo_value_get(value), reinterpret_cast<void*>(1));
  clpool_memo_value_release(value);
}

TEST_F(Memo, ClearingDestroysResultsButNotThoseInUse) {
  int first = 0;
  int second = 0;
  got("a", &first);
  got("b", &first);
  got("a", &second);
  clpool_memo_value* in_use = nullptr;
  ASSERT_EQ(clpool_memo_find(memo, &first, "a", 1, &in_use), CLPOOL_SUCCESS);
  EXPECT_EQ(clpool_memo_clear_object(memo, &first), CLPOOL_SUCCESS);
  EXPECT_EQ(destroyed, 1);
  EXPECT_EQ(size(), 1u);
  clpool_memo_value_release(in_use);
  EXPECT_EQ(destroyed, 2);
  EXPECT_EQ(clpool_memo_clear(memo), CLPOOL_SUCCESS);
  EXPECT_EQ(destroyed, 3);
  EXPECT_EQ(got("a", &first), 4) << "computed anew";
}

TEST_F(Memo, AResultIsUnmadeWithWhatItsOwnComputationWasGiven) {
  struct Maker {
    intptr_t made;
    std::vector<intptr_t> unmade;
  } first{1, {}}, second{2, {}};
  ops.compute = [](void* user, void** value) -> clpool_status {
    *value = reinterpret_cast<void*>(static_cast<Maker*>(user)->made);
    return CLPOOL_SUCCESS;
  };
  ops.destroy = [](void* user, void* value) {
    static_cast<Maker*>(user)->unmade.push_back(reinterpret_cast<intptr_t>(value));
  };
  const auto ask = [&](const char* key, Maker& maker) {
    clpool_memo_value* value = nullptr;
    EXPECT_EQ(clpool_memo_get(memo, CLPOOL_MEMO_ANY, nullptr, key, 1, &ops, &maker, &value), CLPOOL_SUCCESS);
    EXPECT_EQ(clpool_memo_value_release(value), CLPOOL_SUCCESS);
  };
  ask("a", first);
  ask("b", second);
  ask("b", first);  // is what the second one made
  EXPECT_EQ(clpool_memo_clear(memo), CLPOOL_SUCCESS);
  EXPECT_EQ(first.unmade, std::vector<intptr_t>{1});
  EXPECT_EQ(second.unmade, std::vector<intptr_t>{2});
}

TEST_F(Memo, AllCachesOfTheProcessAreClearedTogether) {
  clpool_memo* other = nullptr;
  ASSERT_EQ(clpool_memo_create(&other), CLPOOL_SUCCESS);
  clpool_memo_value* value = nullptr;
  ASSERT_EQ(clpool_memo_get(other, CLPOOL_MEMO_ANY, nullptr, "x", 1, &ops, &counter, &value), CLPOOL_SUCCESS);
  clpool_memo_value_release(value);
  got("a");
  EXPECT_EQ(clpool_memo_clear_all(), CLPOOL_SUCCESS);
  EXPECT_EQ(destroyed, 2);
  EXPECT_EQ(clpool_memo_release(other), CLPOOL_SUCCESS);
}

TEST_F(Memo, TheLastReferenceClearsTheCache) {
  clpool_memo* other = nullptr;
  ASSERT_EQ(clpool_memo_create(&other), CLPOOL_SUCCESS);
  clpool_memo_value* value = nullptr;
  ASSERT_EQ(clpool_memo_get(other, CLPOOL_MEMO_ANY, nullptr, "x", 1, &ops, &counter, &value), CLPOOL_SUCCESS);
  ASSERT_EQ(clpool_memo_retain(other), CLPOOL_SUCCESS);
  clpool_memo_release(other);
  clpool_memo_release(other);
  EXPECT_EQ(destroyed, 0) << "a value outlives its cache";
  clpool_memo_value_release(value);
  EXPECT_EQ(destroyed, 1);
}

TEST_F(Memo, ThreadsThatAskForTheSameKeyGetOneComputation) {
  ops.compute = [](void* user, void** value) -> clpool_status {
    std::this_thread::yield();
    return compute(user, value);
  };
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int key = 0; key < 200; ++key) {
        intptr_t first = 0;
        intptr_t again = 0;
        const std::string name = std::to_string(key);
        if (get(name, first) != CLPOOL_SUCCESS || get(name, again) != CLPOOL_SUCCESS || first != again) {
          ++wrong;
        }
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(counter.computed, 200);
}

TEST_F(Memo, ClearingWhileOthersComputeLosesNoResult) {
  std::atomic<bool> stop{false};
  std::thread clearing([&] {
    while (!stop) {
      clpool_memo_clear(memo);
      clpool_memo_clear_all();
    }
  });
  for (int i = 0; i < 500; ++i) {
    EXPECT_GT(got("key"), 0);
  }
  stop = true;
  clearing.join();
  clpool_memo_clear(memo);
  EXPECT_EQ(destroyed, counter.computed);
}

TEST_F(Memo, AComputationMayUseTheCacheButNotForItsOwnKey) {
  struct Nested {
    clpool_memo* memo;
    clpool_memo_ops* inner;
    Counter* counter;
    clpool_status own = CLPOOL_SUCCESS;
    clpool_status other = CLPOOL_ERROR_INTERNAL;
  } nested{memo, &ops, &counter};
  clpool_memo_ops outer = CLPOOL_MEMO_OPS_INIT;
  outer.compute = [](void* user, void** value) -> clpool_status {
    auto* state = static_cast<Nested*>(user);
    clpool_memo_value* inner = nullptr;
    state->own = clpool_memo_get(state->memo, CLPOOL_MEMO_ANY, nullptr, "outer", 5, state->inner,
                                 state->counter, &inner);
    state->other = clpool_memo_get(state->memo, CLPOOL_MEMO_ANY, nullptr, "inner", 5, state->inner,
                                   state->counter, &inner);
    *value = clpool_memo_value_get(inner);
    clpool_memo_value_release(inner);
    return CLPOOL_SUCCESS;
  };
  clpool_memo_value* value = nullptr;
  EXPECT_EQ(clpool_memo_get(memo, CLPOOL_MEMO_ANY, nullptr, "outer", 5, &outer, &nested, &value),
            CLPOOL_SUCCESS);
  EXPECT_EQ(nested.own, CLPOOL_ERROR_INVALID_OPERATION);
  EXPECT_EQ(nested.other, CLPOOL_SUCCESS);
  clpool_memo_value_release(value);
}

TEST_F(Memo, WrongArgumentsAreErrors) {
  clpool_memo_value* value = nullptr;
  const auto status_of = [&](uint32_t kind, const void* key, size_t size, const clpool_memo_ops* functions) {
    return clpool_memo_get(memo, kind, nullptr, key, size, functions, &counter, &value);
  };
  EXPECT_EQ(status_of(9, "a", 1, &ops), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(status_of(CLPOOL_MEMO_POOL + 1, "a", 1, &ops), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(clpool_memo_get(memo, CLPOOL_MEMO_POOL + 1, this, "a", 1, &ops, &counter, &value),
            CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(status_of(CLPOOL_MEMO_CONTEXT, "a", 1, &ops), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(status_of(CLPOOL_MEMO_ANY, nullptr, 1, &ops), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(status_of(CLPOOL_MEMO_ANY, "a", 1, nullptr), CLPOOL_ERROR_INVALID_VALUE);
  clpool_memo_ops none;
  clpool_memo_ops_init(&none);
  EXPECT_EQ(status_of(CLPOOL_MEMO_ANY, "a", 1, &none), CLPOOL_ERROR_INVALID_VALUE);
  none = ops;
  none.struct_size = 4;
  EXPECT_EQ(status_of(CLPOOL_MEMO_ANY, "a", 1, &none), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_NE(std::string(clpool_last_error_message()).find("struct_size is 4"), std::string::npos)
      << clpool_last_error_message();
  ops.version = 2;
  EXPECT_EQ(status_of(CLPOOL_MEMO_ANY, "a", 1, &ops), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(clpool_memo_get(nullptr, 0, nullptr, "a", 1, &ops, &counter, &value), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(clpool_memo_clear(nullptr), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(clpool_memo_create(nullptr), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(clpool_memo_release(nullptr), CLPOOL_SUCCESS);
  EXPECT_EQ(clpool_memo_value_get(nullptr), nullptr);
}

bool pool_is_gone = false;

clpool_pool* pool_that_tells_its_end() {
  pool_is_gone = false;
  clpool_allocator_ops memory = CLPOOL_ALLOCATOR_OPS_INIT;
  memory.allocate = [](void*, uint64_t, uint64_t, uint64_t*) -> clpool_status {
    return CLPOOL_ERROR_OUT_OF_MEMORY;
  };
  memory.deallocate = [](void*, uint64_t, uint64_t) {};
  memory.destroy = [](void*) { pool_is_gone = true; };
  clpool_allocator* allocator = nullptr;
  clpool_pool* pool = nullptr;
  EXPECT_EQ(clpool_allocator_create_custom(&memory, nullptr, &allocator), CLPOOL_SUCCESS);
  EXPECT_EQ(clpool_pool_create(allocator, nullptr, &pool), CLPOOL_SUCCESS) << clpool_last_error_message();
  clpool_allocator_release(allocator);
  return pool;
}

TEST_F(Memo, APoolIsHeldUntilItsResultsAreCleared) {
  clpool_pool* const pool = pool_that_tells_its_end();
  got("a", pool, CLPOOL_MEMO_POOL);
  clpool_pool_release(pool);
  EXPECT_FALSE(pool_is_gone);
  EXPECT_EQ(clpool_memo_clear_object(memo, pool), CLPOOL_SUCCESS);
  EXPECT_TRUE(pool_is_gone);
}

TEST_F(Memo, AResultIsDestroyedBeforeItsObjectIsLetGo) {
  clpool_pool* const pool = pool_that_tells_its_end();
  static bool pool_was_gone;
  pool_was_gone = true;
  clpool_memo_ops looking = CLPOOL_MEMO_OPS_INIT;
  looking.compute = compute;
  looking.destroy = [](void*, void*) { pool_was_gone = pool_is_gone; };
  clpool_memo_value* value = nullptr;
  ASSERT_EQ(clpool_memo_get(memo, CLPOOL_MEMO_POOL, pool, "a", 1, &looking, &counter, &value),
            CLPOOL_SUCCESS);
  clpool_memo_value_release(value);
  clpool_pool_release(pool);
  EXPECT_EQ(clpool_memo_clear(memo), CLPOOL_SUCCESS);
  EXPECT_TRUE(pool_is_gone);
  EXPECT_FALSE(pool_was_gone) << "the result may need it";
}

class MemoOfObjects : public clpool::testing::ContextTest {};

cl_uint references_of(cl_context context) {
  cl_uint count = 0;
  clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof count, &count, nullptr);
  return count;
}

// As PyOpenCL's first_arg_dependent_memoize: the object lives as long as results for it are kept.
TEST_P(MemoOfObjects, AnObjectIsHeldUntilItsResultsAreCleared) {
  clpool_memo* memo = nullptr;
  ASSERT_EQ(clpool_memo_create(&memo), CLPOOL_SUCCESS);
  clpool_memo_ops ops = CLPOOL_MEMO_OPS_INIT;
  ops.compute = compute;
  Counter counter;
  const cl_uint before = references_of(context());
  clpool_memo_value* value = nullptr;
  ASSERT_EQ(clpool_memo_get(memo, CLPOOL_MEMO_CONTEXT, context(), "a", 1, &ops, &counter, &value),
            CLPOOL_SUCCESS)
      << clpool_last_error_message();
  clpool_memo_value_release(value);
  EXPECT_EQ(references_of(context()), before + 1);
  counter.answer = CLPOOL_ERROR_IO;
  EXPECT_EQ(clpool_memo_get(memo, CLPOOL_MEMO_CONTEXT, context(), "b", 1, &ops, &counter, &value),
            CLPOOL_ERROR_CALLBACK);
  EXPECT_EQ(references_of(context()), before + 1) << "a failure holds nothing";
  counter.answer = CLPOOL_SUCCESS;
  ASSERT_EQ(clpool_memo_get(memo, CLPOOL_MEMO_QUEUE, queue(), "a", 1, &ops, &counter, &value),
            CLPOOL_SUCCESS);
  clpool_memo_value_release(value);
  ASSERT_EQ(clpool_memo_get(memo, CLPOOL_MEMO_DEVICE, device(), "a", 1, &ops, &counter, &value),
            CLPOOL_SUCCESS);
  clpool_memo_value_release(value);
  EXPECT_EQ(clpool_memo_clear(memo), CLPOOL_SUCCESS);
  EXPECT_EQ(references_of(context()), before);
  EXPECT_EQ(clpool_memo_release(memo), CLPOOL_SUCCESS);
}

CLPOOL_INSTANTIATE_ON_CONTEXTS(MemoOfObjects);

}  // namespace
