// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// clpool/svm.h, and SVM in clpool/transfer.h and clpool/map.h: direct, from an allocator, from pools.
#include "clpool/svm.h"

#include <algorithm>
#include <cstring>

#include "memory.hpp"

namespace {

using clpool::test::bytes;
using clpool::test::finish;
using clpool::test::floats;
using clpool::test::Kernel;
using clpool::test::last_error;
using clpool::test::last_error_names;
using clpool::test::OpenCl;
using clpool::test::OwnedMap;
using clpool::test::OwnedMem;
using clpool::test::state_of;

constexpr const char* twice = "kernel void twice(global float* a) { a[get_global_id(0)] *= 2; }";

struct SvmSource {
  const char* name;
  clpool_status (*make)(const OpenCl& cl, size_t size, clpool_mem** out);
};

clpool_status from_pool(const OpenCl& cl, uint32_t strategy, size_t size, clpool_mem** out) {
  clpool_allocator* allocator = nullptr;
  clpool_status status = clpool_allocator_create_svm(cl.context, 0, 0, cl.queue, &allocator);
  if (status != CLPOOL_SUCCESS) {
    return status;
  }
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  options.strategy = strategy;
  clpool_pool* pool = nullptr;
  status = clpool_pool_create(allocator, &options, &pool);
  clpool_allocator_release(allocator);
  if (status == CLPOOL_SUCCESS) {
    status = clpool_pool_allocate(pool, size, out);
    clpool_pool_release(pool);
  }
  return status;
}

const std::vector<SvmSource>& sources() {
  static const std::vector<SvmSource> all = {
      {"Direct", [](const OpenCl& cl, size_t size,
                    clpool_mem** out) { return clpool_svm_create(cl.context, 0, size, 64, nullptr, out); }},
      {"OnQueue", [](const OpenCl& cl, size_t size,
                     clpool_mem** out) { return clpool_svm_create(cl.context, 0, size, 0, cl.queue, out); }},
      {"CoalescingPool",
       [](const OpenCl& cl, size_t size, clpool_mem** out) {
         return from_pool(cl, CLPOOL_STRATEGY_COALESCING, size, out);
       }},
      {"BinnedPool", [](const OpenCl& cl, size_t size,
                        clpool_mem** out) { return from_pool(cl, CLPOOL_STRATEGY_BINNED, size, out); }},
  };
  return all;
}

class EverySvm : public testing::TestWithParam<SvmSource> {
 protected:
  void SetUp() override {
    if (cl.queue == nullptr) {
      GTEST_SKIP() << "no OpenCL device";
    }
    cl_bitfield capabilities = 0;
    ASSERT_OK(clpool_svm_capabilities(cl.device, &capabilities));
    if (capabilities == 0) {
      GTEST_SKIP() << "the device has no SVM";
    }
  }
  OwnedMem make(size_t size) {
    clpool_mem* mem = nullptr;
    EXPECT_OK(GetParam().make(cl, size, &mem));
    return OwnedMem(mem);
  }
  template <typename T>
  std::vector<T> content(clpool_mem* mem, size_t count) {
    std::vector<T> values(count);
    EXPECT_OK(clpool_mem_read(cl.queue, mem, 0, CLPOOL_WHOLE_SIZE, values.data(), count * sizeof(T), 1, 0,
                              nullptr, nullptr));
    return values;
  }
  OpenCl cl;
};
INSTANTIATE_TEST_SUITE_P(Sources, EverySvm, testing::ValuesIn(sources()),
                         [](const auto& source) { return std::string(source.param.name); });

TEST_P(EverySvm, HasAnAddressItsSizeAndNoHandle) {
  const OwnedMem mem = make(1000);
  EXPECT_NE(clpool_mem_pointer(mem.get()), nullptr);
  EXPECT_EQ(clpool_mem_handle(mem.get()), nullptr);
  EXPECT_EQ(clpool_mem_size(mem.get()), 1000u);
  EXPECT_EQ(clpool_mem_kind(mem.get()), CLPOOL_MEM_KIND_SVM);
  uint64_t address = 0;
  EXPECT_OK(clpool_mem_info_number(mem.get(), CL_MEM_HOST_PTR, &address));
  EXPECT_EQ(address, reinterpret_cast<uint64_t>(clpool_mem_pointer(mem.get())));
  cl_context context = nullptr;
  EXPECT_OK(clpool_mem_context(mem.get(), &context));
  EXPECT_EQ(context, cl.context);
}

TEST_P(EverySvm, CoarseGrainMemoryIsSharedByFillMapKernelViewAndCopy) {
  const size_t count = 3000;
  const size_t size = count * sizeof(float);
  const Kernel kernel(cl, twice, "twice");
  ASSERT_NE(kernel.get(), nullptr);
  const OwnedMem mem = make(size);
  const float zero = 0;
  ASSERT_OK(
      clpool_mem_fill(cl.queue, mem.get(), &zero, sizeof zero, 0, CLPOOL_WHOLE_SIZE, 0, nullptr, nullptr));
  clpool_map* map = nullptr;
  ASSERT_OK(clpool_mem_map(cl.queue, mem.get(), CL_MAP_READ | CL_MAP_WRITE, 0, CLPOOL_WHOLE_SIZE, 1, 0,
                           nullptr, nullptr, &map));
  EXPECT_EQ(clpool_map_pointer(map), clpool_mem_pointer(mem.get()));
  EXPECT_EQ(clpool_map_size(map), size);
  auto* values = static_cast<float*>(clpool_map_pointer(map));
  EXPECT_EQ(values[count - 1], 0.0F);
  std::fill_n(values, count, 17.0F);
  EXPECT_OK(clpool_map_release(map));

  ASSERT_OK(clpool_mem_set_kernel_arg(mem.get(), kernel.get(), 0));
  ASSERT_EQ(clEnqueueNDRangeKernel(cl.queue, kernel.get(), 1, nullptr, &count, nullptr, 0, nullptr, nullptr),
            CL_SUCCESS);
  finish(cl.queue);
  EXPECT_EQ(content<float>(mem.get(), count), std::vector<float>(count, 34.0F));

  clpool_mem* view = nullptr;
  ASSERT_OK(clpool_svm_as_buffer(mem.get(), 0, CLPOOL_WHOLE_SIZE, &view));
  const OwnedMem owner(view);
  EXPECT_EQ(clpool_mem_size(view), size);
  const Kernel other(cl, twice, "twice");
  ASSERT_OK(clpool_mem_set_kernel_arg(view, other.get(), 0));
  const cl_int code =
      clEnqueueNDRangeKernel(cl.queue, other.get(), 1, nullptr, &count, nullptr, 0, nullptr, nullptr);
  if (code != CL_SUCCESS) {
    GTEST_SKIP() << "the driver takes no view of SVM as a kernel argument: " << clpool_cl_error_name(code);
  }
  finish(cl.queue);
  EXPECT_EQ(content<float>(mem.get(), count), std::vector<float>(count, 68.0F));
}

TEST_P(EverySvm, AFillKeepsToItsByteCount) {
  const OwnedMem mem = make(1024);
  ASSERT_OK(clpool_mem_fill(cl.queue, mem.get(), "a", 1, 0, CLPOOL_WHOLE_SIZE, 0, nullptr, nullptr));
  ASSERT_OK(clpool_mem_fill(cl.queue, mem.get(), "b", 1, 100, 50, 0, nullptr, nullptr));
  const std::vector<char> values = content<char>(mem.get(), 1024);
  EXPECT_EQ(std::count(values.begin(), values.end(), 'b'), 50);
  EXPECT_EQ(values[99], 'a');
  EXPECT_EQ(values[100], 'b');
  EXPECT_EQ(values[150], 'a');
}

TEST_P(EverySvm, AMapKeepsToItsSize) {
  const OwnedMem mem = make(1024);
  clpool_map* map = nullptr;
  ASSERT_OK(clpool_mem_map(cl.queue, mem.get(), CL_MAP_READ, 128, 256, 1, 0, nullptr, nullptr, &map));
  const OwnedMap owner(map);
  EXPECT_EQ(clpool_map_size(map), 256u);
  EXPECT_EQ(clpool_map_pointer(map), static_cast<char*>(clpool_mem_pointer(mem.get())) + 128);
  clpool_map* none = nullptr;
  EXPECT_EQ(clpool_mem_map(cl.queue, mem.get(), CL_MAP_READ, 0, 1025, 1, 0, nullptr, nullptr, &none),
            CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(none, nullptr);
}

TEST_P(EverySvm, IsCopiedToAndFromHostBuffersAndSvm) {
  const std::vector<unsigned char> values = bytes(4096);
  const OwnedMem first = make(4096);
  const OwnedMem second = make(4096);
  clpool_mem* buffer = nullptr;
  ASSERT_OK(clpool_buffer_create(cl.context, 0, 4096, nullptr, 0, &buffer));
  const OwnedMem owner(buffer);
  ASSERT_OK(clpool_mem_write(cl.queue, first.get(), 0, CLPOOL_WHOLE_SIZE, values.data(), values.size(), 1, 0,
                             nullptr, nullptr));
  ASSERT_OK(clpool_mem_copy(cl.queue, buffer, 128, first.get(), 0, CLPOOL_WHOLE_SIZE, 0, nullptr, nullptr));
  ASSERT_OK(
      clpool_mem_copy(cl.queue, second.get(), 256, buffer, 128, CLPOOL_WHOLE_SIZE, 0, nullptr, nullptr));
  finish(cl.queue);
  std::vector<unsigned char> result = content<unsigned char>(second.get(), 4096);
  EXPECT_TRUE(std::equal(result.begin() + 256, result.end(), values.begin()));
  ASSERT_OK(
      clpool_mem_copy(cl.queue, second.get(), 0, first.get(), 0, CLPOOL_WHOLE_SIZE, 0, nullptr, nullptr));
  EXPECT_EQ(content<unsigned char>(second.get(), 4096), values);
  EXPECT_EQ(clpool_mem_copy(cl.queue, first.get(), 10, first.get(), 0, 20, 0, nullptr, nullptr),
            CLPOOL_ERROR_OPENCL);
  EXPECT_EQ(clpool_last_cl_error(), CL_MEM_COPY_OVERLAP);
}

TEST_P(EverySvm, NoHostByteBeyondItsSizeIsTouched) {
  const OwnedMem mem = make(4096);
  const auto host = std::make_unique<unsigned char[]>(100);
  EXPECT_EQ(clpool_mem_read(cl.queue, mem.get(), 0, 101, host.get(), 100, 1, 0, nullptr, nullptr),
            CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_OK(
      clpool_mem_read(cl.queue, mem.get(), 0, CLPOOL_WHOLE_SIZE, host.get(), 100, 1, 0, nullptr, nullptr));
  EXPECT_EQ(clpool_mem_write(cl.queue, mem.get(), 4000, 97, host.get(), 100, 1, 0, nullptr, nullptr),
            CLPOOL_ERROR_INVALID_VALUE);
}

TEST_P(EverySvm, ZeroBytesAreNoCommand) {
  const OwnedMem mem = make(4096);
  for (int i = 0; i < 2; ++i) {
    cl_event event = nullptr;
    EXPECT_OK(i == 0 ? clpool_mem_fill(cl.queue, mem.get(), "x", 1, 0, 0, 0, nullptr, &event)
                     : clpool_mem_copy(cl.queue, mem.get(), 0, mem.get(), 0, 0, 0, nullptr, &event));
    ASSERT_NE(event, nullptr);
    clReleaseEvent(event);
  }
  clpool_mem* part = nullptr;
  ASSERT_OK(clpool_mem_sub_region(mem.get(), 1, 100, 0, &part));
  const OwnedMem odd(part);
  EXPECT_OK(clpool_mem_fill(cl.queue, part, "four", 4, 0, 0, 0, nullptr, nullptr)) << "begins nowhere";
  EXPECT_EQ(clpool_mem_fill(cl.queue, part, "four", 4, 0, 4, 0, nullptr, nullptr),
            CLPOOL_ERROR_INVALID_VALUE);
}

TEST_P(EverySvm, IsMigratedWhereTheDeviceHasOpenCl21) {
  const OwnedMem mem = make(4096);
  clpool_mem* const mems[] = {mem.get()};
  cl_event event = nullptr;
  const clpool_status status = clpool_mem_migrate(cl.queue, mems, 1, 0, 0, nullptr, &event);
  if (cl.has_version(2, 1)) {
    EXPECT_OK(status);
    clReleaseEvent(event);
  } else {
    EXPECT_EQ(status, CLPOOL_ERROR_NOT_SUPPORTED);
    EXPECT_TRUE(last_error_names("2.1")) << last_error();
  }
}

TEST_P(EverySvm, SubRegionsAreAddressesThatKeepItAlive) {
  OwnedMem mem = make(4096);
  clpool_mem* region = nullptr;
  ASSERT_OK(clpool_mem_sub_region(mem.get(), 100, 200, 0, &region));
  const OwnedMem owner(region);
  EXPECT_EQ(clpool_mem_pointer(region), static_cast<char*>(clpool_mem_pointer(mem.get())) + 100);
  clpool_mem_release(mem.release());
  EXPECT_OK(clpool_mem_fill(cl.queue, region, "r", 1, 0, CLPOOL_WHOLE_SIZE, 0, nullptr, nullptr));
  EXPECT_EQ(content<char>(region, 200), std::vector<char>(200, 'r'));
}

TEST_P(EverySvm, AFillBeginsAtAMultipleOfItsPattern) {
  const OwnedMem mem = make(4096);
  clpool_mem* region = nullptr;
  ASSERT_OK(clpool_mem_sub_region(mem.get(), 2, 200, 0, &region));
  const OwnedMem owner(region);
  EXPECT_EQ(clpool_mem_fill(cl.queue, region, "four", 4, 0, 40, 0, nullptr, nullptr),
            CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_TRUE(last_error_names("multiple of the pattern's 4 bytes")) << last_error();
  EXPECT_OK(clpool_mem_fill(cl.queue, region, "22", 2, 0, 40, 0, nullptr, nullptr));
  EXPECT_EQ(content<char>(region, 40), std::vector<char>(40, '2'));
}

class Svm : public clpool::test::OpenClTest {
 protected:
  void SetUp() override {
    OpenClTest::SetUp();
    if (IsSkipped()) {
      return;
    }
    ASSERT_OK(clpool_svm_capabilities(cl.device, &capabilities));
    if (capabilities == 0) {
      GTEST_SKIP() << "the device has no SVM";
    }
  }
  OwnedMem make(size_t size, cl_svm_mem_flags flags = 0, cl_command_queue queue = nullptr) {
    clpool_mem* mem = nullptr;
    EXPECT_OK(clpool_svm_create(cl.context, flags, size, 0, queue, &mem));
    return OwnedMem(mem);
  }
  cl_bitfield capabilities = 0;
};

TEST(SvmAlignment, IsTheNextPowerOfTwoUpToWhatEveryDeviceAllows) {
  EXPECT_EQ(clpool_svm_alignment_for(0), 1u);
  EXPECT_EQ(clpool_svm_alignment_for(1), 1u);
  EXPECT_EQ(clpool_svm_alignment_for(12), 16u);
  EXPECT_EQ(clpool_svm_alignment_for(128), 128u);
  EXPECT_EQ(clpool_svm_alignment_for(4096), 128u);
}

class SvmOrNot : public clpool::test::OpenClTest {};

TEST_F(SvmOrNot, HasNoHostMemoryOfTheCallers) {
  for (const cl_svm_mem_flags flags : {CL_MEM_USE_HOST_PTR, CL_MEM_COPY_HOST_PTR}) {
    clpool_mem* mem = nullptr;
    EXPECT_EQ(clpool_svm_create(cl.context, flags, 64, 0, nullptr, &mem), CLPOOL_ERROR_INVALID_VALUE);
    EXPECT_TRUE(last_error_names("SVM takes neither CL_MEM_USE_HOST_PTR nor")) << last_error();
  }
}

TEST_F(SvmOrNot, WithoutSvmTheAnswerSaysWhatIsNeeded) {
  cl_bitfield capabilities = 0;
  ASSERT_OK(clpool_svm_capabilities(cl.device, &capabilities));
  clpool_mem* mem = nullptr;
  const clpool_status status = clpool_svm_create(cl.context, 0, 64, 0, nullptr, &mem);
  const OwnedMem owner(mem);
  if (capabilities != 0) {
    EXPECT_OK(status);
  } else {
    EXPECT_EQ(status, CLPOOL_ERROR_NOT_SUPPORTED);
    EXPECT_TRUE(last_error_names("OpenCL 2.0")) << last_error();
  }
  char host[64] = {};
  clpool_mem* system = nullptr;
  const clpool_status wrapped = clpool_svm_wrap(cl.context, host, sizeof host, 1, &system);
  const OwnedMem system_owner(system);
  if ((capabilities & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM) != 0) {
    ASSERT_OK(wrapped);
    const clpool::test::OpenCl elsewhere;  // it is of no context of its own
    EXPECT_OK(clpool_mem_fill(elsewhere.queue, system, "x", 1, 0, sizeof host, 0, nullptr, nullptr));
    EXPECT_EQ(finish(elsewhere.queue), CL_SUCCESS);
    EXPECT_EQ(host[63], 'x');
  } else {
    EXPECT_EQ(wrapped, CLPOOL_ERROR_NOT_SUPPORTED);
    EXPECT_TRUE(last_error_names("CL_DEVICE_SVM_FINE_GRAIN_SYSTEM")) << last_error();
  }
}

TEST_F(Svm, FineGrainMemoryNeedsNoMap) {
  clpool_mem* mem = nullptr;
  const clpool_status status =
      clpool_svm_create(cl.context, CL_MEM_SVM_FINE_GRAIN_BUFFER, 3000 * sizeof(float), 64, nullptr, &mem);
  SKIP_IF_NOT_SUPPORTED(status);
  ASSERT_OK(status);
  const OwnedMem owner(mem);
  const Kernel kernel(cl, twice, "twice");
  auto* values = static_cast<float*>(clpool_mem_pointer(mem));
  std::fill_n(values, 3000, 21.0F);
  ASSERT_OK(clpool_mem_set_kernel_arg(mem, kernel.get(), 0));
  const size_t count = 3000;
  ASSERT_EQ(clEnqueueNDRangeKernel(cl.queue, kernel.get(), 1, nullptr, &count, nullptr, 0, nullptr, nullptr),
            CL_SUCCESS);
  finish(cl.queue);
  EXPECT_EQ(std::count(values, values + 3000, 42.0F), 3000);
}

TEST_F(Svm, ReadOnlyMemoryIsAKernelArgument) {
  const OwnedMem input = make(16 * sizeof(float), CL_MEM_READ_ONLY);
  const OwnedMem output = make(16 * sizeof(float));
  const Kernel kernel(cl,
                      "kernel void copy(global const float* a, global float* b) { int i = get_global_id(0); "
                      "b[i] = a[i]; }",
                      "copy");
  const std::vector<float> values = floats(16);
  ASSERT_OK(clpool_mem_write(cl.queue, input.get(), 0, 64, values.data(), 64, 1, 0, nullptr, nullptr));
  ASSERT_OK(clpool_mem_set_kernel_arg(input.get(), kernel.get(), 0));
  ASSERT_OK(clpool_mem_set_kernel_arg(output.get(), kernel.get(), 1));
  const size_t count = 16;
  ASSERT_EQ(clEnqueueNDRangeKernel(cl.queue, kernel.get(), 1, nullptr, &count, nullptr, 0, nullptr, nullptr),
            CL_SUCCESS);
  std::vector<float> result(16);
  ASSERT_OK(clpool_mem_read(cl.queue, output.get(), 0, 64, result.data(), 64, 1, 0, nullptr, nullptr));
  EXPECT_EQ(result, values);
}

TEST_F(Svm, ZeroBytesAreNull) {
  auto* mem = reinterpret_cast<clpool_mem*>(this);
  EXPECT_OK(clpool_svm_create(cl.context, 0, 0, 0, nullptr, &mem));
  EXPECT_EQ(mem, nullptr);
  EXPECT_OK(clpool_mem_release(mem));
}

TEST_F(Svm, WrongRequestsAreRefusedByName) {
  clpool_mem* mem = nullptr;
  EXPECT_EQ(clpool_svm_create(cl.context, 0, 64, 3, nullptr, &mem), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(clpool_svm_create(cl.context, 0, SIZE_MAX / 2, 0, nullptr, &mem), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(clpool_svm_create(nullptr, 0, 64, 0, nullptr, &mem), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(clpool_svm_create(cl.context, CL_MEM_READ_WRITE | CL_MEM_READ_ONLY, 64, 0, nullptr, &mem),
            CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_TRUE(last_error_names("0x5")) << last_error();
  EXPECT_EQ(clpool_svm_wrap(cl.context, nullptr, 64, 0, &mem), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(clpool_svm_wrap(cl.context, this, 0, 0, &mem), CLPOOL_ERROR_INVALID_VALUE);
  clpool_mem* buffer = nullptr;
  ASSERT_OK(clpool_buffer_create(cl.context, 0, 64, nullptr, 0, &buffer));
  const OwnedMem owner(buffer);
  EXPECT_EQ(clpool_svm_as_buffer(buffer, 0, 64, &mem), CLPOOL_ERROR_INVALID_OPERATION);
  clpool_mem* svm = nullptr;
  ASSERT_OK(clpool_svm_create(cl.context, 0, 64, 0, nullptr, &svm));
  const OwnedMem owner_of_svm(svm);
  EXPECT_EQ(clpool_svm_as_buffer(svm, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 64, &mem),
            CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_TRUE(last_error_names("0x6")) << last_error();
  EXPECT_EQ(clpool_svm_as_buffer(svm, CL_MEM_COPY_HOST_PTR, 64, &mem), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_TRUE(last_error_names("0x20")) << last_error();
  EXPECT_EQ(clpool_mem_bind_queue(buffer, cl.queue), CLPOOL_ERROR_INVALID_OPERATION);
  EXPECT_TRUE(last_error_names("a buffer")) << last_error();
}

TEST_F(Svm, ForeignMemoryOfUnknownSizeNeedsSizesToBeGiven) {
  void* const pointer = clSVMAlloc(cl.context, CL_MEM_READ_WRITE, 1024, 0);
  clpool_mem* mem = nullptr;
  ASSERT_OK(clpool_svm_wrap(cl.context, pointer, CLPOOL_WHOLE_SIZE, 0, &mem));
  EXPECT_EQ(clpool_mem_fill(cl.queue, mem, "x", 1, 0, CLPOOL_WHOLE_SIZE, 0, nullptr, nullptr),
            CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_OK(clpool_mem_fill(cl.queue, mem, "x", 1, 0, 1024, 0, nullptr, nullptr));
  clpool_mem* const mems[] = {mem};
  EXPECT_EQ(clpool_mem_migrate(cl.queue, mems, 1, 0, 0, nullptr, nullptr), CLPOOL_ERROR_INVALID_VALUE);
  char host[16];
  EXPECT_OK(clpool_mem_read(cl.queue, mem, 0, CLPOOL_WHOLE_SIZE, host, sizeof host, 1, 0, nullptr, nullptr));
  EXPECT_EQ(host[15], 'x');
  EXPECT_OK(clpool_mem_release(mem));
  finish(cl.queue);
  clSVMFree(cl.context, pointer);
}

TEST_F(Svm, AViewKeepsTheMemoryAlive) {
  OwnedMem mem = make(4096);
  clpool_mem* view = nullptr;
  ASSERT_OK(clpool_svm_as_buffer(mem.get(), CL_MEM_READ_ONLY, 1024, &view));
  clpool_mem* const gone = mem.release();
  EXPECT_OK(clpool_mem_release(gone));
  EXPECT_EQ(clpool_mem_size(gone), 4096u);
  EXPECT_OK(clpool_mem_release(view));
  EXPECT_EQ(clpool_mem_size(gone), 0u);
}

TEST_F(Svm, IsFreedBehindAQueueWithAnEvent) {
  clpool_mem* mem = make(4096, 0, cl.queue).release();
  ASSERT_OK(clpool_mem_fill(cl.queue, mem, "x", 1, 0, CLPOOL_WHOLE_SIZE, 0, nullptr, nullptr));
  cl_event event = nullptr;
  ASSERT_OK(clpool_mem_release_on(mem, nullptr, 0, nullptr, &event));
  ASSERT_NE(event, nullptr);
  EXPECT_EQ(clpool_mem_pointer(mem), nullptr);
  EXPECT_EQ(clpool_mem_release(mem), CLPOOL_ERROR_INVALID_OPERATION);
  EXPECT_EQ(clpool_mem_release_on(mem, cl.queue, 0, nullptr, nullptr), CLPOOL_ERROR_INVALID_OPERATION);
  clWaitForEvents(1, &event);
  clReleaseEvent(event);
}

TEST_F(Svm, WithoutAQueueItCannotBeFreedBehindOneAndStaysAsItIs) {
  const OwnedMem mem = make(4096);
  auto event = reinterpret_cast<cl_event>(this);
  EXPECT_EQ(clpool_mem_release_on(mem.get(), nullptr, 0, nullptr, &event), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(event, nullptr);
  EXPECT_EQ(clpool_mem_size(mem.get()), 4096u);
}

TEST_F(Svm, AReleaseBehindAQueueLeavesOtherReferencesAlone) {
  const OwnedMem mem = make(4096);
  ASSERT_OK(clpool_mem_retain(mem.get()));
  cl_event event = nullptr;
  EXPECT_OK(clpool_mem_release_on(mem.get(), cl.queue, 0, nullptr, &event));
  clReleaseEvent(event);
  EXPECT_EQ(clpool_mem_size(mem.get()), 4096u);
}

/// Commands that wait until it is opened, at the latest when it goes.
class Gate {
 public:
  explicit Gate(const OpenCl& cl) {
    cl_int code = CL_SUCCESS;
    event = clCreateUserEvent(cl.context, &code);
  }
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
  ~Gate() {
    open();
    clReleaseEvent(event);
  }
  void open() {
    if (!is_open_) {
      clSetUserEventStatus(event, CL_COMPLETE);
    }
    is_open_ = true;
  }
  cl_event event = nullptr;

 private:
  bool is_open_ = false;
};

TEST_F(Svm, AReleaseBehindAQueueIsNotCompleteBeforeItsCommandsAlthoughAViewIsLeft) {
  clpool_mem* const mem = make(1 << 20).release();
  clpool_mem* view = nullptr;
  ASSERT_OK(clpool_svm_as_buffer(mem, 0, CLPOOL_WHOLE_SIZE, &view));
  Gate gate(cl);
  ASSERT_OK(clpool_mem_fill(cl.queue, mem, "x", 1, 0, CLPOOL_WHOLE_SIZE, 1, &gate.event, nullptr));
  cl_event event = nullptr;
  ASSERT_OK(clpool_mem_release_on(mem, cl.queue, 0, nullptr, &event));
  EXPECT_NE(state_of(event), CL_COMPLETE) << "the fill still waits";
  EXPECT_OK(clpool_mem_release(view));  // the last reference: the memory must outlive the fill
  EXPECT_EQ(clpool_mem_size(mem), 0u);
  gate.open();
  EXPECT_EQ(finish(cl.queue), CL_SUCCESS);
  EXPECT_EQ(state_of(event), CL_COMPLETE);
  clReleaseEvent(event);
}

TEST_F(Svm, AReleaseOnAnUnorderedQueueWaitsForItsCommands) {
  const cl_command_queue unordered = cl.another_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  if (unordered == nullptr) {
    GTEST_SKIP() << "the device has no out-of-order queues";
  }
  clpool_mem* const mem = make(4096).release();
  Gate gate(cl);
  ASSERT_OK(clpool_mem_fill(unordered, mem, "x", 1, 0, CLPOOL_WHOLE_SIZE, 1, &gate.event, nullptr));
  cl_event event = nullptr;
  ASSERT_OK(clpool_mem_release_on(mem, unordered, 0, nullptr, &event));
  EXPECT_NE(state_of(event), CL_COMPLETE) << "the fill still waits";
  gate.open();
  EXPECT_EQ(finish(unordered), CL_SUCCESS);
  clReleaseEvent(event);
}

TEST_F(Svm, IsBoundToQueuesInTurn) {
  const cl_command_queue other = cl.another_queue();
  ASSERT_NE(other, nullptr);
  const OwnedMem mem = make(4096, 0, cl.queue);
  ASSERT_OK(clpool_mem_fill(cl.queue, mem.get(), "1", 1, 0, CLPOOL_WHOLE_SIZE, 0, nullptr, nullptr));
  ASSERT_OK(clpool_mem_bind_queue(mem.get(), other));
  char value = 0;
  ASSERT_OK(clpool_mem_read(other, mem.get(), 4095, 1, &value, 1, 1, 0, nullptr, nullptr));
  EXPECT_EQ(value, '1') << "the new queue waits for the old one";
  EXPECT_OK(clpool_mem_bind_queue(mem.get(), other));
  EXPECT_OK(clpool_mem_unbind_queue(mem.get()));
  EXPECT_OK(clpool_mem_bind_queue(mem.get(), cl.queue));
  const cl_command_queue unordered = cl.another_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  if (unordered != nullptr) {
    EXPECT_EQ(clpool_mem_bind_queue(mem.get(), unordered), CLPOOL_ERROR_INVALID_VALUE);
  }
}

}  // namespace
