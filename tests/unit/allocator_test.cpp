// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What all allocators of OpenCL memory promise, and what each kind does besides.
#include "allocator/allocator.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "allocator/deferred.hpp"
#include "allocator/direct.hpp"
#include "allocator/immediate.hpp"
#include "allocator/pinned.hpp"
#include "allocator/svm.hpp"
#include "base/message.hpp"
#include "cl/info.hpp"
#include "support/driver.hpp"
#include "support/opencl.hpp"

namespace clpool::core {
namespace {

namespace driver = test::driver;

struct Kind {
  const char* name;
  MemKind memory;
  std::function<Status(const test::OpenCl&, Reference<Allocator>&)> make;
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = {
      {"Deferred", MemKind::buffer,
       [](const test::OpenCl& cl, Reference<Allocator>& a) {
         return make_deferred_allocator(cl.context, 0, a);
       }},
      {"Immediate", MemKind::buffer,
       [](const test::OpenCl& cl, Reference<Allocator>& a) {
         return make_immediate_allocator(cl.queue, 0, a);
       }},
      {"Svm", MemKind::svm,
       [](const test::OpenCl& cl, Reference<Allocator>& a) {
         return make_svm_allocator(cl.context, 0, 0, nullptr, a);
       }},
      {"SvmOnQueue", MemKind::svm,
       [](const test::OpenCl& cl, Reference<Allocator>& a) {
         return make_svm_allocator(cl.context, 0, 0, cl.queue, a);
       }},
      {"Pinned", MemKind::pinned,
       [](const test::OpenCl& cl, Reference<Allocator>& a) { return make_pinned_allocator(cl.queue, 0, a); }},
  };
  return all;
}

class EveryAllocator : public testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    if (cl.queue == nullptr) {
      GTEST_SKIP() << "no OpenCL device";
    }
    driver::reset();
    before = driver::live();
    const Status status = GetParam().make(cl, allocator);
    if (status == Status::not_supported) {
      GTEST_SKIP() << last_error_message();
    }
    ASSERT_EQ(status, Status::success) << last_error_message();
  }
  void TearDown() override { driver::reset(); }

  driver::Live before;
  test::OpenCl cl;
  Reference<Allocator> allocator;
};

TEST_P(EveryAllocator, TellsItsKindLimitsAndAlignment) {
  const AllocatorTraits& traits = allocator->traits();
  EXPECT_EQ(traits.kind, GetParam().memory);
  EXPECT_EQ(traits.deferred, std::string(GetParam().name) == "Deferred");
  EXPECT_EQ(traits.context, cl.context);
  cl_ulong max_alloc = 0;
  clGetDeviceInfo(cl.device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof max_alloc, &max_alloc, nullptr);
  EXPECT_EQ(traits.max_chunk_bytes, max_alloc);
  cl_uint bits = 0;
  clGetDeviceInfo(cl.device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof bits, &bits, nullptr);
  const std::uint64_t base = bits / 8;  // the device tells bits
  EXPECT_EQ(traits.granularity, traits.kind == MemKind::buffer ? base
                                : traits.kind == MemKind::svm  ? 128
                                                               : std::max<std::uint64_t>(128, base));
}

TEST_P(EveryAllocator, MakesChunksOfTheAskedSizeAtAMultipleOfItsGranularity) {
  const AllocatorTraits& traits = allocator->traits();
  for (const std::uint64_t size : {std::uint64_t{1}, std::uint64_t{1000}, std::uint64_t{1} << 20}) {
    Chunk chunk;
    ASSERT_EQ(allocator->allocate(size, traits.granularity, chunk), Status::success) << last_error_message();
    EXPECT_NE(chunk.value, 0u);
    EXPECT_EQ(chunk.size, size);
    if (traits.kind != MemKind::buffer) {
      EXPECT_EQ(chunk.value % traits.granularity, 0u);
    }
    if (traits.kind == MemKind::pinned) {
      std::memset(reinterpret_cast<void*>(chunk.value), 0x5A, size);
      EXPECT_NE(chunk.backing, nullptr);
    }
    allocator->deallocate(chunk);
  }
}

TEST_P(EveryAllocator, LeavesNothingBehind) {
  Chunk chunk;
  ASSERT_EQ(allocator->allocate(5000, 1, chunk), Status::success);
  allocator->deallocate(chunk);
  allocator = {};
  EXPECT_EQ(driver::live(), before);
}

TEST_P(EveryAllocator, LeavesNothingBehindWhicheverCallOfAnAllocationFails) {
  Chunk chunk;
  ASSERT_EQ(allocator->allocate(4096, 1, chunk), Status::success);
  allocator->deallocate(chunk);
  const driver::Live idle = driver::live();
  for (const cl_int code : {-4, -5, -6}) {
    for (long nth = 1;; ++nth) {
      driver::fail_any_call(nth, code);
      Chunk made;
      const Status status = allocator->allocate(4096, 1, made);
      if (!driver::failed()) {  // no allocation takes so many calls; how many may depend on addresses
        driver::disarm();
        ASSERT_EQ(status, Status::success);
        allocator->deallocate(made);
        EXPECT_GT(nth, 1);
        break;
      }
      EXPECT_EQ(status, Status::out_of_memory) << "call " << nth << ", code " << code;
      EXPECT_EQ(made.value, 0u);
      EXPECT_EQ(driver::live(), idle) << "call " << nth << ", code " << code;
    }
  }
  EXPECT_EQ(driver::live(), idle);
}

TEST_P(EveryAllocator, LeavesNothingBehindWhicheverCallOfItsCreationFails) {
  allocator = {};
  driver::reset();
  ASSERT_EQ(GetParam().make(cl, allocator), Status::success);
  const long calls = driver::fallible_calls();
  allocator = {};
  for (long nth = 1; nth <= calls; ++nth) {
    driver::fail_any_call(nth, CL_OUT_OF_HOST_MEMORY);
    EXPECT_EQ(GetParam().make(cl, allocator), Status::out_of_memory) << "call " << nth;
    EXPECT_EQ(driver::live(), before) << "call " << nth;
  }
}

TEST_P(EveryAllocator, ReportsASizeOverTheDevicesLimitByTheCodeThatPoolsFallBackOn) {
  // Some drivers take more than they say; none takes the whole address space. Oclgrind calls it out of
  // memory.
  Chunk chunk;
  const std::uint64_t size = std::numeric_limits<std::size_t>::max() - 4096;
  const Status status = allocator->allocate(size, 1, chunk);
  if (status != Status::out_of_memory) {
    EXPECT_EQ(status, Status::opencl) << status_text(status) << ": " << last_error_message();
    EXPECT_EQ(last_cl_error(), CL_INVALID_BUFFER_SIZE);
  }
  EXPECT_NE(std::string(last_error_message()).find(std::to_string(size)), std::string::npos);
}

TEST_P(EveryAllocator, DirectMemoryOverTheDevicesLimitIsAnInvalidValueThatNamesTheLimit) {
  for (const std::size_t size :
       {std::numeric_limits<std::size_t>::max(), std::numeric_limits<std::size_t>::max() / 2}) {
    Mem* mem = nullptr;
    EXPECT_EQ(allocate_direct(*allocator, size, mem), Status::invalid_value) << last_error_message();
    EXPECT_EQ(mem, nullptr);
    EXPECT_NE(std::string(last_error_message()).find(std::to_string(allocator->traits().max_chunk_bytes)),
              std::string::npos)
        << last_error_message();
  }
}

TEST_P(EveryAllocator, RefusesZeroBytesAndAlignmentsThatItCannotPromise) {
  Chunk chunk;
  EXPECT_EQ(allocator->allocate(0, 1, chunk), Status::invalid_value);
  EXPECT_EQ(allocator->allocate(64, allocator->traits().granularity * 2, chunk), Status::invalid_value);
}

INSTANTIATE_TEST_SUITE_P(Allocators, EveryAllocator, testing::ValuesIn(kinds()),
                         [](const auto& kind) { return std::string(kind.param.name); });

using AllocatorTest = test::OpenClTest;

TEST_F(AllocatorTest, FlagsThatNeedHostMemoryAreRefused) {
  for (const cl_mem_flags flags : {CL_MEM_USE_HOST_PTR, CL_MEM_COPY_HOST_PTR | CL_MEM_READ_ONLY}) {
    Reference<Allocator> allocator;
    EXPECT_EQ(make_deferred_allocator(cl.context, flags, allocator), Status::invalid_value);
    EXPECT_EQ(make_immediate_allocator(cl.queue, flags, allocator), Status::invalid_value);
    EXPECT_EQ(make_pinned_allocator(cl.queue, flags, allocator), Status::invalid_value);
    EXPECT_EQ(make_svm_allocator(cl.context, flags, 0, nullptr, allocator), Status::invalid_value);
    EXPECT_NE(std::string(last_error_message()).find("CL_MEM_USE_HOST_PTR"), std::string::npos);
    EXPECT_FALSE(allocator);
  }
}

TEST_F(AllocatorTest, AccessesOfTheHostThatCannotBeAreRefused) {
  Reference<Allocator> allocator;
  for (const cl_mem_flags flags : {CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_NO_ACCESS}) {
    EXPECT_EQ(make_pinned_allocator(cl.queue, flags, allocator), Status::invalid_value);
    EXPECT_NE(std::string(last_error_message()).find("CL_MEM_HOST_WRITE_ONLY"), std::string::npos);
    EXPECT_EQ(make_immediate_allocator(cl.queue, flags, allocator), Status::success);
  }
  constexpr cl_mem_flags both = CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY;
  EXPECT_EQ(make_deferred_allocator(cl.context, both, allocator), Status::invalid_value);
  EXPECT_EQ(make_immediate_allocator(cl.queue, both, allocator), Status::invalid_value);
}

TEST_F(AllocatorTest, FlagsAreGivenToTheDriverAsTheyAre) {
  Reference<Allocator> allocator;
  const cl_mem_flags flags = CL_MEM_READ_ONLY | CL_MEM_ALLOC_HOST_PTR;
  ASSERT_EQ(make_deferred_allocator(cl.context, flags, allocator), Status::success);
  Chunk chunk;
  ASSERT_EQ(allocator->allocate(64, 1, chunk), Status::success);
  cl_mem_flags found = 0;
  clGetMemObjectInfo(reinterpret_cast<cl_mem>(chunk.value), CL_MEM_FLAGS, sizeof found, &found, nullptr);
  EXPECT_EQ(found, flags);
  allocator->deallocate(chunk);
  // A flag of the future is for the driver to judge, not for the allocator.
  ASSERT_EQ(make_deferred_allocator(cl.context, cl_mem_flags{1} << 47, allocator), Status::success);
}

TEST_F(AllocatorTest, PageLockedMemoryHasTheAccessThatIsAskedFor) {
  const auto flags_of_chunk = [&](cl_mem_flags flags) {
    Reference<Allocator> allocator;
    EXPECT_EQ(make_pinned_allocator(cl.queue, flags, allocator), Status::success);
    Chunk chunk;
    EXPECT_EQ(allocator->allocate(64, 1, chunk), Status::success);
    cl_mem_flags found = 0;
    clGetMemObjectInfo(static_cast<cl_mem>(chunk.backing), CL_MEM_FLAGS, sizeof found, &found, nullptr);
    allocator->deallocate(chunk);
    return found;
  };
  EXPECT_EQ(flags_of_chunk(0), cl_mem_flags{CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR});
  EXPECT_EQ(flags_of_chunk(CL_MEM_READ_ONLY), cl_mem_flags{CL_MEM_READ_ONLY | CL_MEM_ALLOC_HOST_PTR});
}

TEST_F(AllocatorTest, AnImmediateBufferIsTouchedByACopy) {
  Reference<Allocator> allocator;
  ASSERT_EQ(make_immediate_allocator(cl.queue, 0, allocator), Status::success);
  driver::reset();
  Chunk chunk;
  ASSERT_EQ(allocator->allocate(4096, 1, chunk), Status::success);
  allocator->deallocate(chunk);
  EXPECT_EQ(driver::calls("clEnqueueCopyBuffer"), 1);
}

TEST_F(AllocatorTest, TheNullOfClSvmAllocIsOutOfMemory) {
  Reference<Allocator> allocator;
  if (make_svm_allocator(cl.context, 0, 0, nullptr, allocator) == Status::not_supported) {
    GTEST_SKIP() << last_error_message();
  }
  driver::fail_call("clSVMAlloc", 1, -1);
  Chunk chunk;
  EXPECT_EQ(allocator->allocate(64, 1, chunk), Status::out_of_memory);
  EXPECT_EQ(last_cl_error(), CL_MEM_OBJECT_ALLOCATION_FAILURE);
  driver::reset();
}

TEST_F(AllocatorTest, AnOutOfOrderQueueIsRefusedWhenTheSvmAllocatorIsMade) {
  const cl_command_queue unordered = cl.another_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  if (unordered == nullptr) {
    GTEST_SKIP() << "the device has no out-of-order queues";
  }
  Reference<Allocator> allocator;
  EXPECT_EQ(make_svm_allocator(cl.context, 0, 0, unordered, allocator), Status::invalid_value);
  EXPECT_NE(std::string(last_error_message()).find("in order"), std::string::npos);
}

TEST_F(AllocatorTest, SvmAlignmentsAreCheckedWhenTheAllocatorIsMade) {
  Reference<Allocator> allocator;
  if (make_svm_allocator(cl.context, 0, 64, nullptr, allocator) == Status::not_supported) {
    GTEST_SKIP() << last_error_message();
  }
  EXPECT_EQ(allocator->traits().granularity, 128u);
  EXPECT_EQ(make_svm_allocator(cl.context, 0, 3, nullptr, allocator), Status::invalid_value);
  driver::fail_call("clSVMAlloc", 1, -1);  // what PoCL does for 4096
  EXPECT_EQ(make_svm_allocator(cl.context, 0, 4096, nullptr, allocator), Status::invalid_value);
  EXPECT_NE(std::string(last_error_message()).find("4096"), std::string::npos);
  driver::reset();
}

TEST_F(AllocatorTest, AnSvmKindThatTheDeviceLacksIsNotSupported) {
  Reference<Allocator> allocator;
  EXPECT_EQ(make_svm_allocator(cl.context, CL_MEM_SVM_ATOMICS, 0, nullptr, allocator), Status::invalid_value);
  cl_device_svm_capabilities capabilities = 0;
  if (cl.has_version(2, 0)) {
    clGetDeviceInfo(cl.device, CL_DEVICE_SVM_CAPABILITIES, sizeof capabilities, &capabilities, nullptr);
  }
  const Status status = make_svm_allocator(cl.context, CL_MEM_SVM_FINE_GRAIN_BUFFER, 0, nullptr, allocator);
  if ((capabilities & CL_DEVICE_SVM_FINE_GRAIN_BUFFER) != 0) {
    EXPECT_EQ(status, Status::success);
  } else {
    EXPECT_EQ(status, Status::not_supported);
    EXPECT_NE(std::string(last_error_message()).find("CL_DEVICE_SVM_FINE_GRAIN_BUFFER"), std::string::npos);
  }
}

TEST_F(AllocatorTest, SvmOfAQueueIsFreedOnTheQueue) {
  Reference<Allocator> allocator;
  if (make_svm_allocator(cl.context, 0, 0, cl.queue, allocator) == Status::not_supported) {
    GTEST_SKIP() << last_error_message();
  }
  driver::reset();
  Chunk chunk;
  ASSERT_EQ(allocator->allocate(64, 1, chunk), Status::success);
  allocator->deallocate(chunk);
  EXPECT_EQ(driver::calls("clEnqueueSVMFree"), 1);
  EXPECT_EQ(driver::calls("clSVMFree"), 0);
}

TEST_F(AllocatorTest, AFailureToFreeIsReportedByAMessage) {
  Reference<Allocator> allocator;
  ASSERT_EQ(make_pinned_allocator(cl.queue, 0, allocator), Status::success);
  Chunk chunk;
  ASSERT_EQ(allocator->allocate(64, 1, chunk), Status::success);
  clRetainMemObject(chunk.backing);  // to unmap what the fault below leaves mapped
  std::string text;
  set_message_sink(
      {[](void* user, std::int32_t, const char* message) { *static_cast<std::string*>(user) = message; },
       &text});
  driver::reset();
  driver::fail_call("clEnqueueUnmapMemObject", 1, CL_OUT_OF_RESOURCES);
  allocator->deallocate(chunk);
  EXPECT_EQ(driver::calls("clFinish"), 1);
  EXPECT_EQ(driver::calls("clReleaseMemObject"), 1);
  set_message_sink({});
  driver::reset();
  EXPECT_NE(text.find("CL_OUT_OF_RESOURCES"), std::string::npos) << text;
  clEnqueueUnmapMemObject(cl.queue, chunk.backing, reinterpret_cast<void*>(chunk.value), 0, nullptr, nullptr);
  clReleaseMemObject(chunk.backing);
}

TEST_F(AllocatorTest, AnInvalidContextOrQueueIsAnOpenClError) {
  Reference<Allocator> allocator;
  EXPECT_EQ(make_deferred_allocator(nullptr, 0, allocator), Status::opencl);
  EXPECT_EQ(last_cl_error(), CL_INVALID_CONTEXT);
  EXPECT_EQ(make_immediate_allocator(nullptr, 0, allocator), Status::opencl);
  EXPECT_EQ(last_cl_error(), CL_INVALID_COMMAND_QUEUE);
}

}  // namespace
}  // namespace clpool::core
