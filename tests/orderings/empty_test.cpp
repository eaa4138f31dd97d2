// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Commands of 0 bytes: no command, but an event that is complete as soon as those waited for are.
#include "orderings/orderings.hpp"

namespace clpool::test {
namespace {

class Nothing : public testing::Test {
 protected:
  clpool_status fill_nothing(cl_uint count, const cl_event* waits, cl_event* event) {
    return clpool_mem_fill(scene.queue, mem, &source_byte, 1, 0, 0, count, waits, event);
  }
  Scene scene;
  clpool_mem* mem = scene.memory(Side::buffer, target_byte);
};

TEST_F(Nothing, IsCompleteAtOnceWithoutAWaitList) {
  OwnedEvent event;
  ASSERT_OK(fill_nothing(0, nullptr, event.receive()));
  EXPECT_TRUE(event.is_complete());
}

TEST_F(Nothing, WaitsForOneEvent) {
  Gate gate(scene.cl.context);
  OwnedEvent event;
  ASSERT_OK(fill_nothing(1, gate.list(), event.receive()));
  stub_run_all();
  EXPECT_FALSE(event.is_complete());
  gate.open();
  stub_run_all();
  EXPECT_TRUE(event.is_complete());
}

TEST_F(Nothing, WaitsForSeveralEvents) {
  Gate first(scene.cl.context);
  Gate second(scene.cl.context);
  const cl_event gates[] = {first.get(), second.get()};
  OwnedEvent event;
  ASSERT_OK(fill_nothing(2, gates, event.receive()));
  stub_run_all();
  EXPECT_FALSE(event.is_complete());
  first.open();
  stub_run_all();
  EXPECT_FALSE(event.is_complete());
  second.open();
  stub_run_all();
  EXPECT_TRUE(event.is_complete());
}

TEST_F(Nothing, IsWhatASecondUnmapDoes) {
  clpool_map* map = nullptr;
  ASSERT_OK(
      clpool_mem_map(scene.queue, mem, CL_MAP_READ, 0, CLPOOL_WHOLE_SIZE, 1, 0, nullptr, nullptr, &map));
  const OwnedMap owner(map);
  ASSERT_OK(clpool_map_unmap(map, nullptr, 0, nullptr, nullptr));
  Gate gate(scene.cl.context);
  OwnedEvent event;
  ASSERT_OK(clpool_map_unmap(map, nullptr, 1, gate.list(), event.receive()));
  stub_run_all();
  EXPECT_FALSE(event.is_complete());
  gate.open();
  stub_run_all();
  EXPECT_TRUE(event.is_complete());
}

}  // namespace
}  // namespace clpool::test
