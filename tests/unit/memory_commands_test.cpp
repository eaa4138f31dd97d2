// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What the library asks the driver for: how often, behind what, and with which events.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "allocator/direct.hpp"
#include "cl/marker.hpp"
#include "memory/buffer.hpp"
#include "memory/image.hpp"
#include "memory/image_transfer.hpp"
#include "memory/map.hpp"
#include "memory/object.hpp"
#include "memory/range.hpp"
#include "memory/rect.hpp"
#include "memory/svm.hpp"
#include "memory/transfer.hpp"
#include "support/driver.hpp"
#include "support/fake_device.hpp"
#include "support/opencl.hpp"
namespace clpool::core {
namespace {

namespace driver = test::driver;

class MemoryCommands : public test::OpenClTest {
 protected:
  void TearDown() override { driver::reset(); }
  /// The only free behind a queue since the last driver::reset().
  static driver::Command only_free() {
    EXPECT_EQ(driver::calls("clEnqueueSVMFree"), 1);
    for (driver::Command& command : driver::commands()) {
      if (command.function == "clEnqueueSVMFree") {
        return command;
      }
    }
    return {};
  }
};

TEST_F(MemoryCommands, LargeFillsAreSplitAndGiveOneEvent) {
  for (const cl_command_queue queue : {cl.queue, cl.another_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)}) {
    if (queue == nullptr) {
      continue;
    }
    Mem* mem = nullptr;
    ASSERT_EQ(create_buffer_object(cl.context, 0, 1000, nullptr, 0, mem), Status::success);
    driver::reset();
    cl_event event = nullptr;
    const Status status = fill({queue, 0, nullptr, &event}, *mem, {"abcdefgh", 8}, 0, whole_size, 64);
    ASSERT_EQ(status, Status::success) << last_error_message();
    EXPECT_EQ(driver::calls("clEnqueueFillBuffer"), 16);  // 15 of 64 bytes and one of 40
    clWaitForEvents(1, &event);
    clReleaseEvent(event);
    char values[1000];
    ASSERT_EQ(read({queue, 0, nullptr, nullptr}, *mem, 0, {values, sizeof values}, whole_size, true),
              Status::success);
    for (std::size_t i = 0; i < sizeof values; ++i) {
      ASSERT_EQ(values[i], "abcdefgh"[i % 8]) << i;
    }
    EXPECT_EQ(release_mem(*mem), Status::success);
  }
  EXPECT_LT(largest_fill, std::size_t{1} << 31);
}

TEST_F(MemoryCommands, AHandOverFlushesTheOldQueueAndKeepsNoEvent) {
  const cl_command_queue other = cl.another_queue();
  driver::reset();
  const driver::Live before = driver::live();
  const Status status = cl::hand_over(cl.queue, other);
  ASSERT_EQ(status, Status::success) << last_error_message();
  EXPECT_EQ(driver::calls("clFlush"), 1);
  EXPECT_EQ(driver::calls("clFinish"), 0);
  EXPECT_EQ(driver::live(), before);
}

struct P2pCall {
  cl_mem source = nullptr;
  cl_mem target = nullptr;
  std::size_t size = 0;
} p2p_call;

cl_int CL_API_CALL pretended_p2p(cl_command_queue, cl_mem source, cl_mem target, std::size_t, std::size_t,
                                 std::size_t size, cl_uint, const cl_event*, cl_event*) {
  p2p_call = {source, target, size};
  return CL_SUCCESS;
}

TEST_F(MemoryCommands, CopiesBetweenContextsUseTheExtensionWhereThereIsOne) {
  Mem* source = nullptr;
  Mem* target = nullptr;
  ASSERT_EQ(create_buffer_object(cl.context, 0, 1000, nullptr, 0, source), Status::success);
  ASSERT_EQ(create_buffer_object(cl.context, 0, 800, nullptr, 0, target), Status::success);
  {
    const test::PretendedExtension extension("cl_amd_copy_buffer_p2p", "clEnqueueCopyBufferP2PAMD",
                                             reinterpret_cast<void*>(&pretended_p2p));
    EXPECT_EQ(copy_p2p({cl.queue, 0, nullptr, nullptr}, *target, 0, *source, 0, whole_size), Status::success);
  }
  EXPECT_EQ(p2p_call.source, source->handle);
  EXPECT_EQ(p2p_call.target, target->handle);
  EXPECT_EQ(p2p_call.size, 800u);
  EXPECT_EQ(copy_p2p({cl.queue, 0, nullptr, nullptr}, *target, 0, *source, 0, whole_size),
            Status::not_supported);
  EXPECT_EQ(release_mem(*source), Status::success);
  EXPECT_EQ(release_mem(*target), Status::success);
}

TEST_F(MemoryCommands, ReleasesNeverWait) {
  Mem* mem = nullptr;
  ASSERT_EQ(create_buffer_object(cl.context, 0, 1000, nullptr, 0, mem), Status::success);
  Map* map = nullptr;
  ASSERT_EQ(map_memory({cl.queue, 0, nullptr, nullptr}, *mem, CL_MAP_READ, 0, whole_size, true, map),
            Status::success);
  driver::reset();
  EXPECT_EQ(release_map(*map), Status::success);
  EXPECT_EQ(release_mem(*mem), Status::success);
  EXPECT_EQ(driver::calls("clFinish"), 0);
  EXPECT_EQ(driver::calls("clEnqueueUnmapMemObject"), 1);
}

class DriverWithABug : public test::OpenClTest {};

TEST_F(DriverWithABug, ImagesOverPartsOfABufferAreRefusedWhereTheyWouldReadZeros) {
  Mem* buffer = nullptr;
  ASSERT_EQ(create_buffer_object(cl.context, 0, 4096, nullptr, 0, buffer), Status::success);
  Mem* part = nullptr;
  ASSERT_EQ(make_sub_region(*buffer, 0, 1024, 0, part), Status::success);
  ImageDescription plan;
  plan.format = {CL_RGBA, CL_UNSIGNED_INT8};
  plan.dimensions = 1;
  plan.shape[0] = 16;
  const test::PretendedPlatform rusticl("rusticl");
  driver::reset();
  plan.buffer = part;
  Mem* image = nullptr;
  EXPECT_EQ(create_image(cl.context, plan, image), Status::not_supported);
  EXPECT_NE(std::string(last_error_message()).find("rusticl"), std::string::npos) << last_error_message();
  EXPECT_EQ(driver::calls("clCreateImage"), 0);
  plan.buffer = buffer;  // a whole one is for the driver to decide
  static_cast<void>(create_image(cl.context, plan, image));
  EXPECT_EQ(driver::calls("clCreateImage"), 1);
  for (Mem* mem : {image, part, buffer}) {
    if (mem != nullptr) {
      EXPECT_EQ(release_mem(*mem), Status::success);
    }
  }
  driver::reset();
}

/// Drivers answer in two ways to a format that they do not have.
TEST_F(MemoryCommands, AnImageOfAFormatThatThereIsNotSaysWhereToLookForThem) {
  if (!cl.has_version(1, 2)) {
    GTEST_SKIP() << "clCreateImage needs OpenCL 1.2";
  }
  ImageDescription plan;
  plan.format = {CL_RGBA, CL_UNSIGNED_INT8};
  plan.dimensions = 2;
  plan.shape[0] = plan.shape[1] = 4;
  const auto hint = [&](cl_int code) {
    driver::fail_call("clCreateImage", 1, code);
    Mem* image = nullptr;
    EXPECT_EQ(create_image(cl.context, plan, image), Status::opencl);
    EXPECT_EQ(image, nullptr);
    return std::string(last_error_message()).find("clpool_image_formats()") != std::string::npos;
  };
  EXPECT_TRUE(hint(CL_IMAGE_FORMAT_NOT_SUPPORTED));
  EXPECT_TRUE(hint(CL_INVALID_OPERATION)) << "PoCL's answer";
  EXPECT_FALSE(hint(CL_INVALID_VALUE)) << "which is not about the format";
}

TEST_F(MemoryCommands, SvmReleasedOnAQueueIsFreedBehindItByTheLastReference) {
  for (const bool on_allocators_queue : {false, true}) {
    Mem* svm = nullptr;
    const cl_command_queue allocators = on_allocators_queue ? cl.another_queue() : nullptr;
    const Status made = create_svm(cl.context, 0, 4096, 0, allocators, svm);
    if (made == Status::not_supported) {
      GTEST_SKIP() << last_error_message();
    }
    Mem* part = nullptr;
    ASSERT_EQ(make_sub_region(*svm, 128, 64, 0, part), Status::success);
    cl_event given_up = nullptr;
    ASSERT_EQ(release_direct_svm(*svm, {cl.queue, 0, nullptr, &given_up}), Status::success);
    driver::reset();
    EXPECT_EQ(release_mem(*part), Status::success);
    const driver::Command free = only_free();
    EXPECT_EQ(free.queue, on_allocators_queue ? allocators : cl.queue);
    EXPECT_TRUE(free.waits_for(given_up));
    EXPECT_EQ(driver::calls("clSVMFree"), 0);
    EXPECT_EQ(driver::calls("clFinish"), 0);
    clReleaseEvent(given_up);
  }
}

TEST_F(MemoryCommands, SvmGivenUpOnSeveralQueuesWaitsForAllOfThem) {
  const cl_command_queue other = cl.another_queue();
  Mem* svm = nullptr;
  const Status made = create_svm(cl.context, 0, 4096, 0, nullptr, svm);
  if (made == Status::not_supported) {
    GTEST_SKIP() << last_error_message();
  }
  ASSERT_EQ(retain_mem(*svm), Status::success);
  cl_event first = nullptr;
  cl_event last = nullptr;
  ASSERT_EQ(release_direct_svm(*svm, {cl.queue, 0, nullptr, &first}), Status::success);
  driver::reset();
  ASSERT_EQ(release_direct_svm(*svm, {other, 1, &first, &last}), Status::success);
  const driver::Command free = only_free();
  EXPECT_EQ(free.queue, other);
  EXPECT_TRUE(free.waits_for(first));
  EXPECT_EQ(free.waits.size(), 2u) << "and for what the last release was told to";
  clWaitForEvents(1, &last);
  clReleaseEvent(last);
  clReleaseEvent(first);
}

TEST_F(MemoryCommands, AMarkOfEverythingSoFarWaitsForTheQueueAndTheEvents) {
  if (!cl.has_version(1, 2)) {
    GTEST_SKIP() << "markers with wait lists need OpenCL 1.2";
  }
  cl_int code = CL_SUCCESS;
  const cl_event gate = clCreateUserEvent(cl.context, &code);
  clSetUserEventStatus(gate, CL_COMPLETE);
  driver::reset();
  cl::Event done;
  ASSERT_EQ(cl::mark_so_far({cl.queue, 1, &gate, nullptr}, done), Status::success) << last_error_message();
  const std::vector<driver::Command> commands = driver::commands();
  ASSERT_EQ(commands.size(), 2u);
  EXPECT_TRUE(commands[0].waits.empty()) << "which means all commands before it";
  EXPECT_TRUE(commands[1].waits_for(gate));
  EXPECT_EQ(commands[1].waits.size(), 2u) << "the other one is the first marker";
  EXPECT_EQ(driver::calls("clFlush"), 1);
  clReleaseEvent(gate);
}

TEST_F(MemoryCommands, SvmThatCannotBeFreedBehindAQueueIsFreedWhenItsCommandsAreDone) {
  Mem* svm = nullptr;
  const Status made = create_svm(cl.context, 0, 4096, 0, nullptr, svm);
  if (made == Status::not_supported) {
    GTEST_SKIP() << last_error_message();
  }
  ASSERT_EQ(retain_mem(*svm), Status::success);
  ASSERT_EQ(release_direct_svm(*svm, {cl.queue, 0, nullptr, nullptr}), Status::success);
  driver::reset();
  driver::fail_call("clEnqueueSVMFree", 1, CL_OUT_OF_RESOURCES);
  EXPECT_EQ(release_mem(*svm), Status::success);
  EXPECT_EQ(driver::calls("clFinish"), 1);
  EXPECT_EQ(driver::calls("clSVMFree"), 1);
}

}  // namespace
}  // namespace clpool::core
