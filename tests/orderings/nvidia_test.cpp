// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What is done otherwise on NVIDIA's driver, and waits like the rest: migrations, which are no command there,
// and copies between SVM and buffers, which map nothing.
#include "orderings/orderings.hpp"

namespace clpool::test {
namespace {

class OnNvidia : public testing::Test {
 protected:
  OnNvidia() { stub_configure("nvidia=1,mode=manual"); }
  Scene scene;
};

TEST_F(OnNvidia, AMigrationIsNoCommandButWaits) {
  for (const Side side : {Side::buffer, Side::part, Side::pooled, Side::svm}) {
    SCOPED_TRACE(name_of(side));
    Gate gate(scene.cl.context);
    OwnedEvent done;
    clpool_mem* const mem = scene.memory(side, target_byte);
    ASSERT_OK(
        clpool_mem_migrate(scene.queue, &mem, 1, CL_MIGRATE_MEM_OBJECT_HOST, 1, gate.list(), done.receive()));
    stub_run_all();
    EXPECT_FALSE(done.is_complete());
    gate.open();
    stub_run_all();
    EXPECT_TRUE(done.is_complete());
    EXPECT_TRUE(Scene::has(mem, target_byte));
  }
  EXPECT_EQ(stub_calls("clEnqueueMigrateMemObjects"), 0U);
  EXPECT_EQ(stub_calls("clEnqueueSVMMigrateMem"), 0U);
}

TEST_F(OnNvidia, CopiesBetweenSvmAndBuffersAreOneCommandThatWaits) {
  constexpr std::pair<Side, Side> ways[] = {{Side::svm, Side::buffer},
                                            {Side::svm_part, Side::pooled},
                                            {Side::buffer, Side::svm},
                                            {Side::part, Side::svm_part}};
  for (const auto& [from, to] : ways) {
    SCOPED_TRACE(std::string(name_of(from)) + " to " + name_of(to));
    Gate gate(scene.cl.context);
    OwnedEvent done;
    clpool_mem* const source = scene.memory(from, source_byte);
    clpool_mem* const target = scene.memory(to, target_byte);
    ASSERT_OK(
        clpool_mem_copy(scene.queue, target, 0, source, 0, operand_size, 1, gate.list(), done.receive()));
    stub_run_all();
    EXPECT_FALSE(done.is_complete());
    EXPECT_TRUE(Scene::has(target, target_byte));
    gate.open();
    stub_run_all();
    EXPECT_TRUE(done.is_complete());
    EXPECT_TRUE(Scene::has(target, source_byte));
    EXPECT_TRUE(Scene::has(source, source_byte));
  }
  EXPECT_EQ(stub_calls("clEnqueueSVMMap"), 0U);
  EXPECT_EQ(stub_calls("clEnqueueCopyBuffer"), 4U);
}

/// Which would crash where a sub-buffer went before a newer one that overlaps it; the fake driver ends the process then.
TEST_F(OnNvidia, APartStaysAsLongAsPartsOfIt) {
  stub_configure("nvidia=1,mode=immediate");
  clpool_mem* made = nullptr;
  ASSERT_OK(clpool_buffer_create(scene.cl.context, 0, 1 << 20, nullptr, 0, &made));
  const OwnedMem buffer(made);
  clpool_mem* outer = nullptr;
  clpool_mem* inner = nullptr;
  ASSERT_OK(clpool_mem_sub_region(buffer.get(), 4096, 65536, 0, &outer));
  ASSERT_OK(clpool_mem_fill(scene.queue, outer, &source_byte, 1, 0, 64, 0, nullptr, nullptr));
  ASSERT_OK(clpool_mem_sub_region(outer, 4096, 8192, 0, &inner));
  ASSERT_OK(clpool_mem_fill(scene.queue, inner, &source_byte, 1, 0, 64, 0, nullptr, nullptr));
  EXPECT_OK(clpool_mem_release(outer));
  EXPECT_OK(clpool_mem_release(inner));
}

}  // namespace
}  // namespace clpool::test
