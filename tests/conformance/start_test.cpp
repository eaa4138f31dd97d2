// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What one needs to begin with: a pool in one call, facts about devices; and memory that is touched in a way
// of one's own choice.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "conformance/memory.hpp"
#include "support/pools.hpp"

namespace clpool::test {
namespace {

class Start : public OpenClTest {};

TEST_F(Start, OneCallGivesAPoolOfEachKindOfMemory) {
  clpool_mem* svm = nullptr;
  const bool has_svm = clpool_svm_create(cl.context, 0, 64, 0, nullptr, &svm) == CLPOOL_SUCCESS;
  const OwnedMem owned(svm);
  for (const std::uint32_t memory :
       {CLPOOL_MEMORY_BUFFER, CLPOOL_MEMORY_SVM, CLPOOL_MEMORY_PINNED, CLPOOL_MEMORY_SVM_OR_BUFFER}) {
    clpool_pool* pool = nullptr;
    cl_device_id device = nullptr;
    cl_context context = nullptr;
    cl_command_queue queue = nullptr;
    const clpool_status status =
        clpool_pool_create_default(nullptr, memory, nullptr, &pool, &device, &context, &queue);
    if (memory == CLPOOL_MEMORY_SVM && !has_svm) {
      EXPECT_EQ(status, CLPOOL_ERROR_NOT_SUPPORTED);
      EXPECT_EQ(pool, nullptr);
      EXPECT_EQ(device, nullptr);
      EXPECT_EQ(context, nullptr);
      EXPECT_EQ(queue, nullptr);
      continue;
    }
    ASSERT_EQ(status, CLPOOL_SUCCESS) << clpool_last_error_message();
    clpool_mem* mem = nullptr;
    ASSERT_OK(clpool_pool_allocate(pool, 1000, &mem));
    switch (memory) {
      case CLPOOL_MEMORY_BUFFER:
        EXPECT_NE(clpool_mem_handle(mem), nullptr);
        break;
      case CLPOOL_MEMORY_SVM_OR_BUFFER:
        EXPECT_NE(clpool_mem_handle(mem) == nullptr, clpool_mem_pointer(mem) == nullptr);
        EXPECT_EQ(clpool_mem_pointer(mem) != nullptr, has_svm);
        break;
      default:
        EXPECT_NE(clpool_mem_pointer(mem), nullptr);
    }
    if (memory == CLPOOL_MEMORY_PINNED) {
      std::memset(clpool_mem_pointer(mem), 7, 1000);
    } else {
      const std::vector<unsigned char> bytes(1000, 7);
      EXPECT_OK(
          clpool_mem_write(queue, mem, 0, bytes.size(), bytes.data(), bytes.size(), 1, 0, nullptr, nullptr));
    }
    EXPECT_OK(clpool_mem_release(mem));
    EXPECT_OK(clpool_pool_release(pool));
    EXPECT_EQ(finish(queue), CL_SUCCESS);
    EXPECT_EQ(clReleaseCommandQueue(queue), CL_SUCCESS);
    EXPECT_EQ(clReleaseContext(context), CL_SUCCESS);
  }
}

TEST_F(Start, APoolThatCannotBeMadeLeavesNothing) {
  clpool_pool* pool = reinterpret_cast<clpool_pool*>(this);
  cl_device_id device = cl.device;
  cl_context context = cl.context;
  cl_command_queue queue = cl.queue;
  const auto refused = [&](std::uint32_t memory, const clpool_pool_options* options) {
    const clpool_status status =
        clpool_pool_create_default(nullptr, memory, options, &pool, &device, &context, &queue);
    EXPECT_EQ(pool, nullptr);
    EXPECT_EQ(device, nullptr);
    EXPECT_EQ(context, nullptr);
    EXPECT_EQ(queue, nullptr);
    return status;
  };
  EXPECT_EQ(refused(4, nullptr), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_NE(std::string(clpool_last_error_message()).find("memory is 4"), std::string::npos);
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  options.queues = &cl.queue;
  options.queue_count = 1;
  EXPECT_EQ(refused(CLPOOL_MEMORY_BUFFER, &options), CLPOOL_ERROR_INVALID_VALUE);
  options = CLPOOL_POOL_OPTIONS_INIT;
  options.alignment = 3;
  EXPECT_EQ(refused(CLPOOL_MEMORY_BUFFER, &options), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_NE(std::string(clpool_last_error_message()).find("alignment is 3"), std::string::npos);
  options = CLPOOL_POOL_OPTIONS_INIT;
  options.struct_size = offsetof(clpool_pool_options, wait_ns) - 1;
  EXPECT_EQ(refused(CLPOOL_MEMORY_BUFFER, &options), CLPOOL_ERROR_INVALID_VALUE);
}

TEST_F(Start, FactsAreWhatTheDriverSays) {
  clpool_device_facts facts = CLPOOL_DEVICE_FACTS_INIT;
  ASSERT_OK(clpool_device_read_facts(cl.device, &facts));
  char name[256] = "";
  ASSERT_EQ(clGetDeviceInfo(cl.device, CL_DEVICE_NAME, sizeof name, name, nullptr), CL_SUCCESS);
  EXPECT_STREQ(facts.name, name);
  ASSERT_EQ(clGetDeviceInfo(cl.device, CL_DEVICE_VENDOR, sizeof name, name, nullptr), CL_SUCCESS);
  EXPECT_STREQ(facts.vendor, name);
  EXPECT_NE(std::string(facts.platform), "");
  EXPECT_EQ(
      std::string(facts.version)
          .rfind("OpenCL " + std::to_string(facts.version_major) + "." + std::to_string(facts.version_minor),
                 0),
      0u)
      << facts.version;
  cl_ulong bytes = 0;
  clGetDeviceInfo(cl.device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof bytes, &bytes, nullptr);
  EXPECT_EQ(facts.memory_bytes, bytes);
  clGetDeviceInfo(cl.device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof bytes, &bytes, nullptr);
  EXPECT_EQ(facts.largest_allocation_bytes, bytes);
  clGetDeviceInfo(cl.device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof bytes, &bytes, nullptr);
  EXPECT_EQ(facts.local_memory_bytes, bytes);
  cl_device_type type = 0;
  clGetDeviceInfo(cl.device, CL_DEVICE_TYPE, sizeof type, &type, nullptr);
  EXPECT_EQ(facts.type, type);
  EXPECT_GE(facts.compute_units, 1u);
  EXPECT_GE(facts.alignment, 1u);
  // The selector of these numbers means this device.
  const std::string selector =
      std::to_string(facts.platform_index) + ":" + std::to_string(facts.device_index);
  clpool_device_options options = CLPOOL_DEVICE_OPTIONS_INIT;
  options.selector = selector.c_str();
  cl_device_id chosen = nullptr;
  ASSERT_OK(clpool_device_choose(&options, &chosen));
  EXPECT_EQ(chosen, cl.device);
}

TEST_F(Start, FactsAreAskedOfDevicesOnly) {
  clpool_device_facts facts = CLPOOL_DEVICE_FACTS_INIT;
  EXPECT_EQ(clpool_device_read_facts(nullptr, &facts), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(clpool_device_read_facts(cl.device, nullptr), CLPOOL_ERROR_INVALID_VALUE);
  facts.struct_size = 4;
  EXPECT_EQ(clpool_device_read_facts(cl.device, &facts), CLPOOL_ERROR_INVALID_VALUE);
  clpool_device_facts_init(&facts);
  EXPECT_EQ(facts.struct_size, sizeof facts);
  clpool_device_facts_init(nullptr);
}

TEST_F(Start, ResultsOfLaterVersionsAreTakenUpTo65536Bytes) {
  std::vector<std::uint32_t> words(65536 / sizeof(std::uint32_t) + 1);
  auto* const facts = reinterpret_cast<clpool_device_facts*>(words.data());
  facts->struct_size = 65536;
  EXPECT_OK(clpool_device_read_facts(cl.device, facts));
  EXPECT_EQ(facts->struct_size, 65536u);
  facts->struct_size = 65537;
  EXPECT_EQ(clpool_device_read_facts(cl.device, facts), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_NE(std::strstr(clpool_last_error_message(), "struct_size is 65537, valid are"), nullptr)
      << clpool_last_error_message();
}

TEST_F(Start, OptionsOfLaterVersionsAreTakenUpTo65536BytesIfWhatIsNewIsZero) {
  std::vector<std::uint32_t> words(65536 / sizeof(std::uint32_t) + 1);
  words.push_back(0);
  auto* const options = reinterpret_cast<clpool_device_options*>(words.data());
  clpool_device_options_init(options);
  options->struct_size = 65536;
  size_t count = 0;
  EXPECT_OK(clpool_device_list(options, nullptr, 0, &count));
  options->struct_size = 65544;
  EXPECT_EQ(clpool_device_list(options, nullptr, 0, &count), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_NE(std::strstr(clpool_last_error_message(), "struct_size is 65544, the largest valid one is 65536"),
            nullptr)
      << clpool_last_error_message();
  options->struct_size = 65536;
  words[65536 / sizeof(std::uint32_t) - 1] = 1;
  EXPECT_EQ(clpool_device_list(options, nullptr, 0, &count), CLPOOL_ERROR_NOT_SUPPORTED);
}

TEST_F(Start, EveryWayOfTouchingGivesMemoryThatCanBeUsed) {
  for (const std::uint32_t wait : {0, static_cast<int>(CLPOOL_TOUCH_WAIT)}) {
    for (const std::uint32_t touch :
         {CLPOOL_TOUCH_BYTE, CLPOOL_TOUCH_MIGRATE, CLPOOL_TOUCH_WRITE, CLPOOL_TOUCH_WHOLE}) {
      SCOPED_TRACE(touch);
      clpool_allocator* made = nullptr;
      const clpool_status status = clpool_allocator_create_touching(cl.queue, 0, touch | wait, &made);
      if (status == CLPOOL_ERROR_NOT_SUPPORTED) {
        EXPECT_EQ(made, nullptr);
        EXPECT_NE(touch, CLPOOL_TOUCH_BYTE);
        EXPECT_NE(touch, CLPOOL_TOUCH_WRITE);
        continue;
      }
      ASSERT_EQ(status, CLPOOL_SUCCESS) << clpool_last_error_message();
      const AllocatorHandle allocator(made);
      for (const std::size_t size : {1, 3, 100000}) {
        clpool_mem* mem = nullptr;
        ASSERT_OK(clpool_allocator_allocate(made, size, &mem));
        const OwnedMem owned(mem);
        const std::vector<unsigned char> written(size, 9);
        std::vector<unsigned char> read(size);
        ASSERT_OK(clpool_mem_write(cl.queue, mem, 0, size, written.data(), size, 1, 0, nullptr, nullptr));
        ASSERT_OK(clpool_mem_read(cl.queue, mem, 0, size, read.data(), size, 1, 0, nullptr, nullptr));
        EXPECT_EQ(read, written);
      }
    }
  }
  clpool_allocator* made = nullptr;
  for (const std::uint32_t wrong : {4u, 0x101u + 3u, 0x200u}) {
    EXPECT_EQ(clpool_allocator_create_touching(cl.queue, 0, wrong, &made), CLPOOL_ERROR_INVALID_VALUE);
    EXPECT_EQ(made, nullptr);
  }
  EXPECT_EQ(clpool_allocator_create_touching(nullptr, 0, 0, &made), CLPOOL_ERROR_INVALID_VALUE);
}

}  // namespace
}  // namespace clpool::test
