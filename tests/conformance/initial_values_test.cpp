// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The functions clpool_…_init() write what the macros say, all of it, for languages that have no macros.
#include <clpool/clpool.h>
#include <gtest/gtest.h>

#include <cstring>

namespace {

template <typename Struct>
void expect_initial(void (*init)(Struct*), const Struct& initial, const char* name) {
  Struct made;
  std::memset(&made, 0xAB, sizeof made);
  init(&made);
  EXPECT_EQ(made.struct_size, initial.struct_size) << name;
  // Texts are the library's own.
  if constexpr (requires { made.note; }) {
    EXPECT_STREQ(made.note, initial.note) << name;
    made.note = initial.note;
  }
  if constexpr (requires { made.basis; }) {
    EXPECT_STREQ(made.basis, initial.basis) << name;
    made.basis = initial.basis;
  }
  EXPECT_EQ(std::memcmp(&made, &initial, initial.struct_size), 0) << name;
  init(nullptr);  // which is ignored
}

TEST(InitialValues, AreThoseOfTheMacros) {
// Static, so that what lies between the fields is 0 as well.
#define CLPOOL_EXPECT_INITIAL(type, macro)             \
  do {                                                 \
    static const type initial = macro;                 \
    expect_initial<type>(type##_init, initial, #type); \
  } while (false)
  CLPOOL_EXPECT_INITIAL(clpool_allocator_ops, CLPOOL_ALLOCATOR_OPS_INIT);
  CLPOOL_EXPECT_INITIAL(clpool_answer, CLPOOL_ANSWER_INIT);
  CLPOOL_EXPECT_INITIAL(clpool_bank_memory, CLPOOL_BANK_MEMORY_INIT);
  CLPOOL_EXPECT_INITIAL(clpool_box, CLPOOL_BOX_INIT);
  CLPOOL_EXPECT_INITIAL(clpool_device_facts, CLPOOL_DEVICE_FACTS_INIT);
  CLPOOL_EXPECT_INITIAL(clpool_device_limits, CLPOOL_DEVICE_LIMITS_INIT);
  CLPOOL_EXPECT_INITIAL(clpool_device_options, CLPOOL_DEVICE_OPTIONS_INIT);
  CLPOOL_EXPECT_INITIAL(clpool_heap_stats, CLPOOL_HEAP_STATS_INIT);
  CLPOOL_EXPECT_INITIAL(clpool_image_array, CLPOOL_IMAGE_ARRAY_INIT);
  CLPOOL_EXPECT_INITIAL(clpool_image_options, CLPOOL_IMAGE_OPTIONS_INIT);
  CLPOOL_EXPECT_INITIAL(clpool_memo_ops, CLPOOL_MEMO_OPS_INIT);
  CLPOOL_EXPECT_INITIAL(clpool_occupancy, CLPOOL_OCCUPANCY_INIT);
  CLPOOL_EXPECT_INITIAL(clpool_occupancy_request, CLPOOL_OCCUPANCY_REQUEST_INIT);
  CLPOOL_EXPECT_INITIAL(clpool_performance, CLPOOL_PERFORMANCE_INIT);
  CLPOOL_EXPECT_INITIAL(clpool_performance_options, CLPOOL_PERFORMANCE_OPTIONS_INIT);
  CLPOOL_EXPECT_INITIAL(clpool_pool_callbacks, CLPOOL_POOL_CALLBACKS_INIT);
  CLPOOL_EXPECT_INITIAL(clpool_pool_options, CLPOOL_POOL_OPTIONS_INIT);
  CLPOOL_EXPECT_INITIAL(clpool_pool_stats, CLPOOL_POOL_STATS_INIT);
  CLPOOL_EXPECT_INITIAL(clpool_trace_event, CLPOOL_TRACE_EVENT_INIT);
  CLPOOL_EXPECT_INITIAL(clpool_trace_replay_options, CLPOOL_TRACE_REPLAY_OPTIONS_INIT);
  CLPOOL_EXPECT_INITIAL(clpool_trace_replay_result, CLPOOL_TRACE_REPLAY_RESULT_INIT);
  CLPOOL_EXPECT_INITIAL(clpool_trace_stats, CLPOOL_TRACE_STATS_INIT);
#undef CLPOOL_EXPECT_INITIAL
}

}  // namespace
