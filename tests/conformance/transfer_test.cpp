// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// clpool/transfer.h: fills, copies, reads, writes, migration. Boxes are in box_test.cpp.
#include "clpool/transfer.h"

#include <algorithm>
#include <limits>

#include "memory.hpp"

namespace {

using clpool::test::bytes;
using clpool::test::finish;
using clpool::test::floats;
using clpool::test::last_error;
using clpool::test::last_error_names;
using clpool::test::OwnedMem;
using clpool::test::state_of;

class EveryTransfer : public clpool::test::EveryBuffer {};
INSTANTIATE_FOR_EVERY_BUFFER(EveryTransfer);

TEST_P(EveryTransfer, HostToBufferToBufferToHostIsExact) {
  const std::vector<float> values = floats(50000);
  const OwnedMem first = make_with(values);
  const OwnedMem second = make(values.size() * sizeof(float));
  ASSERT_OK(
      clpool_mem_copy(cl.queue, second.get(), 0, first.get(), 0, CLPOOL_WHOLE_SIZE, 0, nullptr, nullptr));
  EXPECT_EQ(content<float>(second.get(), values.size()), values);
}

TEST_P(EveryTransfer, TheDefaultSizeOfACopyIsTheSmallerOfBoth) {
  const OwnedMem large = make_with(bytes(1087));
  const OwnedMem small = make_with(std::vector<unsigned char>(1024, 0));
  EXPECT_OK(
      clpool_mem_copy(cl.queue, small.get(), 0, large.get(), 0, CLPOOL_WHOLE_SIZE, 0, nullptr, nullptr));
  EXPECT_EQ(content<unsigned char>(small.get(), 1024), bytes(1024));
  EXPECT_OK(
      clpool_mem_copy(cl.queue, large.get(), 0, small.get(), 0, CLPOOL_WHOLE_SIZE, 0, nullptr, nullptr));
  EXPECT_OK(
      clpool_mem_copy(cl.queue, large.get(), 1000, small.get(), 0, CLPOOL_WHOLE_SIZE, 0, nullptr, nullptr));
  EXPECT_EQ(content<unsigned char>(large.get(), 87, 1000), bytes(87));
}

TEST_P(EveryTransfer, ReadsAndWritesTakeAByteCountAndAnOffset) {
  const OwnedMem mem = make_with(bytes(1000));
  std::vector<unsigned char> host(50, 0xEE);
  ASSERT_OK(clpool_mem_read(cl.queue, mem.get(), 300, 20, host.data(), host.size(), 1, 0, nullptr, nullptr));
  EXPECT_TRUE(std::equal(host.begin(), host.begin() + 20, bytes(1000).begin() + 300));
  EXPECT_EQ(host[20], 0xEE);
  const std::vector<unsigned char> news(50, 0x11);
  ASSERT_OK(clpool_mem_write(cl.queue, mem.get(), 990, CLPOOL_WHOLE_SIZE, news.data(), news.size(), 1, 0,
                             nullptr, nullptr));
  EXPECT_EQ(content<unsigned char>(mem.get(), 10, 990), std::vector<unsigned char>(10, 0x11));
}

TEST_P(EveryTransfer, NoHostByteBeyondItsSizeIsTouched) {  // AddressSanitizer sees the driver's memcpy
  const OwnedMem mem = make_with(bytes(1000));
  const auto host = std::make_unique<unsigned char[]>(100);
  EXPECT_EQ(clpool_mem_read(cl.queue, mem.get(), 0, 101, host.get(), 100, 1, 0, nullptr, nullptr),
            CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_TRUE(last_error_names("101") && last_error_names("100")) << last_error();
  EXPECT_EQ(clpool_mem_write(cl.queue, mem.get(), 0, 101, host.get(), 100, 1, 0, nullptr, nullptr),
            CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_OK(
      clpool_mem_read(cl.queue, mem.get(), 0, CLPOOL_WHOLE_SIZE, host.get(), 100, 1, 0, nullptr, nullptr));
  EXPECT_OK(
      clpool_mem_write(cl.queue, mem.get(), 0, CLPOOL_WHOLE_SIZE, host.get(), 100, 1, 0, nullptr, nullptr));
}

TEST_P(EveryTransfer, RangesBeyondTheMemoryAreRefused) {
  const OwnedMem mem = make(1000);
  const OwnedMem other = make(100000);
  std::vector<unsigned char> host(2000);
  constexpr size_t most = std::numeric_limits<size_t>::max();
  for (const auto& [offset, size] :
       std::vector<std::pair<size_t, size_t>>{{0, 1001}, {1000, 1}, {1001, 0}, {most, 1}, {1, most - 1}}) {
    EXPECT_EQ(
        clpool_mem_read(cl.queue, mem.get(), offset, size, host.data(), host.size(), 1, 0, nullptr, nullptr),
        CLPOOL_ERROR_INVALID_VALUE);
    EXPECT_EQ(
        clpool_mem_write(cl.queue, mem.get(), offset, size, host.data(), host.size(), 1, 0, nullptr, nullptr),
        CLPOOL_ERROR_INVALID_VALUE);
    EXPECT_EQ(clpool_mem_copy(cl.queue, mem.get(), offset, other.get(), 0, size, 0, nullptr, nullptr),
              CLPOOL_ERROR_INVALID_VALUE);
    EXPECT_EQ(clpool_mem_copy(cl.queue, other.get(), 0, mem.get(), offset, size, 0, nullptr, nullptr),
              CLPOOL_ERROR_INVALID_VALUE);
    EXPECT_EQ(clpool_mem_fill(cl.queue, mem.get(), "x", 1, offset, size, 0, nullptr, nullptr),
              CLPOOL_ERROR_INVALID_VALUE);
  }
}

TEST_P(EveryTransfer, FillsRepeatThePatternWithinTheirRange) {
  const OwnedMem mem = make_with(std::vector<unsigned char>(1024, 0));
  const cl_uint pattern[2] = {0x01020304, 0xA0B0C0D0};
  ASSERT_OK(clpool_mem_fill(cl.queue, mem.get(), pattern, sizeof pattern, 64, 128, 0, nullptr, nullptr));
  const std::vector<cl_uint> words = content<cl_uint>(mem.get(), 256);
  EXPECT_EQ(words[15], 0u);
  EXPECT_EQ(words[16], pattern[0]);
  EXPECT_EQ(words[47], pattern[1]);
  EXPECT_EQ(words[48], 0u);
  ASSERT_OK(clpool_mem_fill(cl.queue, mem.get(), pattern, sizeof pattern, 512, CLPOOL_WHOLE_SIZE, 0, nullptr,
                            nullptr));
  EXPECT_EQ(content<cl_uint>(mem.get(), 256)[255], pattern[1]);
}

TEST_P(EveryTransfer, WrongPatternsAreRefusedByName) {
  const OwnedMem mem = make(1024);
  const unsigned char pattern[256] = {};
  const auto fill = [&](size_t pattern_size, size_t offset, size_t size) {
    return clpool_mem_fill(cl.queue, mem.get(), pattern, pattern_size, offset, size, 0, nullptr, nullptr);
  };
  EXPECT_EQ(fill(3, 0, 3), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_TRUE(last_error_names("3 bytes")) << last_error();
  EXPECT_EQ(fill(0, 0, 4), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(fill(256, 0, 256), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(fill(4, 2, 4), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(fill(4, 0, 6), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(clpool_mem_fill(cl.queue, mem.get(), nullptr, 4, 0, 4, 0, nullptr, nullptr),
            CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_OK(fill(128, 128, 256));
}

TEST_P(EveryTransfer, ZeroBytesAreNoCommandAndGiveACompletedEvent) {
  const OwnedMem mem = make(1024);
  const OwnedMem other = make(1024);
  const auto expect_complete = [&](auto&& enqueue) {
    cl_event event = nullptr;
    EXPECT_OK(enqueue(&event));
    ASSERT_NE(event, nullptr);
    EXPECT_EQ(state_of(event), CL_COMPLETE);
    clReleaseEvent(event);
    EXPECT_OK(enqueue(nullptr));
  };
  expect_complete(
      [&](cl_event* event) { return clpool_mem_fill(cl.queue, mem.get(), "x", 1, 0, 0, 0, nullptr, event); });
  expect_complete([&](cl_event* event) {
    return clpool_mem_copy(cl.queue, mem.get(), 0, other.get(), 0, 0, 0, nullptr, event);
  });
  expect_complete([&](cl_event* event) {
    return clpool_mem_read(cl.queue, mem.get(), 0, 0, nullptr, 0, 1, 0, nullptr, event);
  });
  expect_complete([&](cl_event* event) {
    return clpool_mem_write(cl.queue, mem.get(), 0, 0, nullptr, 0, 1, 0, nullptr, event);
  });
  expect_complete(
      [&](cl_event* event) { return clpool_mem_migrate(cl.queue, nullptr, 0, 0, 0, nullptr, event); });
}

TEST_P(EveryTransfer, ZeroBytesWaitForTheirEvents) {
  if (!cl.has_version(1, 1)) {
    GTEST_SKIP() << "user events need OpenCL 1.1";
  }
  const OwnedMem mem = make(1024);
  cl_int code = CL_SUCCESS;
  const cl_event gate = clCreateUserEvent(cl.context, &code);
  cl_event event = nullptr;
  ASSERT_OK(clpool_mem_fill(cl.queue, mem.get(), "x", 1, 0, 0, 1, &gate, &event));
  EXPECT_NE(state_of(event), CL_COMPLETE);
  clSetUserEventStatus(gate, CL_COMPLETE);
  clWaitForEvents(1, &event);
  EXPECT_EQ(state_of(event), CL_COMPLETE);
  clReleaseEvent(event);
  clReleaseEvent(gate);
}

TEST_P(EveryTransfer, NonBlockingCommandsAreOrderedByEvents) {
  const std::vector<unsigned char> values = bytes(4096);
  const OwnedMem first = make(4096);
  const OwnedMem second = make(4096);
  std::vector<unsigned char> result(4096);
  cl_event events[3] = {};
  ASSERT_OK(clpool_mem_write(cl.queue, first.get(), 0, 4096, values.data(), 4096, 0, 0, nullptr, &events[0]));
  ASSERT_OK(clpool_mem_copy(cl.queue, second.get(), 0, first.get(), 0, 4096, 1, &events[0], &events[1]));
  ASSERT_OK(
      clpool_mem_read(cl.queue, second.get(), 0, 4096, result.data(), 4096, 0, 1, &events[1], &events[2]));
  clFlush(cl.queue);
  clWaitForEvents(1, &events[2]);
  EXPECT_EQ(result, values);
  for (cl_event event : events) {
    clReleaseEvent(event);
  }
}

TEST_P(EveryTransfer, OverlapsInTheSameMemoryAreRefusedAlsoThroughSubRegions) {
  const OwnedMem mem = make_with(bytes(64 * alignment()));
  EXPECT_EQ(clpool_mem_copy(cl.queue, mem.get(), 10, mem.get(), 0, 20, 0, nullptr, nullptr),
            CLPOOL_ERROR_OPENCL);
  EXPECT_EQ(clpool_last_cl_error(), CL_MEM_COPY_OVERLAP);
  EXPECT_TRUE(last_error_names("from offset 0 to offset 10 of the same memory")) << last_error();
  EXPECT_OK(clpool_mem_copy(cl.queue, mem.get(), 20, mem.get(), 0, 20, 0, nullptr, nullptr));
  clpool_mem* region = nullptr;
  ASSERT_OK(clpool_mem_sub_region(mem.get(), alignment(), 8 * alignment(), 0, &region));
  const OwnedMem owner(region);
  EXPECT_EQ(clpool_mem_copy(cl.queue, region, 0, mem.get(), 0, 2 * alignment(), 0, nullptr, nullptr),
            CLPOOL_ERROR_OPENCL);
  EXPECT_EQ(clpool_last_cl_error(), CL_MEM_COPY_OVERLAP);
  EXPECT_TRUE(last_error_names("from offset 0 to offset 0 of another part")) << last_error();
}

TEST_P(EveryTransfer, PageLockedMemoryIsCopiedAsHostMemory) {
  clpool_allocator* allocator = nullptr;
  ASSERT_OK(clpool_allocator_create_pinned(cl.queue, 0, &allocator));
  clpool_mem* pinned = nullptr;
  ASSERT_OK(clpool_allocator_allocate(allocator, 1000, &pinned));
  clpool_allocator_release(allocator);
  const OwnedMem owner(pinned);
  const std::vector<unsigned char> values = bytes(1000);
  std::copy(values.begin(), values.end(), static_cast<unsigned char*>(clpool_mem_pointer(pinned)));
  const OwnedMem mem = make(2000);
  EXPECT_OK(clpool_mem_copy(cl.queue, mem.get(), 1000, pinned, 0, CLPOOL_WHOLE_SIZE, 0, nullptr, nullptr));
  EXPECT_OK(clpool_mem_copy(cl.queue, pinned, 500, mem.get(), 1000, 100, 0, nullptr, nullptr));
  finish(cl.queue);
  EXPECT_TRUE(std::equal(values.begin(), values.begin() + 100,
                         static_cast<unsigned char*>(clpool_mem_pointer(pinned)) + 500));
  EXPECT_EQ(clpool_mem_fill(cl.queue, pinned, "x", 1, 0, 1, 0, nullptr, nullptr),
            CLPOOL_ERROR_INVALID_OPERATION);
  EXPECT_NE(
      std::string(clpool_last_error_message()).find("a buffer or SVM is needed, this is page-locked memory"),
      std::string::npos)
      << clpool_last_error_message();
  unsigned char byte = 0;
  EXPECT_EQ(clpool_mem_read(cl.queue, pinned, 0, 1, &byte, 1, 1, 0, nullptr, nullptr),
            CLPOOL_ERROR_INVALID_OPERATION);
  EXPECT_STREQ(clpool_last_error_message(), "a buffer or SVM is needed, this is page-locked memory");
  EXPECT_EQ(clpool_mem_copy(cl.queue, pinned, 0, pinned, 500, 100, 0, nullptr, nullptr),
            CLPOOL_ERROR_INVALID_OPERATION);
  EXPECT_NE(std::string(clpool_last_error_message()).find("memcpy"), std::string::npos);
}

TEST_P(EveryTransfer, MemoryIsMigratedToTheDeviceAndToTheHost) {
  const OwnedMem first = make_with(bytes(1000));
  const OwnedMem second = make(1000);
  clpool_mem* const mems[] = {first.get(), second.get()};
  cl_event event = nullptr;
  const clpool_status status =
      clpool_mem_migrate(cl.queue, mems, 2, CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, 0, nullptr, &event);
  SKIP_IF_NOT_SUPPORTED(status);
  ASSERT_OK(status);
  clReleaseEvent(event);
  EXPECT_OK(clpool_mem_migrate(cl.queue, mems, 1, CL_MIGRATE_MEM_OBJECT_HOST, 0, nullptr, nullptr));
  clpool_mem* const none[] = {first.get(), nullptr};
  EXPECT_EQ(clpool_mem_migrate(cl.queue, none, 2, 0, 0, nullptr, nullptr), CLPOOL_ERROR_INVALID_VALUE);
}

TEST_P(EveryTransfer, MigratingAPartWithUndefinedContentLeavesTheRestAsItIs) {
  const OwnedMem mem = make_with(bytes(64 * alignment()));
  clpool_mem* region = nullptr;
  ASSERT_OK(clpool_mem_sub_region(mem.get(), 8 * alignment(), 8 * alignment(), 0, &region));
  const OwnedMem owner(region);
  clpool_mem* const mems[] = {region, region};
  const clpool_status status =
      clpool_mem_migrate(cl.queue, mems, 2, CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, 0, nullptr, nullptr);
  SKIP_IF_NOT_SUPPORTED(status);
  ASSERT_OK(status);
  EXPECT_EQ(content<unsigned char>(mem.get(), 8 * alignment()), bytes(8 * alignment()));
}

TEST_P(EveryTransfer, CopiesBetweenContextsTellWhichExtensionTheyNeed) {
  const OwnedMem first = make(1000);
  const OwnedMem second = make(1000);
  const clpool_status status =
      clpool_mem_copy_p2p(cl.queue, first.get(), 0, second.get(), 0, CLPOOL_WHOLE_SIZE, 0, nullptr, nullptr);
  if (status != CLPOOL_SUCCESS) {
    EXPECT_EQ(status, CLPOOL_ERROR_NOT_SUPPORTED) << last_error();
    EXPECT_TRUE(last_error_names("cl_amd_copy_buffer_p2p")) << last_error();
  }
}

TEST_P(EveryTransfer, WrongOrdersAreRefusedAndGiveNoEvent) {
  const OwnedMem mem = make(1000);
  auto event = reinterpret_cast<cl_event>(this);
  EXPECT_EQ(clpool_mem_fill(nullptr, mem.get(), "x", 1, 0, 1, 0, nullptr, &event),
            CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(event, nullptr);
  EXPECT_EQ(clpool_mem_fill(cl.queue, mem.get(), "x", 1, 0, 1, 1, nullptr, &event),
            CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_TRUE(last_error_names("wait_list")) << last_error();
  EXPECT_EQ(clpool_mem_fill(cl.queue, nullptr, "x", 1, 0, 1, 0, nullptr, &event), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_TRUE(last_error_names("mem")) << last_error();
}

}  // namespace
