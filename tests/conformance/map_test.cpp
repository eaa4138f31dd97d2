// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// clpool/map.h for buffers from every source; images and SVM are in their own tests.
#include "clpool/map.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "memory.hpp"

namespace {

using clpool::test::bytes;
using clpool::test::finish;
using clpool::test::last_error;
using clpool::test::last_error_names;
using clpool::test::OwnedMap;
using clpool::test::OwnedMem;

class EveryMap : public clpool::test::EveryBuffer {
 protected:
  OwnedMap map(clpool_mem* mem, cl_map_flags flags, size_t offset = 0, size_t size = CLPOOL_WHOLE_SIZE) {
    clpool_map* result = nullptr;
    EXPECT_OK(clpool_mem_map(cl.queue, mem, flags, offset, size, 1, 0, nullptr, nullptr, &result));
    return OwnedMap(result);
  }
};
INSTANTIATE_FOR_EVERY_BUFFER(EveryMap);

TEST_P(EveryMap, ShowsAndChangesTheMemory) {
  const OwnedMem mem = make_with(bytes(1000));
  {
    const OwnedMap whole = map(mem.get(), CL_MAP_READ | CL_MAP_WRITE);
    EXPECT_EQ(clpool_map_size(whole.get()), 1000u);
    EXPECT_EQ(clpool_map_row_pitch(whole.get()), 0u);
    auto* values = static_cast<unsigned char*>(clpool_map_pointer(whole.get()));
    EXPECT_TRUE(std::equal(values, values + 1000, bytes(1000).begin()));
    values[999] = 0xFE;
  }
  EXPECT_EQ(content<unsigned char>(mem.get(), 1, 999)[0], 0xFE);
}

TEST_P(EveryMap, OfAPartBeginsThere) {
  const OwnedMem mem = make_with(bytes(1000));
  const OwnedMap part = map(mem.get(), CL_MAP_READ, 500, 8);
  EXPECT_EQ(clpool_map_size(part.get()), 8u);
  EXPECT_EQ(std::memcmp(clpool_map_pointer(part.get()), bytes(1000).data() + 500, 8), 0);
}

TEST_P(EveryMap, StaysWhereItsUnmappingIsGivenAWrongWaitList) {
  const OwnedMem mem = make_with(bytes(1000));
  const OwnedMap whole = map(mem.get(), CL_MAP_READ);
  EXPECT_EQ(clpool_map_unmap(whole.get(), nullptr, 1, nullptr, nullptr), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_TRUE(last_error_names("wait_count is 1")) << last_error();
  EXPECT_NE(clpool_map_pointer(whole.get()), nullptr);
}

TEST_P(EveryMap, IsUnmappedOnceHoweverOftenThatIsAsked) {
  const OwnedMem mem = make_with(bytes(1000));
  clpool_map* mapped = map(mem.get(), CL_MAP_READ).release();
  const auto map_count = [&] {  // PoCL counts the maps of a sub-buffer at its root
    cl_mem root = nullptr;
    size_t offset = 0;
    EXPECT_OK(clpool_mem_root(mem.get(), &root, &offset));
    cl_uint counts[2] = {};
    clGetMemObjectInfo(clpool_mem_handle(mem.get()), CL_MEM_MAP_COUNT, sizeof(cl_uint), &counts[0], nullptr);
    clGetMemObjectInfo(root, CL_MEM_MAP_COUNT, sizeof(cl_uint), &counts[1], nullptr);
    return std::max(counts[0], counts[1]);
  };
  const cl_uint before = map_count();
  const bool is_counted = before != 0;  // Oclgrind counts no maps
  cl_event event = nullptr;
  EXPECT_OK(clpool_map_unmap(mapped, nullptr, 0, nullptr, &event));
  clWaitForEvents(1, &event);
  clReleaseEvent(event);
  EXPECT_EQ(map_count() + (is_counted ? 1 : 0), before);
  EXPECT_EQ(clpool_map_pointer(mapped), nullptr);
  event = nullptr;
  EXPECT_OK(clpool_map_unmap(mapped, nullptr, 0, nullptr, &event));
  ASSERT_NE(event, nullptr);
  clReleaseEvent(event);
  EXPECT_OK(clpool_map_release(mapped));
  finish(cl.queue);
  EXPECT_EQ(map_count() + (is_counted ? 1 : 0), before);
  EXPECT_EQ(clpool_map_release(mapped), CLPOOL_ERROR_INVALID_OPERATION);
  EXPECT_EQ(clpool_map_unmap(mapped, nullptr, 0, nullptr, nullptr), CLPOOL_ERROR_INVALID_OPERATION);
  EXPECT_EQ(clpool_map_pointer(mapped), nullptr);
  EXPECT_EQ(clpool_map_size(mapped), 0u);
}

TEST_P(EveryMap, KeepsItsMemoryAlive) {
  OwnedMem mem = make_with(bytes(1000));
  const OwnedMap mapped = map(mem.get(), CL_MAP_READ);
  clpool_mem* const gone = mem.release();
  EXPECT_OK(clpool_mem_release(gone));
  EXPECT_EQ(clpool_mem_size(gone), 1000u);
  EXPECT_EQ(static_cast<unsigned char*>(clpool_map_pointer(mapped.get()))[999], bytes(1000)[999]);
}

TEST_P(EveryMap, WithoutBlockingIsReadyAtItsEvent) {
  const OwnedMem mem = make_with(bytes(1000));
  clpool_map* mapped = nullptr;
  cl_event event = nullptr;
  ASSERT_OK(
      clpool_mem_map(cl.queue, mem.get(), CL_MAP_READ, 0, CLPOOL_WHOLE_SIZE, 0, 0, nullptr, &event, &mapped));
  const OwnedMap owner(mapped);
  clFlush(cl.queue);
  clWaitForEvents(1, &event);
  clReleaseEvent(event);
  EXPECT_EQ(std::memcmp(clpool_map_pointer(mapped), bytes(1000).data(), 1000), 0);
}

TEST_P(EveryMap, WrongRangesAreRefusedAndLeaveNothingMapped) {
  const OwnedMem mem = make(1000);
  auto* mapped = reinterpret_cast<clpool_map*>(this);
  EXPECT_EQ(clpool_mem_map(cl.queue, mem.get(), CL_MAP_READ, 0, 0, 1, 0, nullptr, nullptr, &mapped),
            CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(mapped, nullptr);
  EXPECT_EQ(clpool_mem_map(cl.queue, mem.get(), CL_MAP_READ, 1, 1000, 1, 0, nullptr, nullptr, &mapped),
            CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(clpool_mem_map(nullptr, mem.get(), CL_MAP_READ, 0, 1, 1, 0, nullptr, nullptr, &mapped),
            CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(clpool_mem_map(cl.queue, nullptr, CL_MAP_READ, 0, 1, 1, 0, nullptr, nullptr, &mapped),
            CLPOOL_ERROR_INVALID_VALUE);
}

class Map : public clpool::test::OpenClTest {};

TEST_F(Map, ChangesHostAllocatedMemoryInPlace) {
  clpool_mem* mem = nullptr;
  ASSERT_OK(clpool_buffer_create(cl.context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR,
                                 5 * 6 * 7 * sizeof(float), nullptr, 0, &mem));
  const OwnedMem owner(mem);
  const float two = 2.0F;
  ASSERT_OK(clpool_mem_fill(cl.queue, mem, &two, sizeof two, 0, CLPOOL_WHOLE_SIZE, 0, nullptr, nullptr));
  clpool_map* mapped = nullptr;
  ASSERT_OK(clpool_mem_map(cl.queue, mem, CL_MAP_READ | CL_MAP_WRITE, 0, CLPOOL_WHOLE_SIZE, 1, 0, nullptr,
                           nullptr, &mapped));
  auto* values = static_cast<float*>(clpool_map_pointer(mapped));
  EXPECT_EQ(values[3 * 42], 2.0F);
  values[0] = 1.0F;
  values[209] = 4.0F;
  EXPECT_OK(clpool_map_release(mapped));
  float result[2] = {};
  ASSERT_OK(clpool_mem_read(cl.queue, mem, 0, 4, &result[0], 4, 1, 0, nullptr, nullptr));
  ASSERT_OK(clpool_mem_read(cl.queue, mem, 836, 4, &result[1], 4, 1, 0, nullptr, nullptr));
  EXPECT_EQ(result[0], 1.0F);
  EXPECT_EQ(result[1], 4.0F);
}

TEST_F(Map, MayHaveNothingToReadWhereAllOfItIsWritten) {
  if (!cl.has_version(1, 2)) {
    GTEST_SKIP() << "CL_MAP_WRITE_INVALIDATE_REGION needs OpenCL 1.2";
  }
  clpool_mem* mem = nullptr;
  ASSERT_OK(clpool_buffer_create(cl.context, 0, 4, nullptr, 0, &mem));
  const OwnedMem owner(mem);
  clpool_map* mapped = nullptr;
  ASSERT_OK(clpool_mem_map(cl.queue, mem, CL_MAP_WRITE_INVALIDATE_REGION, 0, CLPOOL_WHOLE_SIZE, 1, 0, nullptr,
                           nullptr, &mapped));
  std::memcpy(clpool_map_pointer(mapped), "abcd", 4);
  EXPECT_OK(clpool_map_release(mapped));
  char read[5] = "";
  ASSERT_OK(clpool_mem_read(cl.queue, mem, 0, 4, read, 4, 1, 0, nullptr, nullptr));
  EXPECT_STREQ(read, "abcd");
  EXPECT_EQ(clpool_mem_map(cl.queue, mem, CL_MAP_WRITE_INVALIDATE_REGION | CL_MAP_WRITE, 0, CLPOOL_WHOLE_SIZE,
                           1, 0, nullptr, nullptr, &mapped),
            CLPOOL_ERROR_INVALID_VALUE);
}

TEST_F(Map, OfPageLockedMemoryIsRefusedBecauseItIsMappedForGood) {
  clpool_allocator* allocator = nullptr;
  ASSERT_OK(clpool_allocator_create_pinned(cl.queue, 0, &allocator));
  clpool_mem* mem = nullptr;
  ASSERT_OK(clpool_allocator_allocate(allocator, 100, &mem));
  clpool_allocator_release(allocator);
  const OwnedMem owner(mem);
  clpool_map* mapped = nullptr;
  EXPECT_EQ(clpool_mem_map(cl.queue, mem, CL_MAP_READ, 0, 1, 1, 0, nullptr, nullptr, &mapped),
            CLPOOL_ERROR_INVALID_OPERATION);
  EXPECT_TRUE(last_error_names("page-locked") && last_error_names("clpool_mem_pointer()")) << last_error();
}

TEST_F(Map, NoneUnknownAndContradictingFlagsAreRefused) {
  clpool_mem* mem = nullptr;
  ASSERT_OK(clpool_buffer_create(cl.context, 0, 64, nullptr, 0, &mem));
  const OwnedMem owner(mem);
  constexpr std::pair<cl_map_flags, const char*> wrong[] = {
      {0, "0x0"}, {0x400, "0x400"}, {CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION, "0x5"}};
  for (const auto& [flags, named] : wrong) {
    clpool_map* map = nullptr;
    EXPECT_EQ(clpool_mem_map(cl.queue, mem, flags, 0, 64, 1, 0, nullptr, nullptr, &map),
              CLPOOL_ERROR_INVALID_VALUE);
    EXPECT_TRUE(last_error_names(named)) << last_error();
    EXPECT_EQ(map, nullptr);
  }
}

TEST_F(Map, OfNothingAnswersNothing) {
  EXPECT_EQ(clpool_map_pointer(nullptr), nullptr);
  EXPECT_EQ(clpool_map_size(nullptr), 0u);
  EXPECT_EQ(clpool_map_slice_pitch(nullptr), 0u);
  EXPECT_OK(clpool_map_release(nullptr));
  EXPECT_EQ(clpool_map_unmap(nullptr, nullptr, 0, nullptr, nullptr), CLPOOL_ERROR_INVALID_VALUE);
}

}  // namespace
