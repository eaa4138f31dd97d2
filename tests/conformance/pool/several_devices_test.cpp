// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// A pool in a context of two devices of one platform, whose driver moves memory between them: what is filled on one is read on
// the other. PoCL 3 has two with POCL_DEVICES='pthread pthread'.
#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "conformance/pool/backends.hpp"

namespace clpool::test {
namespace {

struct Devices {
  const char* name;
  bool over_queue;      ///< of the first device, else over the context
  std::uint32_t touch;  ///< of allocators over a queue
  bool overtaking;      ///< queues that are out of order
};

class PoolOfSeveralDevices : public testing::TestWithParam<Devices> {
 protected:
  void SetUp() override {
    const OpenCl first;
    if (first.queue == nullptr || !first.has_version(1, 2)) {
      GTEST_SKIP() << "no device of OpenCL 1.2";
    }
    cl_uint count = 0;
    clGetDeviceIDs(first.platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count);
    if (count < 2) {
      GTEST_SKIP() << "the platform has one device";
    }
    cl_device_id devices[2] = {};
    ASSERT_EQ(clGetDeviceIDs(first.platform, CL_DEVICE_TYPE_ALL, 2, devices, nullptr), CL_SUCCESS);
    cl_int code = CL_SUCCESS;
    context_ = clCreateContext(nullptr, 2, devices, nullptr, nullptr, &code);
    ASSERT_EQ(code, CL_SUCCESS);
    for (int i = 0; i < 2; ++i) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
      queues_[i] = clCreateCommandQueue(
          context_, devices[i], GetParam().overtaking ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0, &code);
#pragma GCC diagnostic pop
      if (code == CL_INVALID_QUEUE_PROPERTIES) {
        GTEST_SKIP() << "no out-of-order queue";
      }
      ASSERT_EQ(code, CL_SUCCESS);
    }
    clpool_allocator* made = nullptr;
    const clpool_status status =
        GetParam().over_queue ? clpool_allocator_create_touching(queues_[0], 0, GetParam().touch, &made)
                              : clpool_allocator_create_deferred(context_, 0, &made);
    ASSERT_EQ(status, CLPOOL_SUCCESS) << clpool_last_error_message();
    const AllocatorHandle allocator(made);
    clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
    options.queues = queues_;
    options.queue_count = 2;
    pool_ = make_pool(made, options);
  }
  void TearDown() override {
    for (const cl_command_queue queue : queues_) {
      if (queue != nullptr) {
        EXPECT_EQ(finish(queue), CL_SUCCESS);
      }
    }
    pool_.reset();
    for (const cl_command_queue queue : queues_) {
      if (queue != nullptr) {
        clReleaseCommandQueue(queue);
      }
    }
    if (context_ != nullptr) {
      clReleaseContext(context_);
    }
  }

  struct Filled {
    MemHandle block;
    std::size_t size = 0;
    unsigned char byte = 0;
    cl_event event = nullptr;
  };
  Filled fill(std::size_t size, unsigned char byte, cl_command_queue queue) {
    Filled filled{allocate(pool_, size), size, byte, nullptr};
    EXPECT_EQ(clEnqueueFillBuffer(queue, clpool_mem_handle(filled.block.get()), &byte, 1, 0, size, 0, nullptr,
                                  &filled.event),
              CL_SUCCESS);
    clFlush(queue);
    return filled;
  }
  static bool is_whole(const Filled& filled, cl_command_queue queue) {
    std::vector<unsigned char> content(filled.size);
    EXPECT_EQ(clEnqueueReadBuffer(queue, clpool_mem_handle(filled.block.get()), CL_TRUE, 0, filled.size,
                                  content.data(), 1, &filled.event, nullptr),
              CL_SUCCESS);
    clReleaseEvent(filled.event);
    return std::all_of(content.begin(), content.end(),
                       [&](unsigned char found) { return found == filled.byte; });
  }

  cl_context context_ = nullptr;
  cl_command_queue queues_[2] = {};
  PoolHandle pool_;
};

TEST_P(PoolOfSeveralDevices, WhatOneFillsTheOtherReads) {
  constexpr std::size_t most_living = 12;
  std::mt19937 random(7);
  std::vector<Filled> living;
  for (int i = 0; i < 400; ++i) {
    const std::size_t size = (1 + random() % 256) * (random() % 8 == 0 ? 4096 : 256);
    living.push_back(fill(size, static_cast<unsigned char>(random()), queues_[random() % 2]));
    if (living.size() == most_living || i >= 400 - static_cast<int>(most_living)) {
      std::swap(living[random() % living.size()], living.back());
      ASSERT_TRUE(is_whole(living.back(), queues_[random() % 2])) << "block " << i << " of " << size;
      living.pop_back();
    }
  }
  for (const Filled& filled : living) {
    EXPECT_TRUE(is_whole(filled, queues_[0]));
  }
  living.clear();
  expect_sound(pool_.get());
  EXPECT_EQ(stats_of(pool_).active_blocks, 0U);
}

INSTANTIATE_TEST_SUITE_P(All, PoolOfSeveralDevices,
                         testing::Values(Devices{"OverTheContext", false, 0, false},
                                         Devices{"OverTheContextOutOfOrder", false, 0, true},
                                         Devices{"TouchedByACopy", true, CLPOOL_TOUCH_BYTE, false},
                                         Devices{"TouchedByACopyOutOfOrder", true, CLPOOL_TOUCH_BYTE, true},
                                         Devices{"Filled", true, CLPOOL_TOUCH_WHOLE, false},
                                         Devices{"FilledOutOfOrder", true, CLPOOL_TOUCH_WHOLE, true}),
                         [](const auto& of) { return std::string(of.param.name); });

}  // namespace
}  // namespace clpool::test
