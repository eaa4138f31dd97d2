// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// clpool/buffer.h and clpool/info.h: buffers, sub-regions, wrapped objects, questions.
#include "clpool/buffer.h"

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <limits>
#include <thread>
#include <utility>
#include <vector>

#include "memory.hpp"

namespace {

using clpool::test::bytes;
using clpool::test::last_error;
using clpool::test::last_error_names;
using clpool::test::OwnedMem;

class EveryBuffer : public clpool::test::EveryBuffer {};
INSTANTIATE_FOR_EVERY_BUFFER(EveryBuffer);

TEST_P(EveryBuffer, HasAHandleItsSizeAndNoPointer) {
  const OwnedMem mem = make(1000);
  EXPECT_NE(clpool_mem_handle(mem.get()), nullptr);
  EXPECT_EQ(clpool_mem_pointer(mem.get()), nullptr);
  EXPECT_EQ(clpool_mem_size(mem.get()), 1000u);  // as requested, although a pool may reserve more
  EXPECT_GE(clpool_mem_capacity(mem.get()), 1000u);
  EXPECT_EQ(clpool_mem_kind(mem.get()), CLPOOL_MEM_KIND_BUFFER);
}

TEST_P(EveryBuffer, TellsEveryPropertyThatTheDriverKnows) {
  const OwnedMem mem = make(1000);
  const auto number = [&](cl_uint name) {
    uint64_t value = 0;
    EXPECT_OK(clpool_mem_info_number(mem.get(), name, &value));
    return value;
  };
  EXPECT_EQ(number(CL_MEM_TYPE), uint64_t{CL_MEM_OBJECT_BUFFER});
  EXPECT_NE(number(CL_MEM_FLAGS) & CL_MEM_READ_WRITE, 0u);
  EXPECT_EQ(number(CL_MEM_SIZE), 1000u);
  EXPECT_EQ(number(CL_MEM_MAP_COUNT), 0u);
  EXPECT_GE(number(CL_MEM_REFERENCE_COUNT), 1u);
  EXPECT_EQ(number(CL_MEM_CONTEXT), reinterpret_cast<uint64_t>(cl.context));
  number(CL_MEM_HOST_PTR);
  number(CL_MEM_ASSOCIATED_MEMOBJECT);
  number(CL_MEM_OFFSET);
  if (cl.has_version(2, 0)) {
    EXPECT_EQ(number(CL_MEM_USES_SVM_POINTER), uint64_t{CL_FALSE});
  }
  size_t size = 1;
  const clpool_status properties = clpool_mem_info(mem.get(), CL_MEM_PROPERTIES, 0, nullptr, &size);
  if (properties != CLPOOL_SUCCESS) {
    EXPECT_FALSE(cl.has_version(3, 0));
    EXPECT_EQ(properties, CLPOOL_ERROR_NOT_SUPPORTED);
    EXPECT_TRUE(last_error_names("3.0")) << last_error();
  }
  cl_context context = nullptr;
  EXPECT_OK(clpool_mem_context(mem.get(), &context));
  EXPECT_EQ(context, cl.context);
}

TEST_P(EveryBuffer, APropertyThatDoesNotExistIsAnOpenClError) {
  const OwnedMem mem = make(1000);
  uint64_t value = 7;
  EXPECT_EQ(clpool_mem_info_number(mem.get(), 0x11F7, &value), CLPOOL_ERROR_OPENCL);
  EXPECT_EQ(clpool_last_cl_error(), CL_INVALID_VALUE);
  EXPECT_EQ(value, 0u);
  EXPECT_TRUE(last_error_names("0x11F7")) << last_error();
  size_t needed = 7;
  EXPECT_EQ(clpool_mem_info(mem.get(), 0x11F7, sizeof value, &value, &needed), CLPOOL_ERROR_OPENCL);
  EXPECT_EQ(needed, 0u);
  clpool_mem_info(mem.get(), CL_IMAGE_ARRAY_SIZE, sizeof value, &value, nullptr);  // there is one, of images
  EXPECT_FALSE(last_error_names("the devices have 3.0")) << last_error();
}

TEST_P(EveryBuffer, TooLittleRoomForAPropertyIsToldWithBothNumbers) {
  const OwnedMem mem = make(1000);
  unsigned char bytes[8] = {};
  for (const cl_mem_info name : {CL_MEM_SIZE, CL_MEM_FLAGS, CL_MEM_CONTEXT}) {
    size_t needed = 0;
    ASSERT_OK(clpool_mem_info(mem.get(), name, 0, nullptr, &needed));
    EXPECT_EQ(needed, 8u);
    needed = 0;
    EXPECT_EQ(clpool_mem_info(mem.get(), name, 3, bytes, &needed), CLPOOL_ERROR_INVALID_VALUE);
    EXPECT_EQ(needed, 8u);
    EXPECT_TRUE(last_error_names("8 bytes") && last_error_names("room for 3")) << last_error();
  }
}

TEST_P(EveryBuffer, SurvivesTheWayToAPlainHandleAndBack) {
  const OwnedMem mem = make(1000);
  clpool_mem* wrapped = nullptr;
  ASSERT_OK(clpool_mem_wrap(clpool_mem_handle(mem.get()), 1, &wrapped));
  EXPECT_EQ(clpool_mem_equal(mem.get(), wrapped), 1);
  const OwnedMem other = make(1000);
  EXPECT_EQ(clpool_mem_equal(mem.get(), other.get()), 0);
  EXPECT_OK(clpool_mem_release(wrapped));
  EXPECT_EQ(clpool_mem_equal(mem.get(), wrapped), 0);
  EXPECT_EQ(clpool_mem_equal(mem.get(), nullptr), 0);
}

TEST_P(EveryBuffer, ASubRegionIsThatPartOfItsParent) {
  const std::vector<unsigned char> values = bytes(30000);
  const OwnedMem parent = make_with(values);
  const size_t origin = 5000 / alignment() * alignment();
  const size_t size = 20 * alignment();
  clpool_mem* region = nullptr;
  ASSERT_OK(clpool_mem_sub_region(parent.get(), origin, size, 0, &region));
  const OwnedMem owner(region);
  EXPECT_EQ(clpool_mem_kind(region), CLPOOL_MEM_KIND_SUB_REGION);
  EXPECT_EQ(clpool_mem_size(region), size);
  EXPECT_EQ(content<unsigned char>(region, size),
            std::vector<unsigned char>(values.begin() + static_cast<long>(origin),
                                       values.begin() + static_cast<long>(origin + size)));
}

TEST_P(EveryBuffer, ASubRegionOfASubRegionIsMadeFromTheRoot) {
  const std::vector<unsigned char> values = bytes(64 * alignment());
  const OwnedMem parent = make_with(values);
  clpool_mem* outer = nullptr;
  clpool_mem* inner = nullptr;
  ASSERT_OK(clpool_mem_sub_region(parent.get(), 8 * alignment(), 32 * alignment(), 0, &outer));
  ASSERT_OK(clpool_mem_sub_region(outer, 4 * alignment(), CLPOOL_WHOLE_SIZE, 0, &inner));
  EXPECT_EQ(clpool_mem_size(inner), 28 * alignment());
  cl_mem parent_root = nullptr;
  cl_mem root = nullptr;
  size_t parent_offset = 0;
  size_t offset = 0;
  EXPECT_OK(clpool_mem_root(parent.get(), &parent_root, &parent_offset));
  EXPECT_OK(clpool_mem_root(inner, &root, &offset));
  EXPECT_EQ(root, parent_root);
  EXPECT_EQ(offset, parent_offset + 12 * alignment());
  EXPECT_OK(clpool_mem_release(outer));  // the inner one keeps it
  EXPECT_EQ(content<unsigned char>(inner, 5),
            std::vector<unsigned char>(values.begin() + static_cast<long>(12 * alignment()),
                                       values.begin() + static_cast<long>(12 * alignment() + 5)));
  EXPECT_OK(clpool_mem_release(inner));
}

TEST(SubRegions, OfSubRegionsAreReleasedWithoutAChainOfThem) {
  clpool_allocator_ops ops = CLPOOL_ALLOCATOR_OPS_INIT;
  ops.allocate = [](void*, uint64_t, uint64_t, uint64_t* chunk) -> clpool_status {
    *chunk = 4096;
    return CLPOOL_SUCCESS;
  };
  ops.deallocate = [](void* user, uint64_t, uint64_t) { ++*static_cast<int*>(user); };
  int given_back = 0;
  clpool_allocator* allocator = nullptr;
  ASSERT_OK(clpool_allocator_create_custom(&ops, &given_back, &allocator));
  clpool_mem* part = nullptr;
  ASSERT_OK(clpool_allocator_allocate(allocator, 1 << 20, &part));
  for (int i = 0; i < 500'000; ++i) {  // a call within a call for each would need a larger stack
    clpool_mem* smaller = nullptr;
    ASSERT_OK(clpool_mem_sub_region(part, 1, CLPOOL_WHOLE_SIZE, 0, &smaller));
    ASSERT_OK(clpool_mem_release(part));
    part = smaller;
  }
  EXPECT_EQ(clpool_mem_size(part), (1u << 20) - 500'000u);
  EXPECT_EQ(given_back, 0);
  EXPECT_OK(clpool_mem_release(part));
  EXPECT_EQ(given_back, 1);
  EXPECT_OK(clpool_allocator_release(allocator));
}

TEST_P(EveryBuffer, ASubRegionOfASubRegionHasItsFlagsAndNoMore) {
  const OwnedMem parent(make(64 * alignment()));
  clpool_mem* part = nullptr;
  ASSERT_OK(clpool_mem_sub_region(parent.get(), 0, 32 * alignment(), CL_MEM_READ_ONLY, &part));
  const OwnedMem outer(part);
  cl_mem_flags flags = 0;
  clpool_mem* inner = nullptr;
  EXPECT_OK(clpool_mem_sub_region(outer.get(), alignment(), 16, 0, &inner));
  EXPECT_OK(clpool_mem_info(inner, CL_MEM_FLAGS, sizeof flags, &flags, nullptr));
  EXPECT_EQ(flags & (CL_MEM_READ_WRITE | CL_MEM_READ_ONLY), cl_mem_flags{CL_MEM_READ_ONLY});
  EXPECT_OK(clpool_mem_release(inner));
  EXPECT_EQ(clpool_mem_sub_region(outer.get(), alignment(), 16, CL_MEM_READ_WRITE, &inner),
            CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(inner, nullptr);
  EXPECT_TRUE(last_error_names("0x1") && last_error_names("0x4")) << last_error();
  EXPECT_OK(clpool_mem_sub_region(outer.get(), alignment(), 16, CL_MEM_READ_ONLY, &inner));
  EXPECT_OK(clpool_mem_release(inner));
}

TEST_P(EveryBuffer, ASubRegionOfASubRegionMayBeUsedForLess) {
  const OwnedMem parent(make(64 * alignment()));
  const auto made = [&](clpool_mem* from, cl_mem_flags flags) {
    clpool_mem* part = nullptr;
    EXPECT_OK(clpool_mem_sub_region(from, alignment(), 16 * alignment(), flags, &part));
    return OwnedMem(part);
  };
  const auto flags_of = [](const OwnedMem& mem) {
    cl_mem_flags flags = 0;
    EXPECT_OK(clpool_mem_info(mem.get(), CL_MEM_FLAGS, sizeof flags, &flags, nullptr));
    return flags;
  };
  const OwnedMem outer = made(parent.get(), 0);
  clpool_mem* inner = nullptr;
  ASSERT_OK(clpool_mem_sub_region(outer.get(), alignment(), 16, CL_MEM_WRITE_ONLY, &inner));
  EXPECT_NE(flags_of(OwnedMem(inner)) & CL_MEM_WRITE_ONLY, 0u);
  if (!cl.has_version(1, 2)) {
    return;
  }
  const OwnedMem for_reading = made(parent.get(), CL_MEM_HOST_READ_ONLY);
  ASSERT_OK(clpool_mem_sub_region(for_reading.get(), alignment(), 16, CL_MEM_HOST_NO_ACCESS, &inner));
  EXPECT_EQ(flags_of(OwnedMem(inner)) & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS),
            cl_mem_flags{CL_MEM_HOST_NO_ACCESS});
}

TEST_P(EveryBuffer, ASubRegionKeepsItsParentAlive) {
  OwnedMem parent = make_with(bytes(4096));
  clpool_mem* region = nullptr;
  ASSERT_OK(clpool_mem_sub_region(parent.get(), alignment(), 16, 0, &region));
  const OwnedMem owner(region);
  const std::vector<unsigned char> before = content<unsigned char>(region, 16);
  clpool_mem* const gone = parent.release();
  EXPECT_OK(clpool_mem_release(gone));
  EXPECT_EQ(clpool_mem_size(gone), 4096u) << "still alive for the region's sake";
  EXPECT_EQ(content<unsigned char>(region, 16), before);
}

TEST_P(EveryBuffer, WrongSubRegionsAreRefusedByName) {
  const OwnedMem parent = make(4096);
  auto* region = reinterpret_cast<clpool_mem*>(this);
  EXPECT_EQ(clpool_mem_sub_region(parent.get(), 0, 0, 0, &region), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(region, nullptr);
  const size_t beyond = 4097;
  EXPECT_EQ(clpool_mem_sub_region(parent.get(), 0, beyond, 0, &region), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_TRUE(last_error_names(std::to_string(beyond))) << last_error();
  EXPECT_EQ(clpool_mem_sub_region(parent.get(), beyond, 1, 0, &region), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(clpool_mem_sub_region(parent.get(), 16, std::numeric_limits<size_t>::max() - 8, 0, &region),
            CLPOOL_ERROR_INVALID_VALUE);
  for (const cl_mem_flags flags :
       {~cl_mem_flags{0}, cl_mem_flags{1} << 40, cl_mem_flags{CL_MEM_SVM_ATOMICS},
        cl_mem_flags{CL_MEM_KERNEL_READ_AND_WRITE}, cl_mem_flags{CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY},
        cl_mem_flags{CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS}}) {
    EXPECT_EQ(clpool_mem_sub_region(parent.get(), 0, 8, flags, &region), CLPOOL_ERROR_INVALID_VALUE) << flags;
    std::array<char, 32> number{};
    std::snprintf(number.data(), number.size(), "0x%llX", static_cast<unsigned long long>(flags));
    EXPECT_TRUE(last_error_names(number.data())) << last_error();
  }
  const clpool_status misaligned = clpool_mem_sub_region(parent.get(), 1, 8, 0, &region);
  const OwnedMem owner(region);
  if (misaligned != CLPOOL_SUCCESS) {  // Oclgrind allows it
    EXPECT_EQ(misaligned, CLPOOL_ERROR_OPENCL);
    EXPECT_EQ(clpool_last_cl_error(), CL_MISALIGNED_SUB_BUFFER_OFFSET);
    EXPECT_TRUE(last_error_names(std::to_string(alignment()))) << last_error();
    const OwnedMem larger = make(4 * alignment());
    cl_mem root = nullptr;
    size_t offset = 0;
    EXPECT_OK(clpool_mem_root(larger.get(), &root, &offset));
    EXPECT_EQ(clpool_mem_sub_region(larger.get(), alignment() + 1, 8, 0, &region), CLPOOL_ERROR_OPENCL);
    EXPECT_TRUE(last_error_names("offset " + std::to_string(offset + alignment() + 1) + " in the root"))
        << last_error();
  }
}

TEST_P(EveryBuffer, UseAfterReleaseIsAnError) {
  clpool_mem* const mem = make(4096).release();
  ASSERT_OK(clpool_mem_release(mem));
  EXPECT_EQ(clpool_mem_handle(mem), nullptr);
  EXPECT_EQ(clpool_mem_size(mem), 0u);
  EXPECT_EQ(clpool_mem_kind(mem), 0);
  EXPECT_EQ(clpool_mem_release(mem), CLPOOL_ERROR_INVALID_OPERATION);
  EXPECT_EQ(clpool_mem_retain(mem), CLPOOL_ERROR_INVALID_OPERATION);
  uint64_t value = 0;
  EXPECT_EQ(clpool_mem_info_number(mem, CL_MEM_SIZE, &value), CLPOOL_ERROR_INVALID_OPERATION);
  clpool_mem* region = nullptr;
  EXPECT_EQ(clpool_mem_sub_region(mem, 0, 1, 0, &region), CLPOOL_ERROR_INVALID_OPERATION);
  const char zero = 0;
  EXPECT_EQ(clpool_mem_fill(cl.queue, mem, &zero, 1, 0, CLPOOL_WHOLE_SIZE, 0, nullptr, nullptr),
            CLPOOL_ERROR_INVALID_OPERATION);
  char byte = 0;
  EXPECT_EQ(clpool_mem_read(cl.queue, mem, 0, 1, &byte, 1, 1, 0, nullptr, nullptr),
            CLPOOL_ERROR_INVALID_OPERATION);
  EXPECT_EQ(clpool_mem_write(cl.queue, mem, 0, 1, &byte, 1, 1, 0, nullptr, nullptr),
            CLPOOL_ERROR_INVALID_OPERATION);
  EXPECT_EQ(clpool_mem_migrate(cl.queue, &mem, 1, 0, 0, nullptr, nullptr), CLPOOL_ERROR_INVALID_OPERATION);
  clpool_map* map = nullptr;
  EXPECT_EQ(clpool_mem_map(cl.queue, mem, CL_MAP_READ, 0, 1, 1, 0, nullptr, nullptr, &map),
            CLPOOL_ERROR_INVALID_OPERATION);
}

TEST_P(EveryBuffer, IsAKernelArgument) {
  const clpool::test::Kernel kernel(cl, "kernel void twice(global float* a) { a[get_global_id(0)] *= 2; }",
                                    "twice");
  ASSERT_NE(kernel.get(), nullptr);
  const OwnedMem mem = make_with(clpool::test::floats(256));
  ASSERT_OK(clpool_mem_set_kernel_arg(mem.get(), kernel.get(), 0));
  const size_t items = 256;
  ASSERT_EQ(clEnqueueNDRangeKernel(cl.queue, kernel.get(), 1, nullptr, &items, nullptr, 0, nullptr, nullptr),
            CL_SUCCESS);
  const std::vector<float> result = content<float>(mem.get(), 256);
  EXPECT_EQ(result[255], 510.0F);
  EXPECT_EQ(clpool_mem_set_kernel_arg(mem.get(), kernel.get(), 7), CLPOOL_ERROR_OPENCL);
  EXPECT_EQ(clpool_last_cl_error(), CL_INVALID_ARG_INDEX);
}

class Buffer : public clpool::test::OpenClTest {
 protected:
  OwnedMem make(cl_mem_flags flags, size_t size, void* host, size_t host_size) {
    clpool_mem* mem = nullptr;
    EXPECT_OK(clpool_buffer_create(cl.context, flags, size, host, host_size, &mem));
    return OwnedMem(mem);
  }
  clpool_status refused(cl_mem_flags flags, size_t size, void* host, size_t host_size) {
    auto* mem = reinterpret_cast<clpool_mem*>(this);
    const clpool_status status = clpool_buffer_create(cl.context, flags, size, host, host_size, &mem);
    EXPECT_EQ(mem, nullptr);
    return status;
  }
};

TEST_F(Buffer, TakesItsSizeFromHostMemory) {
  std::vector<unsigned char> host = bytes(1000);
  const OwnedMem all = make(CL_MEM_COPY_HOST_PTR, 0, host.data(), host.size());
  EXPECT_EQ(clpool_mem_size(all.get()), 1000u);
  const OwnedMem part = make(CL_MEM_COPY_HOST_PTR | CL_MEM_READ_ONLY, 500, host.data(), host.size());
  EXPECT_EQ(clpool_mem_size(part.get()), 500u);
  std::vector<unsigned char> read(500);
  EXPECT_OK(
      clpool_mem_read(cl.queue, part.get(), 0, CLPOOL_WHOLE_SIZE, read.data(), 500, 1, 0, nullptr, nullptr));
  EXPECT_TRUE(std::equal(read.begin(), read.end(), host.begin()));
}

TEST_F(Buffer, ContradictionsOfSizeFlagsAndHostMemoryAreRefused) {
  char host[16] = {};
  EXPECT_EQ(refused(0, 0, nullptr, 0), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(refused(CL_MEM_COPY_HOST_PTR, 17, host, sizeof host), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_TRUE(last_error_names("17") && last_error_names("16")) << last_error();
  EXPECT_EQ(refused(0, 16, host, sizeof host), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(refused(CL_MEM_USE_HOST_PTR, 16, nullptr, 0), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(refused(CL_MEM_COPY_HOST_PTR, 0, host, 0), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(clpool_buffer_create(nullptr, 0, 1, nullptr, 0, nullptr), CLPOOL_ERROR_INVALID_VALUE);
}

TEST_F(Buffer, ASizeBeyondTheDeviceIsRefusedAtTheLatestByTheFirstUse) {
  constexpr size_t beyond = SIZE_MAX / 4;
  cl_ulong largest = 0;
  ASSERT_EQ(clGetDeviceInfo(cl.device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof largest, &largest, nullptr),
            CL_SUCCESS);
  clpool_mem* mem = nullptr;
  const clpool_status status = clpool_buffer_create(cl.context, 0, beyond, nullptr, 0, &mem);
  const OwnedMem owned(mem);
  if (status == CLPOOL_SUCCESS) {  // NVIDIA's driver takes any size
    const char zero = 0;
    EXPECT_EQ(clpool_mem_fill(cl.queue, mem, &zero, 1, 0, 16, 0, nullptr, nullptr),
              CLPOOL_ERROR_OUT_OF_MEMORY);
    return;
  }
  EXPECT_EQ(mem, nullptr);
  EXPECT_TRUE(last_error_names(std::to_string(beyond))) << last_error();
  if (clpool_last_cl_error() == CL_INVALID_BUFFER_SIZE) {  // others say that they are out of memory
    EXPECT_EQ(status, CLPOOL_ERROR_OPENCL);
    EXPECT_TRUE(last_error_names(std::to_string(largest))) << last_error();
  }
}

/// Set when the driver destroys the object.
void CL_CALLBACK tell_end(cl_mem, void* ended) {
  *static_cast<std::atomic<bool>*>(ended) = true;
}

TEST_F(Buffer, EveryFunctionThatMakesMemoryCarriesOutReleasesThatWerePutOff) {
  const OwnedMem parent = make(0, 4096, nullptr, 0);
  clpool_allocator* allocator = nullptr;
  ASSERT_OK(clpool_allocator_create_deferred(cl.context, 0, &allocator));
  clpool_pool* pool = nullptr;
  clpool_map* map = nullptr;
  clpool_map* earlier = nullptr;
  ASSERT_OK(clpool_mem_map(cl.queue, parent.get(), CL_MAP_READ, 0, 64, 1, 0, nullptr, nullptr, &earlier));
  const std::vector<std::pair<const char*, std::function<clpool_status(clpool_mem**)>>> makers = {
      {"buffer", [&](clpool_mem** out) { return clpool_buffer_create(cl.context, 0, 64, nullptr, 0, out); }},
      {"part", [&](clpool_mem** out) { return clpool_mem_sub_region(parent.get(), 0, 64, 0, out); }},
      {"wrapped", [&](clpool_mem** out) { return clpool_mem_wrap(clpool_mem_handle(parent.get()), 1, out); }},
      {"of an allocator", [&](clpool_mem** out) { return clpool_allocator_allocate(allocator, 64, out); }},
      {"a pool",
       [&](clpool_mem** out) {
         *out = nullptr;
         return clpool_pool_create(allocator, nullptr, &pool);
       }},
      {"a map",
       [&](clpool_mem** out) {
         *out = nullptr;
         return clpool_mem_map(cl.queue, parent.get(), CL_MAP_READ, 0, 64, 1, 0, nullptr, nullptr, &map);
       }},
      {"the release of one",
       [&](clpool_mem** out) {
         *out = nullptr;
         return clpool_map_release(earlier);
       }},
  };
  for (const auto& [name, maker] : makers) {
    std::atomic<bool> ended = false;
    clpool_mem* dropped = nullptr;
    ASSERT_OK(clpool_buffer_create(cl.context, 0, 64, nullptr, 0, &dropped));
    ASSERT_EQ(clSetMemObjectDestructorCallback(clpool_mem_handle(dropped), tell_end, &ended), CL_SUCCESS);
    ASSERT_OK(clpool_mem_release_later(dropped));
    EXPECT_FALSE(ended) << name;
    clpool_mem* made = nullptr;
    ASSERT_OK(maker(&made)) << name;
    for (int waited = 0; !ended && waited < 5000;
         ++waited) {  // NVIDIA's driver tells from a thread of its own
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_TRUE(ended) << name;
    clpool_mem_release(made);
    clpool_pool_release(std::exchange(pool, nullptr));
    clpool_map_release(std::exchange(map, nullptr));
  }
  clpool_allocator_release(allocator);
}

TEST_F(Buffer, FlagsThatExcludeEachOtherAreRefusedBeforeAnythingIsAllocated) {
  clpool_allocator* allocator = nullptr;
  EXPECT_EQ(clpool_allocator_create_deferred(cl.context, CL_MEM_READ_WRITE | CL_MEM_READ_ONLY, &allocator),
            CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_TRUE(last_error_names("0x5")) << last_error();
  EXPECT_EQ(clpool_allocator_create_pinned(cl.queue, CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY, &allocator),
            CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(allocator, nullptr);
}

TEST_F(Buffer, WithAccessesThatExcludeEachOtherIsRefusedWhateverTheDriverSays) {
  const cl_mem_flags wrong[] = {CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, CL_MEM_READ_WRITE | CL_MEM_READ_ONLY,
                                CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS};
  for (const cl_mem_flags flags : wrong) {
    clpool_mem* mem = nullptr;
    EXPECT_EQ(clpool_buffer_create(cl.context, flags, 64, nullptr, 0, &mem), CLPOOL_ERROR_INVALID_VALUE);
    EXPECT_EQ(mem, nullptr);
    EXPECT_TRUE(last_error_names("only one is valid")) << last_error();
  }
}

TEST_F(Buffer, HostMemoryIsToldOnlyWhereTheBufferLiesInIt) {
  std::vector<unsigned char> host = bytes(4096);
  const OwnedMem used = make(CL_MEM_USE_HOST_PTR, 0, host.data(), host.size());
  void* pointer = nullptr;
  size_t size = 0;
  EXPECT_OK(clpool_mem_host_memory(used.get(), &pointer, &size));
  EXPECT_EQ(pointer, host.data());
  EXPECT_EQ(size, 4096u);
  const OwnedMem copied = make(CL_MEM_COPY_HOST_PTR, 0, host.data(), host.size());
  EXPECT_EQ(clpool_mem_host_memory(copied.get(), &pointer, &size), CLPOOL_ERROR_INVALID_OPERATION);
  EXPECT_EQ(pointer, nullptr);
  const OwnedMem allocated = make(CL_MEM_ALLOC_HOST_PTR, 4096, nullptr, 0);
  EXPECT_EQ(clpool_mem_host_memory(allocated.get(), &pointer, &size), CLPOOL_ERROR_INVALID_OPERATION);
}

TEST_F(Buffer, SubRegionsOfHostPointerBuffersWork) {
  std::vector<unsigned char> host = bytes(4096);
  for (const cl_mem_flags flags : {CL_MEM_USE_HOST_PTR, CL_MEM_COPY_HOST_PTR}) {
    const OwnedMem parent = make(flags, 0, host.data(), host.size());
    uint64_t parent_flags = 0;
    EXPECT_OK(clpool_mem_info_number(parent.get(), CL_MEM_FLAGS, &parent_flags));
    clpool_mem* region = nullptr;
    EXPECT_OK(clpool_mem_sub_region(parent.get(), 1024, 64, parent_flags, &region));
    const OwnedMem owner(region);
    if (flags == CL_MEM_USE_HOST_PTR && region != nullptr) {
      void* pointer = nullptr;
      size_t size = 0;
      EXPECT_OK(clpool_mem_host_memory(region, &pointer, &size));
      EXPECT_EQ(pointer, host.data() + 1024);
      EXPECT_EQ(size, 64u);
    }
  }
  const OwnedMem allocated = make(CL_MEM_ALLOC_HOST_PTR, 4096, nullptr, 0);
  clpool_mem* region = nullptr;
  EXPECT_OK(clpool_mem_sub_region(allocated.get(), 1024, 64, CL_MEM_ALLOC_HOST_PTR, &region));
  const OwnedMem owner(region);
}

TEST_F(Buffer, WrappingTakesOverTheReferenceOrAddsOne) {
  cl_int code = CL_SUCCESS;
  const cl_mem plain = clCreateBuffer(cl.context, CL_MEM_READ_WRITE, 4096, nullptr, &code);
  const auto references = [&] {
    cl_uint count = 0;
    clGetMemObjectInfo(plain, CL_MEM_REFERENCE_COUNT, sizeof count, &count, nullptr);
    return count;
  };
  clpool_mem* retained = nullptr;
  ASSERT_OK(clpool_mem_wrap(plain, 1, &retained));
  EXPECT_EQ(references(), 2u);
  EXPECT_OK(clpool_mem_release(retained));
  EXPECT_EQ(references(), 1u);
  clpool_mem* adopted = nullptr;
  ASSERT_OK(clpool_mem_wrap(plain, 0, &adopted));
  EXPECT_EQ(references(), 1u);
  EXPECT_EQ(clpool_mem_size(adopted), 4096u);
  EXPECT_OK(clpool_mem_release(adopted));
}

TEST_F(Buffer, AWrappedSubBufferKnowsItsRoot) {
  cl_int code = CL_SUCCESS;
  const cl_mem root = clCreateBuffer(cl.context, CL_MEM_READ_WRITE, 65536, nullptr, &code);
  const cl_buffer_region part = {4096, 8192};
  const cl_mem plain = clCreateSubBuffer(root, 0, CL_BUFFER_CREATE_TYPE_REGION, &part, &code);
  clpool_mem* wrapped = nullptr;
  ASSERT_OK(clpool_mem_wrap(plain, 0, &wrapped));
  EXPECT_EQ(clpool_mem_kind(wrapped), CLPOOL_MEM_KIND_SUB_REGION);
  cl_mem found = nullptr;
  size_t offset = 0;
  EXPECT_OK(clpool_mem_root(wrapped, &found, &offset));
  EXPECT_EQ(found, root);
  EXPECT_EQ(offset, 4096u);
  clpool_mem* region = nullptr;  // OpenCL alone refuses a sub-buffer of a sub-buffer
  EXPECT_OK(clpool_mem_sub_region(wrapped, 4096, 16, 0, &region));
  EXPECT_OK(clpool_mem_root(region, &found, &offset));
  EXPECT_EQ(offset, 8192u);
  EXPECT_OK(clpool_mem_release(region));
  EXPECT_OK(clpool_mem_release(wrapped));
  clReleaseMemObject(root);
}

TEST_F(Buffer, PageLockedAndCustomMemoryHaveSubRegionsByAddress) {
  clpool_allocator* allocator = nullptr;
  ASSERT_OK(clpool_allocator_create_pinned(cl.queue, 0, &allocator));
  clpool_mem* mem = nullptr;
  ASSERT_OK(clpool_allocator_allocate(allocator, 4096, &mem));
  clpool_allocator_release(allocator);
  clpool_mem* region = nullptr;
  ASSERT_OK(clpool_mem_sub_region(mem, 5, 100, 0, &region));
  EXPECT_EQ(clpool_mem_pointer(region), static_cast<char*>(clpool_mem_pointer(mem)) + 5);
  EXPECT_EQ(clpool_mem_handle(region), nullptr);
  uint64_t offset = 0;
  EXPECT_OK(clpool_mem_info_number(region, CL_MEM_OFFSET, &offset));
  EXPECT_EQ(offset, 5u);
  uint64_t flags = 0;
  EXPECT_EQ(clpool_mem_info_number(region, CL_MEM_FLAGS, &flags), CLPOOL_ERROR_INVALID_OPERATION);
  cl_mem root = nullptr;
  size_t root_offset = 0;
  EXPECT_EQ(clpool_mem_root(region, &root, &root_offset), CLPOOL_ERROR_INVALID_OPERATION);
  EXPECT_OK(clpool_mem_release(mem));
  std::memset(clpool_mem_pointer(region), 1, 100);
  EXPECT_OK(clpool_mem_release(region));
}

}  // namespace
