// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Unmapping comes after its own mapping, also where no queue's order says so: a program may give a map back
// as soon as it has asked for it.
#include "orderings/orderings.hpp"

namespace clpool::test {
namespace {

/// What is mapped, on which queue, and which queue it is unmapped on (null: clpool_map_release).
struct Shape {
  const char* name;
  Side side;
  bool out_of_order;
  bool on_another;
};

class MapOrder : public testing::TestWithParam<Shape> {};
INSTANTIATE_TEST_SUITE_P(, MapOrder,
                         testing::Values(Shape{"BufferOutOfOrder", Side::buffer, true, false},
                                         Shape{"BufferOnAnotherQueue", Side::buffer, false, true},
                                         Shape{"BlockOutOfOrder", Side::pooled, true, false},
                                         Shape{"BlockOnAnotherQueue", Side::pooled, false, true},
                                         Shape{"SvmOutOfOrder", Side::svm, true, false},
                                         Shape{"SvmOnAnotherQueue", Side::svm, false, true}),
                         [](const testing::TestParamInfo<Shape>& tested) { return tested.param.name; });

TEST_P(MapOrder, AnUnmapWaitsForItsMap) {
  const auto [name, side, out_of_order, on_another] = GetParam();
  Scene scene;
  if (side == Side::svm && !scene.cl.has_version(2, 0)) {
    GTEST_SKIP() << "SVM needs OpenCL 2.0";
  }
  const cl_command_queue queue = out_of_order ? scene.queue : scene.cl.queue;
  const cl_command_queue another = scene.cl.another_queue();
  clpool_mem* const mem = scene.memory(side, source_byte);
  Gate gate(scene.cl.context);
  clpool_map* map = nullptr;
  cl_event mapped = nullptr;
  ASSERT_OK(clpool_mem_map(queue, mem, CL_MAP_WRITE, 0, CLPOOL_WHOLE_SIZE, 0, 1, gate.list(), &mapped, &map));
  if (on_another) {
    ASSERT_OK(clpool_map_unmap(map, another, 0, nullptr, nullptr));
  }
  ASSERT_OK(clpool_map_release(map));
  stub_run_all();
  EXPECT_EQ(stub_count("ran.map"), 0U);
  EXPECT_EQ(stub_count("ran.unmap"), 0U) << "an unmap before its map";
  gate.open();
  stub_run_all();
  EXPECT_EQ(stub_count("ran.map"), 1U);
  EXPECT_EQ(stub_count("ran.unmap"), 1U);
  cl_int state = CL_QUEUED;
  EXPECT_EQ(clGetEventInfo(mapped, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(state, CL_COMPLETE);
  EXPECT_EQ(clReleaseEvent(mapped), CL_SUCCESS);
}

TEST(MapOrderOfWaits, AnUnmapWaitsForItsMapAndForItsWaitList) {
  Scene scene;
  clpool_mem* const mem = scene.memory(Side::buffer, source_byte);
  Gate first(scene.cl.context);
  Gate second(scene.cl.context);
  clpool_map* map = nullptr;
  ASSERT_OK(clpool_mem_map(scene.queue, mem, CL_MAP_WRITE, 0, CLPOOL_WHOLE_SIZE, 0, 1, first.list(), nullptr,
                           &map));
  ASSERT_OK(clpool_map_unmap(map, nullptr, 1, second.list(), nullptr));
  first.open();
  stub_run_all();
  EXPECT_EQ(stub_count("ran.map"), 1U);
  EXPECT_EQ(stub_count("ran.unmap"), 0U);
  second.open();
  stub_run_all();
  EXPECT_EQ(stub_count("ran.unmap"), 1U);
  EXPECT_OK(clpool_map_release(map));
}

TEST(MapOrderOfWaits, TheEventOfAMapIsLetGoWithItsUnmap) {
  Scene scene;
  clpool_mem* const mem = scene.memory(Side::buffer, source_byte);
  const auto events = [] {
    stub_counts counts;
    stub_read_counts(&counts);
    return counts.live[STUB_EVENT];
  };
  const std::int64_t before = events();
  clpool_map* map = nullptr;
  ASSERT_OK(
      clpool_mem_map(scene.queue, mem, CL_MAP_READ, 0, CLPOOL_WHOLE_SIZE, 0, 0, nullptr, nullptr, &map));
  EXPECT_EQ(events(), before + 1);
  ASSERT_OK(clpool_map_unmap(map, nullptr, 0, nullptr, nullptr));
  stub_run_all();
  EXPECT_EQ(events(), before);
  EXPECT_OK(clpool_map_release(map));
}

/// Which drivers do not give: a row is as long as the region's.
TEST(MapOrderOfImages, AMapWhoseLayoutCannotBeTrueLeavesNothingBehind) {
  Scene scene;  // which is as before in the end, or says what is not
  clpool_mem* const image = scene.image(source_byte);
  stub_configure("short_rows=1");
  const std::size_t region[3] = {2, 2, 1};
  clpool_map* map = nullptr;
  cl_event event = nullptr;
  EXPECT_EQ(clpool_image_map(scene.queue, image, CL_MAP_READ, nullptr, region, 0, 0, nullptr, &event, &map),
            CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(event, nullptr);
  EXPECT_EQ(map, nullptr);
}

/// A queue that nobody flushed would keep the unmap waiting for ever.
TEST(MapOrderOfWaits, AnUnmapOnAnotherQueueFlushesThatOfTheMap) {
  Scene scene;
  clpool_mem* const mem = scene.memory(Side::buffer, source_byte);
  const cl_command_queue another = scene.cl.another_queue();
  stub_configure("needs_flush=1");
  clpool_map* map = nullptr;
  ASSERT_OK(
      clpool_mem_map(scene.queue, mem, CL_MAP_WRITE, 0, CLPOOL_WHOLE_SIZE, 0, 0, nullptr, nullptr, &map));
  ASSERT_OK(clpool_map_unmap(map, another, 0, nullptr, nullptr));
  ASSERT_EQ(clFlush(another), CL_SUCCESS);
  stub_run_all();
  EXPECT_EQ(stub_count("ran.unmap"), 1U);
  EXPECT_OK(clpool_map_release(map));
}

}  // namespace
}  // namespace clpool::test
