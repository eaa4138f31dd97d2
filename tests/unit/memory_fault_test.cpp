// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What the memory runtime leaves behind when the n-th driver call of an operation fails: nothing.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "allocator/direct.hpp"
#include "cl/marker.hpp"
#include "memory/buffer.hpp"
#include "memory/image.hpp"
#include "memory/image_transfer.hpp"
#include "memory/map.hpp"
#include "memory/object.hpp"
#include "memory/range.hpp"
#include "memory/rect.hpp"
#include "memory/sampler.hpp"
#include "memory/svm.hpp"
#include "memory/transfer.hpp"
#include "support/driver.hpp"
#include "support/opencl.hpp"
namespace clpool::core {
namespace {

namespace driver = test::driver;

/// What an operation works on: made before the faults begin.
struct Stage {
  explicit Stage(const test::OpenCl& opencl) : cl(opencl) {
    EXPECT_EQ(create_buffer_object(cl.context, 0, 4096, nullptr, 0, buffer), Status::success);
    EXPECT_EQ(create_buffer_object(cl.context, 0, 4096, nullptr, 0, other), Status::success);
    has_svm = create_svm(cl.context, 0, 4096, 0, nullptr, svm) == Status::success;
    ImageDescription plan;
    plan.format = {CL_RGBA, CL_UNSIGNED_INT8};
    plan.dimensions = 2;
    plan.shape[0] = 16;
    plan.shape[1] = 8;
    has_images = create_image(cl.context, plan, image) == Status::success;
  }
  ~Stage() {
    for (Mem* mem : {buffer, other, svm, image}) {
      if (mem != nullptr) {
        EXPECT_EQ(release_mem(*mem), Status::success);
      }
    }
  }
  cl::Order order(cl_event* event = nullptr) const {
    return {cl.queue, gate != nullptr ? 1U : 0U, gate != nullptr ? &gate : nullptr, event};
  }

  const test::OpenCl& cl;
  cl_event gate = nullptr;  ///< what commands wait for, if anything
  Mem* buffer = nullptr;
  Mem* other = nullptr;
  Mem* svm = nullptr;
  Mem* image = nullptr;
  bool has_svm = false;
  bool has_images = false;
};

/// Calls and commands of an operation before it was cleaned up after, which is not its own doing any more.
long own_calls = 0;
std::vector<driver::Command> own_commands;

void end_of_operation() {
  own_calls = driver::fallible_calls();
  own_commands = driver::commands();
  driver::disarm();
}

Status give_back(Status status, Mem* mem) {
  end_of_operation();
  if (mem != nullptr) {
    EXPECT_EQ(release_mem(*mem), Status::success);
  }
  return status;
}

Status give_back(Status status, Map* map) {
  end_of_operation();
  if (map != nullptr) {
    EXPECT_EQ(release_map(*map), Status::success);
  }
  return status;
}

Status give_back(Status status, cl_event event) {
  end_of_operation();
  EXPECT_EQ(event != nullptr, status == Status::success);
  if (event != nullptr) {
    clWaitForEvents(1, &event);
    clReleaseEvent(event);
  }
  return status;
}

unsigned char host[512] = {};
constexpr ImageRegion whole_image = {{0, 0, 0}, {16, 8, 1}};

Box small_box() {
  Box box;
  box.region[0] = 8;
  box.region[1] = 3;
  box.region[2] = 1;
  return box;
}

struct Operation {
  const char* name;
  bool needs_svm;
  bool needs_images;
  Status (*run)(const Stage& stage);
};

const Operation operations[] = {
    {"CreateBuffer", false, false,
     [](const Stage& s) {
       Mem* mem = nullptr;
       const Status status = create_buffer_object(s.cl.context, 0, 64, nullptr, 0, mem);
       return give_back(status, mem);
     }},
    {"Wrap", false, false,
     [](const Stage& s) {
       Mem* mem = nullptr;
       const Status status = wrap_object(s.buffer->handle, true, mem);
       return give_back(status, mem);
     }},
    {"SubRegion", false, false,
     [](const Stage& s) {
       Mem* mem = nullptr;
       const Status status = make_sub_region(*s.buffer, 0, 64, 0, mem);
       return give_back(status, mem);
     }},
    {"CreateSvm", true, false,
     [](const Stage& s) {
       Mem* mem = nullptr;
       const Status status = create_svm(s.cl.context, 0, 64, 0, nullptr, mem);
       return give_back(status, mem);
     }},
    {"ViewOfSvm", true, false,
     [](const Stage& s) {
       Mem* mem = nullptr;
       const Status status = view_svm_as_buffer(*s.svm, 0, whole_size, mem);
       return give_back(status, mem);
     }},
    {"FillInPieces", false, false,
     [](const Stage& s) {
       cl_event event = nullptr;
       const Status status = fill(s.order(&event), *s.buffer, {"x", 1}, 0, 4096, 1024);
       return give_back(status, event);
     }},
    {"Read", false, false,
     [](const Stage& s) {
       cl_event event = nullptr;
       const Status status = read(s.order(&event), *s.buffer, 0, {host, sizeof host}, 64, false);
       return give_back(status, event);
     }},
    {"Write", false, false,
     [](const Stage& s) {
       cl_event event = nullptr;
       const Status status = write(s.order(&event), *s.buffer, 0, {host, sizeof host}, 64, false);
       return give_back(status, event);
     }},
    {"ReadSvm", true, false,
     [](const Stage& s) {
       cl_event event = nullptr;
       const Status status = read(s.order(&event), *s.svm, 0, {host, sizeof host}, 64, false);
       return give_back(status, event);
     }},
    {"WriteSvm", true, false,
     [](const Stage& s) {
       cl_event event = nullptr;
       const Status status = write(s.order(&event), *s.svm, 0, {host, sizeof host}, 64, false);
       return give_back(status, event);
     }},
    {"FillSvm", true, false,
     [](const Stage& s) {
       cl_event event = nullptr;
       const Status status = fill(s.order(&event), *s.svm, {"x", 1}, 0, 64);
       return give_back(status, event);
     }},
    {"CopyBuffers", false, false,
     [](const Stage& s) {
       cl_event event = nullptr;
       const Status status = copy(s.order(&event), *s.buffer, 0, *s.other, 0, 64);
       return give_back(status, event);
     }},
    {"CopySvm", true, false,
     [](const Stage& s) {
       cl_event event = nullptr;
       const Status status = copy(s.order(&event), *s.svm, 0, *s.svm, 1024, 64);
       return give_back(status, event);
     }},
    {"CopyBufferToSvm", true, false,
     [](const Stage& s) {
       cl_event event = nullptr;
       const Status status = copy(s.order(&event), *s.svm, 0, *s.buffer, 0, whole_size);
       return give_back(status, event);
     }},
    {"Unmap", false, false,
     [](const Stage& s) {
       Map* map = nullptr;
       CLPOOL_TRY(map_memory(s.order(), *s.buffer, CL_MAP_READ, 0, whole_size, true, map));
       cl_event event = nullptr;
       const Status status = unmap(*map, s.order(&event));
       return give_back(give_back(status, event), map);
     }},
    {"CopySvmToBuffer", true, false,
     [](const Stage& s) {
       cl_event event = nullptr;
       const Status status = copy(s.order(&event), *s.buffer, 0, *s.svm, 0, whole_size);
       return give_back(status, event);
     }},
    {"CopyBoxWithinOneRoot", false, false,
     [](const Stage& s) {
       Mem* region = nullptr;
       CLPOOL_TRY(make_sub_region(*s.buffer, 2048, 1024, 0, region));
       Box box = small_box();
       box.source.row_pitch = 16;
       cl_event event = nullptr;
       const Status status = copy_box(s.order(&event), *region, *s.buffer, box);
       return give_back(give_back(status, event), region);
     }},
    {"CopyBox", false, false,
     [](const Stage& s) {
       cl_event event = nullptr;
       const Status status = copy_box(s.order(&event), *s.other, *s.buffer, small_box());
       return give_back(status, event);
     }},
    {"ReadBox", false, false,
     [](const Stage& s) {
       cl_event event = nullptr;
       const Status status = read_box(s.order(&event), *s.buffer, {host, sizeof host}, small_box(), false);
       return give_back(status, event);
     }},
    {"WriteBox", false, false,
     [](const Stage& s) {
       cl_event event = nullptr;
       const Status status = write_box(s.order(&event), *s.buffer, {host, sizeof host}, small_box(), false);
       return give_back(status, event);
     }},
    {"FillImage", false, true,
     [](const Stage& s) {
       cl_event event = nullptr;
       const Status status = fill_image(s.order(&event), *s.image, {host, 16}, whole_image);
       return give_back(status, event);
     }},
    {"ReadImage", false, true,
     [](const Stage& s) {
       cl_event event = nullptr;
       const Status status =
           read_image(s.order(&event), *s.image, whole_image, {host, sizeof host}, 0, 0, false);
       return give_back(status, event);
     }},
    {"WriteImage", false, true,
     [](const Stage& s) {
       cl_event event = nullptr;
       const Status status =
           write_image(s.order(&event), *s.image, whole_image, {host, sizeof host}, 0, 0, false);
       return give_back(status, event);
     }},
    {"CopyImage", false, true,
     [](const Stage& s) {
       cl_event event = nullptr;
       const Status status =
           copy_image(s.order(&event), *s.image, {8, 0, 0}, *s.image, {{0, 0, 0}, {8, 8, 1}});
       return give_back(status, event);
     }},
    {"CopyImageToBuffer", false, true,
     [](const Stage& s) {
       cl_event event = nullptr;
       const Status status = copy_image_to_buffer(s.order(&event), *s.buffer, 0, *s.image, whole_image);
       return give_back(status, event);
     }},
    {"CopyBufferToImage", false, true,
     [](const Stage& s) {
       cl_event event = nullptr;
       const Status status = copy_buffer_to_image(s.order(&event), *s.image, whole_image, *s.buffer, 0);
       return give_back(status, event);
     }},
    {"Nothing", false, false,
     [](const Stage& s) {
       cl_event event = nullptr;
       const Status status = copy(s.order(&event), *s.buffer, 0, *s.other, 0, 0);
       return give_back(status, event);
     }},
    {"MigrateBoth", true, false,
     [](const Stage& s) {
       cl_event event = nullptr;
       Mem* const mems[] = {s.buffer, s.svm};
       const Status status = migrate(s.order(&event), mems, 2, 0);
       return give_back(status, event);
     }},
    {"MapBuffer", false, false,
     [](const Stage& s) {
       Map* map = nullptr;
       const Status status = map_memory(s.order(), *s.buffer, CL_MAP_READ, 0, whole_size, true, map);
       return give_back(status, map);
     }},
    {"MapSvm", true, false,
     [](const Stage& s) {
       Map* map = nullptr;
       const Status status = map_memory(s.order(), *s.svm, CL_MAP_READ, 0, whole_size, true, map);
       return give_back(status, map);
     }},
    {"MapImage", false, true,
     [](const Stage& s) {
       Map* map = nullptr;
       const Status status = map_image(s.order(), *s.image, CL_MAP_READ, {0, 0, 0}, {16, 8, 1}, true, map);
       return give_back(status, map);
     }},
    {"BindSvm", true, false,
     [](const Stage& s) {
       Mem* mem = nullptr;
       CLPOOL_TRY(create_svm(s.cl.context, 0, 64, 0, nullptr, mem));
       const Status status = bind_direct_svm(*mem, s.cl.queue);
       return give_back(status, mem);
     }},
    {"ReleaseSvmOnQueue", true, false,
     [](const Stage& s) {
       Mem* mem = nullptr;
       CLPOOL_TRY(create_svm(s.cl.context, 0, 64, 0, nullptr, mem));
       cl_event event = nullptr;
       const Status status = release_direct_svm(*mem, s.order(&event));
       return give_back(give_back(status, event),
                        status == Status::success ? static_cast<Mem*>(nullptr) : mem);
     }},
    {"ReleaseSvmOnQueueWithAView", true, false,
     [](const Stage& s) {
       Mem* mem = nullptr;
       CLPOOL_TRY(create_svm(s.cl.context, 0, 64, 0, nullptr, mem));
       EXPECT_EQ(retain_mem(*mem), Status::success);
       cl_event event = nullptr;
       const Status status = release_direct_svm(*mem, s.order(&event));
       end_of_operation();
       if (status != Status::success) {
         EXPECT_EQ(release_mem(*mem), Status::success);
       }
       return give_back(give_back(status, event), mem);
     }},
    {"CreateImage", false, true,
     [](const Stage& s) {
       ImageDescription plan;
       plan.format = {CL_RGBA, CL_UNSIGNED_INT8};
       plan.dimensions = 1;
       plan.shape[0] = 16;
       Mem* mem = nullptr;
       const Status status = create_image(s.cl.context, plan, mem);
       return give_back(status, mem);
     }},
    {"CreateSampler", false, true,
     [](const Stage& s) {
       cl_sampler sampler = nullptr;
       const Status status = create_sampler(s.cl.context, true, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, sampler);
       end_of_operation();
       if (status == Status::success) {
         clReleaseSampler(sampler);
       }
       return status;
     }},
};

class MemoryFaults : public testing::TestWithParam<Operation> {};

TEST_P(MemoryFaults, LeaveNothingBehindWhicheverCallFails) {
  test::OpenCl cl;
  if (cl.queue == nullptr) {
    GTEST_SKIP() << "no OpenCL device";
  }
  const Stage stage(cl);
  if ((GetParam().needs_svm && !stage.has_svm) || (GetParam().needs_images && !stage.has_images)) {
    GTEST_SKIP() << "the device has no " << (GetParam().needs_svm ? "SVM" : "images");
  }
  static_cast<void>(GetParam().run(stage));  // memory keeps the queues that have used it
  const driver::Live idle = driver::live();
  driver::reset();
  const Status status = GetParam().run(stage);
  if (status == Status::not_supported) {
    GTEST_SKIP() << last_error_message();
  }
  ASSERT_EQ(status, Status::success) << last_error_message();
  const long calls = own_calls;
  EXPECT_EQ(driver::live(), idle);
  for (long nth = 1; nth <= calls; ++nth) {
    driver::fail_any_call(nth, CL_OUT_OF_RESOURCES);
    static_cast<void>(GetParam().run(stage));
    EXPECT_TRUE(driver::failed()) << "call " << nth;
    driver::reset();
    EXPECT_EQ(driver::live(), idle) << "call " << nth;
    EXPECT_EQ(stage.buffer->references.load(), 1u) << "call " << nth;
  }
  clFinish(cl.queue);  // what was enqueued before a call failed still uses the stage's SVM
}

TEST_P(MemoryFaults, WaitForWhatTheyWereToldTo) {
  test::OpenCl cl;
  if (cl.queue == nullptr) {
    GTEST_SKIP() << "no OpenCL device";
  }
  Stage stage(cl);
  if ((GetParam().needs_svm && !stage.has_svm) || (GetParam().needs_images && !stage.has_images)) {
    GTEST_SKIP() << "the device has no " << (GetParam().needs_svm ? "SVM" : "images");
  }
  cl_int code = CL_SUCCESS;
  stage.gate = clCreateUserEvent(cl.context, &code);
  clSetUserEventStatus(stage.gate, CL_COMPLETE);  // which event is waited for can be seen all the same
  driver::reset();
  const Status status = GetParam().run(stage);
  ASSERT_TRUE(status == Status::success || status == Status::not_supported) << last_error_message();
  bool takes_orders = false;
  bool gate_seen = false;
  for (const driver::Command& command : own_commands) {
    // A marker without a list stands for all that was enqueued before it.
    if (command.function != "clEnqueueMarkerWithWaitList") {
      takes_orders = true;
      EXPECT_FALSE(command.waits.empty()) << command.function;
    }
    gate_seen = gate_seen || command.waits_for(stage.gate);
  }
  EXPECT_TRUE(gate_seen || !takes_orders);
  driver::reset();
  clFinish(cl.queue);
  clReleaseEvent(stage.gate);
}

INSTANTIATE_TEST_SUITE_P(Operations, MemoryFaults, testing::ValuesIn(operations),
                         [](const auto& operation) { return std::string(operation.param.name); });

}  // namespace
}  // namespace clpool::core
