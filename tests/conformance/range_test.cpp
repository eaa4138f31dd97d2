// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What was asked for is what may be used: over pools of every kind, each command takes the requested bytes
// and refuses the next one, however much more the pool reserved.
#include <functional>
#include <string>
#include <vector>

#include "memory.hpp"
#include "pool/backends.hpp"

namespace {

using clpool::test::allocate;
using clpool::test::finish;
using clpool::test::Kind;
using clpool::test::last_error;
using clpool::test::last_error_names;
using clpool::test::MemHandle;
using clpool::test::OwnedMap;
using clpool::test::OwnedMem;
using clpool::test::PoolHandle;

/// Something that touches the first `size` bytes of a block.
struct Use {
  const char* name;
  std::function<clpool_status(clpool_mem* block, size_t size)> run;
};

class RequestedSize : public clpool::test::PoolTest {
 protected:
  static constexpr size_t most = 4096;  ///< bytes, more than any block here

  void SetUp() override {
    PoolTest::SetUp();
    if (!IsSkipped() && !is(Kind::custom)) {
      clpool_mem* made = nullptr;
      ASSERT_OK(clpool_buffer_create(cl.context, 0, most, nullptr, 0, &made));
      other.reset(made);
    }
  }

  /// Fails for any other reason than the range where the driver cannot do such a thing at all.
  bool can(clpool_status status) const {
    return status != CLPOOL_ERROR_NOT_SUPPORTED && status != CLPOOL_ERROR_OPENCL;
  }

  static clpool_status sub_region(clpool_mem* block, size_t size) {
    clpool_mem* region = nullptr;
    const clpool_status status = clpool_mem_sub_region(block, 0, size, 0, &region);
    const OwnedMem owner(region);
    return status;
  }

  clpool_status map(clpool_mem* block, size_t size) {
    clpool_map* made = nullptr;
    const clpool_status status =
        clpool_mem_map(cl.queue, block, CL_MAP_READ, 0, size, 1, 0, nullptr, nullptr, &made);
    const OwnedMap owner(made);
    return status;
  }

  static clpool_box row_of(size_t size) {
    clpool_box box = CLPOOL_BOX_INIT;
    box.dimensions = 1;
    box.region[0] = size;
    return box;
  }

  clpool_status image_in(clpool_mem* block, size_t pixels) {
    clpool_image_options what = CLPOOL_IMAGE_OPTIONS_INIT;
    what.format = {CL_R, CL_UNSIGNED_INT8};
    what.dimensions = 1;
    what.shape[0] = pixels;
    what.buffer = block;
    clpool_mem* image = nullptr;
    const clpool_status status = clpool_image_create(cl.context, &what, &image);
    const OwnedMem owner(image);
    return status;
  }

  clpool_status copy_image(clpool_mem* block, size_t pixels, bool to_block) {
    clpool_image_options what = CLPOOL_IMAGE_OPTIONS_INIT;
    what.format = {CL_R, CL_UNSIGNED_INT8};
    what.dimensions = 2;
    what.shape[0] = most;
    what.shape[1] = 1;
    clpool_mem* image = nullptr;
    if (const clpool_status made = clpool_image_create(cl.context, &what, &image); made != CLPOOL_SUCCESS) {
      return made;
    }
    const size_t region[3] = {pixels, 1, 1};
    const clpool_status status =
        to_block
            ? clpool_image_copy_to_buffer(cl.queue, block, 0, image, nullptr, region, 0, nullptr, nullptr)
            : clpool_image_copy_from_buffer(cl.queue, image, nullptr, region, block, 0, 0, nullptr, nullptr);
    finish(cl.queue);
    const OwnedMem owner(image);
    return status;
  }

  clpool_status view(clpool_mem* block, size_t size) {
    clpool_mem* made = nullptr;
    const clpool_status status = clpool_svm_as_buffer(block, 0, size, &made);
    const OwnedMem owner(made);
    return status;
  }

  std::vector<Use> uses() {
    std::vector<Use> all = {{"sub-region", sub_region}};
    if (is(Kind::custom)) {
      return all;
    }
    all.push_back({"copy from", [this](clpool_mem* block, size_t size) {
                     return clpool_mem_copy(cl.queue, other.get(), 0, block, 0, size, 0, nullptr, nullptr);
                   }});
    all.push_back({"copy to", [this](clpool_mem* block, size_t size) {
                     return clpool_mem_copy(cl.queue, block, 0, other.get(), 0, size, 0, nullptr, nullptr);
                   }});
    if (is(Kind::pinned)) {
      return all;
    }
    all.push_back({"read", [this](clpool_mem* block, size_t size) {
                     return clpool_mem_read(cl.queue, block, 0, size, host.data(), host.size(), 1, 0, nullptr,
                                            nullptr);
                   }});
    all.push_back({"write", [this](clpool_mem* block, size_t size) {
                     return clpool_mem_write(cl.queue, block, 0, size, host.data(), host.size(), 1, 0,
                                             nullptr, nullptr);
                   }});
    all.push_back({"fill", [this](clpool_mem* block, size_t size) {
                     return clpool_mem_fill(cl.queue, block, "x", 1, 0, size, 0, nullptr, nullptr);
                   }});
    all.push_back({"map", [this](clpool_mem* block, size_t size) { return map(block, size); }});
    if (is(Kind::svm)) {
      all.push_back({"view", [this](clpool_mem* block, size_t size) { return view(block, size); }});
      return all;
    }
    all.push_back({"read box", [this](clpool_mem* block, size_t size) {
                     const clpool_box box = row_of(size);
                     return clpool_mem_read_box(cl.queue, block, &box, host.data(), host.size(), 1, 0,
                                                nullptr, nullptr);
                   }});
    all.push_back({"write box", [this](clpool_mem* block, size_t size) {
                     const clpool_box box = row_of(size);
                     return clpool_mem_write_box(cl.queue, block, &box, host.data(), host.size(), 1, 0,
                                                 nullptr, nullptr);
                   }});
    all.push_back({"copy box from", [this](clpool_mem* block, size_t size) {
                     const clpool_box box = row_of(size);
                     return clpool_mem_copy_box(cl.queue, other.get(), block, &box, 0, nullptr, nullptr);
                   }});
    all.push_back({"copy box to", [this](clpool_mem* block, size_t size) {
                     const clpool_box box = row_of(size);
                     return clpool_mem_copy_box(cl.queue, block, other.get(), &box, 0, nullptr, nullptr);
                   }});
    all.push_back({"image in it", [this](clpool_mem* block, size_t size) { return image_in(block, size); }});
    all.push_back({"copy from image",
                   [this](clpool_mem* block, size_t size) { return copy_image(block, size, true); }});
    all.push_back(
        {"copy to image", [this](clpool_mem* block, size_t size) { return copy_image(block, size, false); }});
    return all;
  }

  OwnedMem other;
  std::vector<unsigned char> host = std::vector<unsigned char>(most);
};

INSTANTIATE_TEST_SUITE_P(Backends, RequestedSize, testing::ValuesIn(clpool::test::all_backends()),
                         clpool::test::name_of);

TEST_P(RequestedSize, IsAllThatAnyUseMayTouch) {
  const PoolHandle tested = pool();
  for (const size_t size : {1, 1000, 1023}) {
    const MemHandle block = allocate(tested, size);
    for (const Use& use : uses()) {
      const clpool_status within = use.run(block.get(), size);
      if (!can(within)) {
        continue;  // the driver lacks it, whatever the range
      }
      EXPECT_EQ(within, CLPOOL_SUCCESS) << use.name << " of " << size << ": " << last_error();
      EXPECT_EQ(use.run(block.get(), size + 1), CLPOOL_ERROR_INVALID_VALUE) << use.name << " of " << size;
      EXPECT_TRUE(last_error_names(std::to_string(size + 1)) && last_error_names(std::to_string(size)))
          << use.name << ": " << last_error();
    }
    if (cl.queue != nullptr) {
      finish(cl.queue);
    }
  }
}

TEST_P(RequestedSize, IsWhatTheBlockSaysOfItself) {
  const PoolHandle tested = pool();
  for (const size_t size : {0, 1, 1000}) {
    const MemHandle block = allocate(tested, size);
    uint64_t told = 1;
    EXPECT_OK(clpool_mem_info_number(block.get(), CL_MEM_SIZE, &told));
    EXPECT_EQ(told, size);
    size_t answer = 1;
    size_t needed = 0;
    EXPECT_OK(clpool_mem_info(block.get(), CL_MEM_SIZE, sizeof answer, &answer, &needed));
    EXPECT_EQ(answer, size);
    EXPECT_EQ(needed, sizeof answer);
    EXPECT_EQ(clpool_mem_info(block.get(), CL_MEM_SIZE, 1, &answer, nullptr), CLPOOL_ERROR_INVALID_VALUE);
  }
}

TEST_P(RequestedSize, OfNoBytesLeavesNothingToUse) {
  const PoolHandle tested = pool();
  const MemHandle block = allocate(tested, 0);
  EXPECT_EQ(clpool_mem_size(block.get()), 0u);
  for (const Use& use : uses()) {
    const clpool_status status = use.run(block.get(), 1);
    if (can(status)) {
      EXPECT_EQ(status, CLPOOL_ERROR_INVALID_VALUE) << use.name;
    }
  }
  EXPECT_EQ(sub_region(block.get(), CLPOOL_WHOLE_SIZE), CLPOOL_ERROR_INVALID_VALUE);
  if (is(Kind::svm)) {
    EXPECT_EQ(view(block.get(), CLPOOL_WHOLE_SIZE), CLPOOL_ERROR_INVALID_VALUE);
    EXPECT_TRUE(last_error_names("0 bytes")) << last_error();
  }
  if (has_buffers() || is(Kind::svm)) {
    EXPECT_EQ(map(block.get(), CLPOOL_WHOLE_SIZE), CLPOOL_ERROR_INVALID_VALUE);
    host[0] = 7;
    EXPECT_OK(clpool_mem_read(cl.queue, block.get(), 0, CLPOOL_WHOLE_SIZE, host.data(), host.size(), 1, 0,
                              nullptr, nullptr));
    EXPECT_EQ(host[0], 7) << "all of nothing is nothing";
  }
}

/// The smallest OpenCL object has 1 byte; only SVM is named by an address and a size.
class RequestedSvm : public RequestedSize {};
INSTANTIATE_TEST_SUITE_P(Backends, RequestedSvm,
                         testing::Values(clpool::test::Backend{Kind::svm, CLPOOL_STRATEGY_COALESCING, 0}),
                         clpool::test::name_of);

TEST_P(RequestedSvm, OfNoBytesIsNotMigrated) {
  const PoolHandle tested = pool();
  const MemHandle block = allocate(tested, 0);
  cl_int code = CL_SUCCESS;
  const cl_event gate = clCreateUserEvent(cl.context, &code);
  EXPECT_OK(clpool_mem_fill(cl.queue, other.get(), "x", 1, 0, most, 1, &gate, nullptr));
  clpool_mem* const mems[] = {block.get()};
  cl_event event = nullptr;
  EXPECT_OK(clpool_mem_migrate(cl.queue, mems, 1, 0, 0, nullptr, &event));
  cl_int state = CL_QUEUED;
  clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, nullptr);
  EXPECT_EQ(state, CL_COMPLETE) << "a command would wait for the one before it";
  clSetUserEventStatus(gate, CL_COMPLETE);
  finish(cl.queue);
  clReleaseEvent(event);
  clReleaseEvent(gate);
}

}  // namespace
