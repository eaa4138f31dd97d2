// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// clpool/clpool.hpp: the memory runtime and pools as C++ programs use them.
#include "clpool/clpool.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <numeric>
#include <span>
#include <string>
#include <type_traits>

#include "support/opencl.hpp"

namespace {

static_assert(!std::is_copy_constructible_v<clpool::Mem> &&
              std::is_nothrow_move_constructible_v<clpool::Mem>);
static_assert(!std::is_copy_constructible_v<clpool::Map> &&
              std::is_nothrow_move_constructible_v<clpool::Map>);
static_assert(!std::is_copy_constructible_v<clpool::Event> &&
              std::is_nothrow_move_constructible_v<clpool::Event>);
static_assert(!std::is_copy_constructible_v<clpool::Sampler>);

class CppLayer : public clpool::test::OpenClTest {};

TEST_F(CppLayer, AFailureIsAnExceptionWithStatusCodeAndText) {
  try {
    clpool::Mem::buffer(cl.context, 0);
    FAIL() << "0 bytes must fail";
  } catch (const clpool::Error& error) {
    EXPECT_EQ(error.status(), CLPOOL_ERROR_INVALID_VALUE);
    EXPECT_EQ(error.cl_error(), CL_SUCCESS);
    EXPECT_NE(std::string(error.what()).find("0"), std::string::npos);
  }
  const clpool::Allocator limited = clpool::Allocator::limit(clpool::Allocator::deferred(cl.context), 1000);
  EXPECT_THROW(limited.allocate(1001), clpool::OutOfMemory);
}

TEST_F(CppLayer, AFailureIsAnErrorCodeWhereOneIsGiven) {
  std::error_code code;
  const clpool::Mem none = clpool::Mem::buffer(cl.context, 0, 0, code);
  EXPECT_FALSE(none);
  EXPECT_EQ(code, clpool::make_error_code(CLPOOL_ERROR_INVALID_VALUE));
  EXPECT_EQ(code, std::errc::invalid_argument);
  EXPECT_STREQ(code.category().name(), "clpool");
  EXPECT_EQ(code.message(), clpool_status_string(CLPOOL_ERROR_INVALID_VALUE));
  const clpool::Mem some = clpool::Mem::buffer(cl.context, 64, 0, code);
  EXPECT_TRUE(some);
  EXPECT_FALSE(code);
}

TEST_F(CppLayer, SpansAreTransferredWholeAndMapped) {
  std::vector<int> values(64);
  std::iota(values.begin(), values.end(), 0);
  clpool::Mem mem = clpool::Mem::buffer(cl.context, std::span<const int>(values));
  EXPECT_EQ(mem.size(), 256u);
  const int changed[] = {-1, -2, -3};
  mem.write(cl.queue, std::span(changed), 4);
  std::array<int, 5> first = {};
  mem.read(cl.queue, std::span(first));
  EXPECT_EQ(first, (std::array<int, 5>{0, -1, -2, -3, 4}));
  clpool::Map map = mem.map(cl.queue, CL_MAP_READ, clpool::Range{4, 14});
  const std::span<const int> seen = map.span<const int>();
  EXPECT_EQ(std::vector<int>(seen.begin(), seen.end()), (std::vector<int>{-1, -2, -3})) << "whole items only";
  map.unmap();
  EXPECT_TRUE(map.span<int>().empty());
  EXPECT_EQ(clpool::Mem::buffer(cl.context, std::span(values)).size(), 256u) << "items need not be const";
  std::vector<int> too_many(65);
  EXPECT_THROW(mem.read(cl.queue, std::span(too_many)), clpool::Error);
  EXPECT_THROW(mem.read(cl.queue, std::span(first), 240), clpool::Error);
}

TEST_F(CppLayer, OneEventMayBeWaitedForAndReceivedByTheSameCommand) {
  std::vector<int> values(64);
  clpool::Mem mem = clpool::Mem::buffer(cl.context, 256);
  clpool::Event done;
  for (int round = 0; round < 20; ++round) {  // a released event is freed memory sooner or later
    mem.fill(clpool::On(cl.queue)
                 .after(done.get() != nullptr ? std::vector<cl_event>{done.get()} : std::vector<cl_event>())
                 .signal(done),
             round);
    mem.fill(clpool::On(cl.queue).after(done).signal(done), round + 1);
  }
  mem.read(clpool::On(cl.queue).after(done), std::span(values));
  EXPECT_EQ(values, std::vector<int>(64, 20));
}

TEST_F(CppLayer, PooledMemoryIsWrittenFilledCopiedMappedAndRead) {
  const clpool::Pool pool(clpool::Allocator::immediate(cl.queue));
  clpool::Mem first = pool.allocate(4096);
  clpool::Mem second = pool.allocate(4096);
  std::vector<int> values(1024);
  std::iota(values.begin(), values.end(), 0);
  clpool::Event written;
  first.write(clpool::On(cl.queue).signal(written).without_blocking(), values.data(), 4096);
  second.fill(cl.queue, -1);
  second.copy_from(clpool::On(cl.queue).after(written), first, 0, {0, 2048});
  std::vector<int> result(1024);
  second.read(cl.queue, result.data(), 4096);
  EXPECT_EQ(result[511], 511);
  EXPECT_EQ(result[512], -1);
  {
    const clpool::Map map = second.map(cl.queue, CL_MAP_WRITE, {2048, 4});
    EXPECT_EQ(map.size(), 4u);
    *map.as<int>() = 7;
  }
  second.read(cl.queue, result.data(), 4, {2048});
  EXPECT_EQ(result[0], 7);
  EXPECT_EQ(pool.statistics().active_blocks, 2u);
  first.release();
  EXPECT_EQ(pool.statistics().active_blocks, 1u);
  EXPECT_FALSE(first);
  EXPECT_NE(pool.dump_json().find("clpool-pool-1"), std::string::npos);
  EXPECT_FALSE(pool.stretches().empty());
  pool.check_books();
}

TEST_F(CppLayer, BlocksKeepTheirPoolAndSharesTheirBlock) {
  clpool::Mem share;
  {
    const clpool::Pool pool(clpool::Allocator::immediate(cl.queue));
    const clpool::Mem mem = pool.allocate(100);
    share = mem.share();
    EXPECT_TRUE(share == mem);
    EXPECT_TRUE(mem.is_pooled());
  }
  EXPECT_EQ(share.size(), 100u);
  share.fill(cl.queue, 'x');
  share.release_later();
}

TEST_F(CppLayer, SubRegionsAndWrappedHandlesAreMemory) {
  const clpool::Mem parent = clpool::Mem::buffer(cl.context, 65536);
  const clpool::Mem region = parent.sub_region(4096, 100);
  EXPECT_EQ(region.kind(), CLPOOL_MEM_KIND_SUB_REGION);
  EXPECT_EQ(region.root().root, parent.handle());
  EXPECT_EQ(region.root().offset, 4096u);
  const clpool::Mem wrapped = clpool::Mem::wrap(parent.handle());
  EXPECT_TRUE(wrapped == parent);
  EXPECT_TRUE(wrapped != region);
  EXPECT_EQ(wrapped.info(CL_MEM_SIZE), 65536u);
  EXPECT_EQ(wrapped.info_as<cl_context>(CL_MEM_CONTEXT), cl.context);
  EXPECT_EQ(wrapped.context(), cl.context);
  clpool::Event moved;
  std::error_code code;
  clpool::migrate(clpool::On(cl.queue).signal(moved), {&parent, &wrapped}, 0, code);
  EXPECT_TRUE(!code || code == std::errc::not_supported);
}

TEST_F(CppLayer, SvmIsSharedOrSaysWhatItNeeds) {
  std::error_code code;
  clpool::Mem mem = clpool::Mem::svm(cl.context, 4096, 0, 0, cl.queue, code);
  if (clpool::svm_capabilities(cl.device) == 0) {
    EXPECT_EQ(code, std::errc::not_supported);
    GTEST_SKIP() << clpool_last_error_message();
  }
  ASSERT_FALSE(code) << code.message();
  mem.fill(cl.queue, 5);
  {
    const clpool::Map map = mem.map(cl.queue, CL_MAP_READ);
    EXPECT_EQ(map.as<int>()[1023], 5);
  }
  const clpool::Mem view = mem.as_buffer();
  EXPECT_EQ(view.size(), 4096u);
  clpool::Event freed;
  clpool::Mem other = clpool::Mem::svm(cl.context, 64);
  other.release_on(clpool::On(cl.queue).signal(freed));
  EXPECT_FALSE(other);
  EXPECT_EQ(freed.wait(), CL_SUCCESS);
}

TEST_F(CppLayer, ImagesAreMadeFilledAndCopied) {
  clpool_image_options options = CLPOOL_IMAGE_OPTIONS_INIT;
  options.dimensions = 2;
  options.shape[0] = 16;
  options.shape[1] = 8;
  options.format = {CL_RGBA, CL_UNSIGNED_INT8};
  std::error_code code;
  clpool::Mem image = clpool::Mem::image(cl.context, options, code);
  if (code == std::errc::not_supported) {
    GTEST_SKIP() << clpool_last_error_message();
  }
  ASSERT_FALSE(code) << clpool_last_error_message();
  EXPECT_EQ(image.shape(), (std::vector<std::size_t>{16, 8}));
  EXPECT_EQ(clpool::format_name(image.format()), "CL_RGBA CL_UNSIGNED_INT8");
  EXPECT_EQ(clpool::format_name({0x10B5, 0}), "CL_RGBA 0x0");
  EXPECT_EQ(clpool::format_name({0xABC, 0x10}), "0xABC 0x10");
  EXPECT_EQ(clpool::item_size(image.format()), 4u);
  EXPECT_FALSE(clpool::supported_image_formats(cl.context, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D).empty());
  const std::vector<unsigned char> pixels(512, 3);
  image.write_image(cl.queue, {}, {16, 8, 1}, pixels.data(), pixels.size());
  const clpool::Mem flat = clpool::Mem::buffer(cl.context, 512);
  image.copy_image_to_buffer(cl.queue, {}, {16, 8, 1}, flat);
  std::vector<unsigned char> result(512);
  flat.read(cl.queue, result.data(), result.size());
  EXPECT_EQ(result, pixels);
  const clpool::Map map = image.map_image(cl.queue, CL_MAP_READ, {}, {16, 8, 1});
  EXPECT_GE(map.row_pitch(), 64u);
  const clpool::Sampler sampler(cl.context, false, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST);
  EXPECT_TRUE(sampler);
}

/// Numbers, as far as they last.
class Numbers final : public clpool::Source {
 public:
  Numbers(int& destroyed) : destroyed_(destroyed) {}
  ~Numbers() override { ++destroyed_; }
  uint64_t allocate(uint64_t size, uint64_t) override {
    if (size > 1000000) {
      throw std::bad_alloc();
    }
    if (size == 13) {
      throw std::runtime_error("superstition");
    }
    if (size == 14) {
      clpool::Heap().allocate(1);  // a heap that has nothing
    }
    return 4096;
  }
  void deallocate(uint64_t, uint64_t) noexcept override {}

 private:
  int& destroyed_;
};

TEST(CppSource, ExceptionsBecomeStatuses) {
  int destroyed = 0;
  {
    const clpool::Allocator allocator = clpool::Allocator::custom(std::make_unique<Numbers>(destroyed));
    EXPECT_EQ(allocator.allocate(100).pointer(), reinterpret_cast<void*>(4096));
    EXPECT_THROW(allocator.allocate(1000001), clpool::OutOfMemory);
    std::error_code code;
    const clpool::Mem none = allocator.allocate(13, code);
    EXPECT_EQ(code, clpool::make_error_code(CLPOOL_ERROR_CALLBACK));
    EXPECT_NE(std::string(clpool_last_error_message()).find("superstition"), std::string::npos);
    EXPECT_THROW(allocator.allocate(14), clpool::OutOfMemory);
    EXPECT_NE(std::string(clpool_last_error_message()).find(": a range of 1 units was asked for"),
              std::string::npos)
        << clpool_last_error_message();
    EXPECT_FALSE(allocator.allocate(0));
  }
  EXPECT_EQ(destroyed, 1);
}

class Superstitious final : public clpool::Source {
 public:
  uint64_t allocate(uint64_t, uint64_t) override { throw std::runtime_error("superstition"); }
  void deallocate(uint64_t, uint64_t) noexcept override {}
};

TEST(CppSource, WhatItThrowsIsInTheMessage) {
  const clpool::Allocator source = clpool::Allocator::custom(std::make_unique<Superstitious>());
  const clpool::Pool pool(clpool::Allocator::limit(source, 1 << 30));
  try {
    pool.allocate(13);
    FAIL() << "the source throws";
  } catch (const clpool::Error& error) {
    EXPECT_EQ(error.status(), CLPOOL_ERROR_CALLBACK);
    EXPECT_NE(std::string(error.what()).find("superstition"), std::string::npos) << error.what();
  }
  std::error_code code;
  EXPECT_FALSE(source.allocate(13, code));
  EXPECT_EQ(code, clpool::make_error_code(CLPOOL_ERROR_CALLBACK));
  EXPECT_NE(std::string(clpool_last_error_message()).find("superstition"), std::string::npos);
}

TEST(CppSource, PoolsOverItNeedNoDevice) {
  int destroyed = 0;
  clpool_pool_options options = clpool::pool_options();
  options.strategy = CLPOOL_STRATEGY_BINNED;
  {
    const clpool::Pool pool(clpool::Allocator::custom(std::make_unique<Numbers>(destroyed)), options);
    { const clpool::Mem mem = pool.allocate(1000); }
    EXPECT_EQ(pool.statistics().held_blocks, 1u);
    EXPECT_EQ(pool.statistics().managed_bytes, clpool::bin_alloc_size(clpool::bin_number(1000)));
    EXPECT_TRUE(pool.try_allocate(1000));
    pool.free_held();
    pool.stop_holding();
    pool.trim(0);
    pool.tick();
  }
  EXPECT_EQ(destroyed, 1);
  std::error_code error;
  EXPECT_FALSE(clpool::Allocator::custom(nullptr, error));
  EXPECT_EQ(error, clpool::make_error_code(CLPOOL_ERROR_INVALID_VALUE));
}

}  // namespace
