// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What functions refuse that are given valid pointers: results are empty whatever they held, and fields that must be 0
// are looked at.
#include <string>

#include <clpool/clpool.h>

#include "memory.hpp"
#include "support/opencl.hpp"
#include "support/pools.hpp"
#include "support/temporary_file.hpp"

namespace clpool::test {
namespace {

/// Whether a function fails and sets its last argument, the result, to NULL.
template <typename T, typename Function, typename... Arguments>
testing::AssertionResult empties(Function function, Arguments... arguments) {
  T* result = reinterpret_cast<T*>(std::uintptr_t{16});
  const clpool_status status = function(arguments..., &result);
  if (status == CLPOOL_SUCCESS) {
    return testing::AssertionFailure() << "it succeeded";
  }
  return result == nullptr ? testing::AssertionSuccess()
                           : testing::AssertionFailure() << "the result is not NULL";
}

TEST(FailingCreation, LeavesNoResultOfCaches) {
  clpool_memo* memo = nullptr;
  ASSERT_OK(clpool_memo_create(&memo));
  clpool_memo_ops ops = CLPOOL_MEMO_OPS_INIT;
  ops.compute = [](void*, void** value) -> clpool_status {
    *value = value;
    return CLPOOL_ERROR_IO;
  };
  int object = 0;
  EXPECT_TRUE(
      empties<clpool_memo_value>(clpool_memo_get, memo, CLPOOL_MEMO_ANY, &object, "key", 3, &ops, nullptr));
  EXPECT_TRUE(empties<clpool_memo_value>(clpool_memo_get, memo, 99, &object, "key", 3, &ops, nullptr));
  EXPECT_TRUE(empties<clpool_memo_value>(clpool_memo_find, memo, &object, "key", 3));
  EXPECT_OK(clpool_memo_release(memo));
}

TEST(FailingCreation, LeavesNoDeviceData) {
  const auto none = [](auto function, auto... arguments) {
    return empties<clpool_device_data>(function, arguments...);
  };
  clpool_device_limits limits = CLPOOL_DEVICE_LIMITS_INIT;  // none of them is known
  EXPECT_TRUE(none(clpool_device_data_create_from_architecture, "sm_1", CLPOOL_MODEL_CURRENT));
  EXPECT_TRUE(none(clpool_device_data_create_from_architecture, "9.0", 99));
  EXPECT_TRUE(none(clpool_device_data_create_from_compute_capability, 1000, 0, CLPOOL_MODEL_CURRENT));
  EXPECT_TRUE(none(clpool_device_data_create_from_limits, &limits));
}

TEST(FailingCreation, LeavesNoLogAndNoWriter) {
  const std::string nowhere = temporary_file() + "/nowhere";
  EXPECT_TRUE(empties<clpool_trace>(clpool_trace_open, nowhere.c_str()));
  EXPECT_TRUE(empties<clpool_trace>(clpool_trace_parse, "no log", 6, "name"));
  EXPECT_TRUE(empties<clpool_trace_writer>(clpool_trace_writer_create, nowhere.c_str()));
  EXPECT_TRUE(empties<clpool_trace_writer>(clpool_trace_writer_create, ""));
}

bool refused_for_reserved(clpool_status status) {
  return status == CLPOOL_ERROR_INVALID_VALUE &&
         std::string(clpool_last_error_message()).find("reserved is 7, it must be 0") != std::string::npos;
}

TEST(ReservedFields, OfBankMemoryMustBeZero) {
  clpool_bank_memory memory = CLPOOL_BANK_MEMORY_INIT;
  const std::size_t shape[] = {16};
  std::uint64_t multiplicity = 0;
  const auto ask = [&] {
    return clpool_bank_conflicts(&memory, 4, shape, 1, nullptr, 0, &multiplicity, nullptr, 0, nullptr);
  };
  EXPECT_OK(ask());
  memory.reserved = 7;
  EXPECT_TRUE(refused_for_reserved(ask())) << clpool_last_error_message();
}

TEST(ReservedFields, OfReplayOptionsMustBeZero) {
  const std::string log = "Thread,Time,Action,Pointer,Size,Stream\n0,0,allocate,0x1,8,0\n";
  clpool_trace* trace = nullptr;
  ASSERT_OK(clpool_trace_parse(log.data(), log.size(), "log", &trace));
  NumberSource numbers;
  const AllocatorHandle allocator = numbers.allocator();
  clpool_trace_replay_options options = CLPOOL_TRACE_REPLAY_OPTIONS_INIT;
  clpool_trace_replay_result result = CLPOOL_TRACE_REPLAY_RESULT_INIT;
  EXPECT_OK(clpool_trace_replay_allocator(trace, allocator.get(), &options, &result));
  options.reserved = 7;
  EXPECT_TRUE(refused_for_reserved(clpool_trace_replay_allocator(trace, allocator.get(), &options, &result)))
      << clpool_last_error_message();
  EXPECT_EQ(result.allocations, 0u);
  EXPECT_OK(clpool_trace_release(trace));
}

class ReservedFieldsOnDevices : public OpenClTest {};

TEST_F(ReservedFieldsOnDevices, OfImagesMustBeZero) {
  clpool_mem* mem = nullptr;
  clpool_image_options options = CLPOOL_IMAGE_OPTIONS_INIT;
  options.reserved = 7;
  EXPECT_TRUE(refused_for_reserved(clpool_image_create(cl.context, &options, &mem)))
      << clpool_last_error_message();
  clpool_image_array array = CLPOOL_IMAGE_ARRAY_INIT;
  array.reserved = 7;
  EXPECT_TRUE(refused_for_reserved(clpool_image_create_from_array(cl.context, &array, &mem)))
      << clpool_last_error_message();
}

TEST_F(ReservedFieldsOnDevices, OfPerformanceOptionsMustBeZero) {
  clpool_performance_options options = CLPOOL_PERFORMANCE_OPTIONS_INIT;
  options.reserved = 7;
  clpool_performance performance = CLPOOL_PERFORMANCE_INIT;
  EXPECT_TRUE(
      refused_for_reserved(clpool_characterize_performance(cl.context, cl.device, &options, &performance)))
      << clpool_last_error_message();
}

}  // namespace
}  // namespace clpool::test
