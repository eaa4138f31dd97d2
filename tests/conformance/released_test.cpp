// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Memory that was released is refused by every function that takes memory, in whatever place it stands; so is
// memory of a kind that a command cannot use.
#include <functional>
#include <string>
#include <vector>

#include "memory.hpp"
#include "support/pools.hpp"

namespace clpool::test {
namespace {

struct Use {
  const char* name;
  std::function<clpool_status(const OpenCl& cl, clpool_mem* mem, clpool_mem* other)> call;
};

char host[64];

const clpool_box& box() {
  static const clpool_box one = [] {
    clpool_box made = CLPOOL_BOX_INIT;
    made.region[0] = made.region[1] = made.region[2] = 1;
    return made;
  }();
  return one;
}

const std::vector<Use>& uses() {
  using Mem = clpool_mem*;
  static const std::vector<Use> all = {
      {"fill", [](const OpenCl& cl, Mem mem,
                  Mem) { return clpool_mem_fill(cl.queue, mem, "1", 1, 0, 4, 0, nullptr, nullptr); }},
      {"copy, target",
       [](const OpenCl& cl, Mem mem, Mem other) {
         return clpool_mem_copy(cl.queue, mem, 0, other, 0, 4, 0, nullptr, nullptr);
       }},
      {"copy, source",
       [](const OpenCl& cl, Mem mem, Mem other) {
         return clpool_mem_copy(cl.queue, other, 0, mem, 0, 4, 0, nullptr, nullptr);
       }},
      {"read",
       [](const OpenCl& cl, Mem mem, Mem) {
         return clpool_mem_read(cl.queue, mem, 0, 4, host, sizeof host, 1, 0, nullptr, nullptr);
       }},
      {"write",
       [](const OpenCl& cl, Mem mem, Mem) {
         return clpool_mem_write(cl.queue, mem, 0, 4, host, sizeof host, 1, 0, nullptr, nullptr);
       }},
      {"copy box, target",
       [](const OpenCl& cl, Mem mem, Mem other) {
         return clpool_mem_copy_box(cl.queue, mem, other, &box(), 0, nullptr, nullptr);
       }},
      {"copy box, source",
       [](const OpenCl& cl, Mem mem, Mem other) {
         return clpool_mem_copy_box(cl.queue, other, mem, &box(), 0, nullptr, nullptr);
       }},
      {"read box",
       [](const OpenCl& cl, Mem mem, Mem) {
         return clpool_mem_read_box(cl.queue, mem, &box(), host, sizeof host, 1, 0, nullptr, nullptr);
       }},
      {"write box",
       [](const OpenCl& cl, Mem mem, Mem) {
         return clpool_mem_write_box(cl.queue, mem, &box(), host, sizeof host, 1, 0, nullptr, nullptr);
       }},
      {"copy p2p, target",
       [](const OpenCl& cl, Mem mem, Mem other) {
         return clpool_mem_copy_p2p(cl.queue, mem, 0, other, 0, 4, 0, nullptr, nullptr);
       }},
      {"copy p2p, source",
       [](const OpenCl& cl, Mem mem, Mem other) {
         return clpool_mem_copy_p2p(cl.queue, other, 0, mem, 0, 4, 0, nullptr, nullptr);
       }},
      {"map",
       [](const OpenCl& cl, Mem mem, Mem) {
         clpool_map* map = nullptr;
         return clpool_mem_map(cl.queue, mem, CL_MAP_READ, 0, 4, 1, 0, nullptr, nullptr, &map);
       }},
  };
  return all;
}

/// What asks about memory, and makes more of it.
const std::vector<Use>& questions() {
  using Mem = clpool_mem*;
  static const std::vector<Use> all = {
      {"migrate", [](const OpenCl& cl, Mem mem,
                     Mem) { return clpool_mem_migrate(cl.queue, &mem, 1, 0, 0, nullptr, nullptr); }},
      {"sub-region",
       [](const OpenCl&, Mem mem, Mem) {
         Mem out = nullptr;
         return clpool_mem_sub_region(mem, 0, 4, 0, &out);
       }},
      {"number",
       [](const OpenCl&, Mem mem, Mem) {
         std::uint64_t value = 0;
         return clpool_mem_info_number(mem, CL_MEM_SIZE, &value);
       }},
      {"root",
       [](const OpenCl&, Mem mem, Mem) {
         cl_mem root = nullptr;
         std::size_t offset = 0;
         return clpool_mem_root(mem, &root, &offset);
       }},
      {"context",
       [](const OpenCl&, Mem mem, Mem) {
         cl_context context = nullptr;
         return clpool_mem_context(mem, &context);
       }},
      {"kernel argument",
       [](const OpenCl&, Mem mem, Mem) {
         return clpool_mem_set_kernel_arg(mem, reinterpret_cast<cl_kernel>(host), 0);
       }},
      {"view of SVM",
       [](const OpenCl&, Mem mem, Mem) {
         Mem out = nullptr;
         return clpool_svm_as_buffer(mem, 0, 4, &out);
       }},
      {"host memory",
       [](const OpenCl&, Mem mem, Mem) {
         void* pointer = nullptr;
         std::size_t size = 0;
         return clpool_mem_host_memory(mem, &pointer, &size);
       }},
      {"image property",
       [](const OpenCl&, Mem mem, Mem) {
         std::size_t value = 0;
         return clpool_image_info(mem, CL_IMAGE_WIDTH, sizeof value, &value, nullptr);
       }},
      {"image shape",
       [](const OpenCl&, Mem mem, Mem) {
         std::uint32_t dimensions = 0;
         std::size_t shape[3] = {};
         return clpool_image_shape(mem, &dimensions, shape);
       }},
      {"pipe property",
       [](const OpenCl&, Mem mem, Mem) {
         cl_uint value = 0;
         return clpool_pipe_info(mem, CL_PIPE_PACKET_SIZE, sizeof value, &value, nullptr);
       }},
      {"bind", [](const OpenCl& cl, Mem mem, Mem) { return clpool_mem_bind_queue(mem, cl.queue); }},
      {"unbind", [](const OpenCl&, Mem mem, Mem) { return clpool_mem_unbind_queue(mem); }},
      {"release on", [](const OpenCl& cl, Mem mem,
                        Mem) { return clpool_mem_release_on(mem, cl.queue, 0, nullptr, nullptr); }},
  };
  return all;
}

class ReleasedMemory : public OpenClTest {
 protected:
  void SetUp() override {
    OpenClTest::SetUp();
    if (cl.queue != nullptr) {
      ASSERT_OK(clpool_buffer_create(cl.context, 0, 4096, nullptr, 0, &buffer_));
    }
  }
  void TearDown() override { clpool_mem_release(buffer_); }
  /// A descriptor of a pool that `allocator` feeds, released.
  void refuse_all(clpool_allocator* made) {
    const AllocatorHandle allocator(made);
    const PoolHandle pool = make_pool(made, CLPOOL_POOL_OPTIONS_INIT);
    clpool_mem* mem = nullptr;
    ASSERT_OK(clpool_pool_allocate(pool.get(), 4096, &mem));
    OwnedMem same;  // by its handle, which the pool keeps
    if (const cl_mem handle = clpool_mem_handle(mem); handle != nullptr) {
      clpool_mem* wrapped = nullptr;
      ASSERT_OK(clpool_mem_wrap(handle, 1, &wrapped));
      same.reset(wrapped);
      EXPECT_NE(clpool_mem_equal(mem, wrapped), 0);
    }
    ASSERT_OK(clpool_mem_release(mem));
    EXPECT_EQ(clpool_mem_equal(mem, same.get()), 0);
    EXPECT_EQ(clpool_mem_equal(same.get(), mem), 0);
    for (const auto* list : {&uses(), &questions()}) {
      for (const Use& use : *list) {
        EXPECT_EQ(use.call(cl, mem, buffer_), CLPOOL_ERROR_INVALID_OPERATION)
            << use.name << ": " << last_error();
        EXPECT_TRUE(last_error_names("released")) << use.name << ": " << last_error();
      }
    }
    EXPECT_EQ(clpool_mem_equal(mem, mem), 0);
    EXPECT_EQ(clpool_mem_equal(mem, buffer_), 0);
  }
  clpool_mem* buffer_ = nullptr;
};

TEST_F(ReleasedMemory, UseAfterReleaseIsAnErrorOfEveryFunctionThatTakesBuffers) {
  clpool_allocator* allocator = nullptr;
  ASSERT_OK(clpool_allocator_create_immediate(cl.queue, 0, &allocator));
  refuse_all(allocator);
}

TEST_F(ReleasedMemory, UseAfterReleaseIsAnErrorOfEveryFunctionThatTakesSvm) {
  clpool_allocator* allocator = nullptr;
  if (clpool_allocator_create_svm(cl.context, 0, 0, cl.queue, &allocator) != CLPOOL_SUCCESS) {
    GTEST_SKIP() << last_error();
  }
  refuse_all(allocator);
}

TEST_F(ReleasedMemory, IsToldApartFromMemoryThatHasNoQueue) {
  clpool_mem* svm = nullptr;
  if (clpool_svm_create(cl.context, 0, 64, 0, nullptr, &svm) != CLPOOL_SUCCESS) {
    GTEST_SKIP() << last_error();
  }
  ASSERT_OK(clpool_mem_release(svm));
  for (const clpool_status status :
       {clpool_mem_bind_queue(svm, cl.queue), clpool_mem_release_on(svm, cl.queue, 0, nullptr, nullptr)}) {
    EXPECT_EQ(status, CLPOOL_ERROR_INVALID_OPERATION);
    EXPECT_TRUE(last_error_names("released")) << last_error();
  }
}

TEST_F(ReleasedMemory, UseAfterReleaseIsAnErrorAtOnceAlsoWhereItGoesBackLater) {
  const auto refuse = [&](clpool_mem* mem) {
    ASSERT_OK(clpool_mem_release_later(mem));
    EXPECT_EQ(clpool_mem_handle(mem), nullptr);
    EXPECT_EQ(clpool_mem_release_later(mem), CLPOOL_ERROR_INVALID_OPERATION);
    EXPECT_EQ(clpool_mem_release(mem), CLPOOL_ERROR_INVALID_OPERATION);
    EXPECT_TRUE(last_error_names("released")) << last_error();
  };
  clpool_mem* mem = nullptr;
  ASSERT_OK(clpool_buffer_create(cl.context, 0, 64, nullptr, 0, &mem));
  refuse(mem);
  const AllocatorHandle allocator = immediate_allocator(cl.queue);
  ASSERT_OK(clpool_allocator_allocate(allocator.get(), 64, &mem));
  refuse(mem);
  const PoolHandle pool = make_pool(allocator.get(), CLPOOL_POOL_OPTIONS_INIT);
  ASSERT_OK(clpool_pool_allocate(pool.get(), 64, &mem));
  refuse(mem);
}

/// … and what keeps it has it as long.
TEST_F(ReleasedMemory, ASecondReleaseIsAnErrorThoughAPartOrAMapKeepsIt) {
  const PoolHandle pool = make_pool(immediate_allocator(cl.queue).get());
  for (const bool maps : {false, true}) {
    clpool_mem* mem = nullptr;
    clpool_mem* part = nullptr;
    clpool_map* map = nullptr;
    ASSERT_OK(clpool_pool_allocate(pool.get(), 4096, &mem));
    if (maps) {
      ASSERT_OK(clpool_mem_map(cl.queue, mem, CL_MAP_READ, 0, 64, 1, 0, nullptr, nullptr, &map));
    } else {
      ASSERT_OK(clpool_mem_sub_region(mem, 0, 64, 0, &part));
    }
    ASSERT_OK(clpool_mem_retain(mem));
    ASSERT_OK(clpool_mem_release(mem));
    ASSERT_OK(clpool_mem_release(mem));
    for (const auto release :
         {clpool_mem_release, clpool_mem_release_idle, clpool_mem_release_later, clpool_mem_retain}) {
      EXPECT_EQ(release(mem), CLPOOL_ERROR_INVALID_OPERATION);
      EXPECT_TRUE(last_error_names("released already")) << last_error();
    }
    EXPECT_EQ(clpool_mem_release_on(mem, cl.queue, 0, nullptr, nullptr), CLPOOL_ERROR_INVALID_OPERATION);
    EXPECT_EQ(stats_of(pool).active_blocks, 1U) << "the part or the map has it";
    EXPECT_OK(clpool_mem_release(part));
    EXPECT_OK(clpool_map_release(map));
    EXPECT_EQ(stats_of(pool).active_blocks, 0U);
  }
}

TEST_F(ReleasedMemory, ASecondReleaseIsAnErrorThoughAViewOfSvmKeepsIt) {
  clpool_mem* svm = nullptr;
  clpool_mem* view = nullptr;
  if (clpool_svm_create(cl.context, 0, 4096, 0, nullptr, &svm) != CLPOOL_SUCCESS) {
    GTEST_SKIP() << last_error();
  }
  const clpool_status status = clpool_svm_as_buffer(svm, 0, CLPOOL_WHOLE_SIZE, &view);
  ASSERT_OK(clpool_mem_release(svm));
  if (status == CLPOOL_SUCCESS) {
    auto* event = reinterpret_cast<cl_event>(this);
    EXPECT_EQ(clpool_mem_release(svm), CLPOOL_ERROR_INVALID_OPERATION);
    EXPECT_EQ(clpool_mem_release_on(svm, cl.queue, 0, nullptr, &event), CLPOOL_ERROR_INVALID_OPERATION);
    EXPECT_EQ(event, nullptr);
  }
  if (status == CLPOOL_SUCCESS) {
    EXPECT_OK(clpool_mem_fill(cl.queue, view, "\1", 1, 0, CLPOOL_WHOLE_SIZE, 0, nullptr, nullptr));
    EXPECT_EQ(clFinish(cl.queue), CL_SUCCESS);
    EXPECT_OK(clpool_mem_release(view));
  }
}

TEST_F(ReleasedMemory, MemoryOfAnotherKindIsRefusedByCommandsOnBytes) {
  clpool_image_options options = CLPOOL_IMAGE_OPTIONS_INIT;
  options.format = {CL_RGBA, CL_UNSIGNED_INT8};
  options.dimensions = 2;
  options.shape[0] = options.shape[1] = 8;
  clpool_mem* image = nullptr;
  if (clpool_image_create(cl.context, &options, &image) != CLPOOL_SUCCESS) {
    GTEST_SKIP() << last_error();
  }
  const OwnedMem owned(image);
  for (const Use& use : uses()) {
    EXPECT_EQ(use.call(cl, image, buffer_), CLPOOL_ERROR_INVALID_OPERATION)
        << use.name << ": " << last_error();
  }
}

}  // namespace
}  // namespace clpool::test
