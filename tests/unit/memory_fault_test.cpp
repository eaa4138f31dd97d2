// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What the memory runtime leaves behind when the n-th driver call of an operation fails: nothing. And what it
// does on devices that are older than the one at hand.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "allocator/direct.hpp"
#include "allocator/immediate.hpp"
#include "cl/marker.hpp"
#include "memory/buffer.hpp"
#include "memory/image.hpp"
#include "memory/image_transfer.hpp"
#include "memory/info.hpp"
#include "memory/map.hpp"
#include "memory/object.hpp"
#include "memory/pipe.hpp"
#include "memory/range.hpp"
#include "memory/rect.hpp"
#include "memory/sampler.hpp"
#include "memory/svm.hpp"
#include "memory/transfer.hpp"
#include "support/driver.hpp"
#include "support/fake_device.hpp"
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

class MemoryCommands : public test::OpenClTest {
 protected:
  void TearDown() override { driver::reset(); }
  /// The only free behind a queue since the last driver::reset().
  static driver::Command only_free() {
    EXPECT_EQ(driver::calls("clEnqueueSVMFree"), 1);
    for (driver::Command& command : driver::commands()) {
      if (command.function == "clEnqueueSVMFree") {
        return command;
      }
    }
    return {};
  }
};

TEST_F(MemoryCommands, LargeFillsAreSplitAndGiveOneEvent) {
  for (const cl_command_queue queue : {cl.queue, cl.another_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)}) {
    if (queue == nullptr) {
      continue;
    }
    Mem* mem = nullptr;
    ASSERT_EQ(create_buffer_object(cl.context, 0, 1000, nullptr, 0, mem), Status::success);
    driver::reset();
    cl_event event = nullptr;
    const Status status = fill({queue, 0, nullptr, &event}, *mem, {"abcdefgh", 8}, 0, whole_size, 64);
    ASSERT_EQ(status, Status::success) << last_error_message();
    EXPECT_EQ(driver::calls("clEnqueueFillBuffer"), 16);  // 15 of 64 bytes and one of 40
    clWaitForEvents(1, &event);
    clReleaseEvent(event);
    char values[1000];
    ASSERT_EQ(read({queue, 0, nullptr, nullptr}, *mem, 0, {values, sizeof values}, whole_size, true),
              Status::success);
    for (std::size_t i = 0; i < sizeof values; ++i) {
      ASSERT_EQ(values[i], "abcdefgh"[i % 8]) << i;
    }
    EXPECT_EQ(release_mem(*mem), Status::success);
  }
  EXPECT_LT(largest_fill, std::size_t{1} << 31);
}

TEST_F(MemoryCommands, AHandOverFlushesTheOldQueueAndKeepsNoEvent) {
  const cl_command_queue other = cl.another_queue();
  driver::reset();
  const driver::Live before = driver::live();
  const Status status = cl::hand_over(cl.queue, other);
  ASSERT_EQ(status, Status::success) << last_error_message();
  EXPECT_EQ(driver::calls("clFlush"), 1);
  EXPECT_EQ(driver::calls("clFinish"), 0);
  EXPECT_EQ(driver::live(), before);
}

struct P2pCall {
  cl_mem source = nullptr;
  cl_mem target = nullptr;
  std::size_t size = 0;
} p2p_call;

cl_int CL_API_CALL pretended_p2p(cl_command_queue, cl_mem source, cl_mem target, std::size_t, std::size_t,
                                 std::size_t size, cl_uint, const cl_event*, cl_event*) {
  p2p_call = {source, target, size};
  return CL_SUCCESS;
}

TEST_F(MemoryCommands, CopiesBetweenContextsUseTheExtensionWhereThereIsOne) {
  Mem* source = nullptr;
  Mem* target = nullptr;
  ASSERT_EQ(create_buffer_object(cl.context, 0, 1000, nullptr, 0, source), Status::success);
  ASSERT_EQ(create_buffer_object(cl.context, 0, 800, nullptr, 0, target), Status::success);
  {
    const test::PretendedExtension extension("cl_amd_copy_buffer_p2p", "clEnqueueCopyBufferP2PAMD",
                                             reinterpret_cast<void*>(&pretended_p2p));
    EXPECT_EQ(copy_p2p({cl.queue, 0, nullptr, nullptr}, *target, *source, whole_size), Status::success);
  }
  EXPECT_EQ(p2p_call.source, source->handle);
  EXPECT_EQ(p2p_call.target, target->handle);
  EXPECT_EQ(p2p_call.size, 800u);
  EXPECT_EQ(copy_p2p({cl.queue, 0, nullptr, nullptr}, *target, *source, whole_size), Status::not_supported);
  EXPECT_EQ(release_mem(*source), Status::success);
  EXPECT_EQ(release_mem(*target), Status::success);
}

TEST_F(MemoryCommands, ReleasesNeverWait) {
  Mem* mem = nullptr;
  ASSERT_EQ(create_buffer_object(cl.context, 0, 1000, nullptr, 0, mem), Status::success);
  Map* map = nullptr;
  ASSERT_EQ(map_memory({cl.queue, 0, nullptr, nullptr}, *mem, CL_MAP_READ, 0, whole_size, true, map),
            Status::success);
  driver::reset();
  EXPECT_EQ(release_map(*map), Status::success);
  EXPECT_EQ(release_mem(*mem), Status::success);
  EXPECT_EQ(driver::calls("clFinish"), 0);
  EXPECT_EQ(driver::calls("clEnqueueUnmapMemObject"), 1);
}

class DriverWithABug : public test::OpenClTest {};

TEST_F(DriverWithABug, ImagesOverPartsOfABufferAreRefusedWhereTheyWouldReadZeros) {
  Mem* buffer = nullptr;
  ASSERT_EQ(create_buffer_object(cl.context, 0, 4096, nullptr, 0, buffer), Status::success);
  Mem* part = nullptr;
  ASSERT_EQ(make_sub_region(*buffer, 0, 1024, 0, part), Status::success);
  ImageDescription plan;
  plan.format = {CL_RGBA, CL_UNSIGNED_INT8};
  plan.dimensions = 1;
  plan.shape[0] = 16;
  const test::PretendedPlatform rusticl("rusticl");
  driver::reset();
  plan.buffer = part;
  Mem* image = nullptr;
  EXPECT_EQ(create_image(cl.context, plan, image), Status::not_supported);
  EXPECT_NE(std::string(last_error_message()).find("rusticl"), std::string::npos) << last_error_message();
  EXPECT_EQ(driver::calls("clCreateImage"), 0);
  plan.buffer = buffer;  // a whole one is for the driver to decide
  static_cast<void>(create_image(cl.context, plan, image));
  EXPECT_EQ(driver::calls("clCreateImage"), 1);
  for (Mem* mem : {image, part, buffer}) {
    if (mem != nullptr) {
      EXPECT_EQ(release_mem(*mem), Status::success);
    }
  }
  driver::reset();
}

TEST_F(MemoryCommands, SvmReleasedOnAQueueIsFreedBehindItByTheLastReference) {
  for (const bool on_allocators_queue : {false, true}) {
    Mem* svm = nullptr;
    const cl_command_queue allocators = on_allocators_queue ? cl.another_queue() : nullptr;
    const Status made = create_svm(cl.context, 0, 4096, 0, allocators, svm);
    if (made == Status::not_supported) {
      GTEST_SKIP() << last_error_message();
    }
    Mem* part = nullptr;
    ASSERT_EQ(make_sub_region(*svm, 128, 64, 0, part), Status::success);
    cl_event given_up = nullptr;
    ASSERT_EQ(release_direct_svm(*svm, {cl.queue, 0, nullptr, &given_up}), Status::success);
    driver::reset();
    EXPECT_EQ(release_mem(*part), Status::success);
    const driver::Command free = only_free();
    EXPECT_EQ(free.queue, on_allocators_queue ? allocators : cl.queue);
    EXPECT_TRUE(free.waits_for(given_up));
    EXPECT_EQ(driver::calls("clSVMFree"), 0);
    EXPECT_EQ(driver::calls("clFinish"), 0);
    clReleaseEvent(given_up);
  }
}

TEST_F(MemoryCommands, SvmGivenUpOnSeveralQueuesWaitsForAllOfThem) {
  const cl_command_queue other = cl.another_queue();
  Mem* svm = nullptr;
  const Status made = create_svm(cl.context, 0, 4096, 0, nullptr, svm);
  if (made == Status::not_supported) {
    GTEST_SKIP() << last_error_message();
  }
  ASSERT_EQ(retain_mem(*svm), Status::success);
  cl_event first = nullptr;
  cl_event last = nullptr;
  ASSERT_EQ(release_direct_svm(*svm, {cl.queue, 0, nullptr, &first}), Status::success);
  driver::reset();
  ASSERT_EQ(release_direct_svm(*svm, {other, 1, &first, &last}), Status::success);
  const driver::Command free = only_free();
  EXPECT_EQ(free.queue, other);
  EXPECT_TRUE(free.waits_for(first));
  EXPECT_EQ(free.waits.size(), 2u) << "and for what the last release was told to";
  clWaitForEvents(1, &last);
  clReleaseEvent(last);
  clReleaseEvent(first);
}

TEST_F(MemoryCommands, AMarkOfEverythingSoFarWaitsForTheQueueAndTheEvents) {
  if (!cl.has_version(1, 2)) {
    GTEST_SKIP() << "markers with wait lists need OpenCL 1.2";
  }
  cl_int code = CL_SUCCESS;
  const cl_event gate = clCreateUserEvent(cl.context, &code);
  clSetUserEventStatus(gate, CL_COMPLETE);
  driver::reset();
  cl::Event done;
  ASSERT_EQ(cl::mark_so_far({cl.queue, 1, &gate, nullptr}, done), Status::success) << last_error_message();
  const std::vector<driver::Command> commands = driver::commands();
  ASSERT_EQ(commands.size(), 2u);
  EXPECT_TRUE(commands[0].waits.empty()) << "which means all commands before it";
  EXPECT_TRUE(commands[1].waits_for(gate));
  EXPECT_EQ(commands[1].waits.size(), 2u) << "the other one is the first marker";
  EXPECT_EQ(driver::calls("clFlush"), 1);
  clReleaseEvent(gate);
}

TEST_F(MemoryCommands, SvmThatCannotBeFreedBehindAQueueIsFreedWhenItsCommandsAreDone) {
  Mem* svm = nullptr;
  const Status made = create_svm(cl.context, 0, 4096, 0, nullptr, svm);
  if (made == Status::not_supported) {
    GTEST_SKIP() << last_error_message();
  }
  ASSERT_EQ(retain_mem(*svm), Status::success);
  ASSERT_EQ(release_direct_svm(*svm, {cl.queue, 0, nullptr, nullptr}), Status::success);
  driver::reset();
  driver::fail_call("clEnqueueSVMFree", 1, CL_OUT_OF_RESOURCES);
  EXPECT_EQ(release_mem(*svm), Status::success);
  EXPECT_EQ(driver::calls("clFinish"), 1);
  EXPECT_EQ(driver::calls("clSVMFree"), 1);
}

class OlderDevice : public test::OpenClTest {
 protected:
  void SetUp() override {
    OpenClTest::SetUp();
    if (cl.queue != nullptr) {
      ASSERT_EQ(create_buffer_object(cl.context, 0, 1000, nullptr, 0, mem), Status::success);
    }
  }
  void TearDown() override {
    if (mem != nullptr) {
      EXPECT_EQ(release_mem(*mem), Status::success);
    }
    driver::reset();
  }
  cl::Order order(cl_event* event = nullptr) const { return {cl.queue, 0, nullptr, event}; }
  static void expect_needs(Status status, const char* version) {
    EXPECT_EQ(status, Status::not_supported);
    EXPECT_NE(std::string(last_error_message()).find(version), std::string::npos) << last_error_message();
  }
  Mem* mem = nullptr;
  const test::PretendedVersion version{"OpenCL 1.1 pretended"};
};

TEST_F(OlderDevice, WhatItLacksIsNotSupportedWithTheNeededVersion) {
  expect_needs(fill(order(), *mem, {"x", 1}, 0, whole_size), "1.2");
  expect_needs(migrate(order(), &mem, 1, 0), "1.2");
  Mem* none = nullptr;
  expect_needs(create_svm(cl.context, 0, 64, 0, nullptr, none), "2.0");
  expect_needs(create_pipe(cl.context, 0, 16, 10, none), "2.0");
  ImageDescription plan;
  plan.format = {CL_RGBA, CL_UNSIGNED_INT8};
  plan.dimensions = 1;
  plan.shape[0] = 16;
  expect_needs(create_image(cl.context, plan, none), "1.2");
  const cl_bitfield properties[] = {0x1158, 1, 0};  // CL_SAMPLER_MIP_FILTER_MODE_KHR
  cl_sampler sampler = nullptr;
  expect_needs(create_sampler(cl.context, properties, sampler), "2.0");
  EXPECT_EQ(none, nullptr);
}

TEST_F(OlderDevice, ANewerPropertyIsNotSupportedWithTheNeededVersion) {
  const test::driver::UnknownProperty property(CL_MEM_USES_SVM_POINTER);
  std::uint64_t value = 0;
  expect_needs(info_number(*mem, CL_MEM_USES_SVM_POINTER, value), "2.0");
  EXPECT_EQ(info_number(*mem, CL_MEM_SIZE, value), Status::success);
}

TEST_F(OlderDevice, AnImmediateAllocatorForcesByABlockingWrite) {
  Reference<Allocator> allocator;
  ASSERT_EQ(make_immediate_allocator(cl.queue, 0, allocator), Status::success);
  for (const std::uint64_t size : {1, 2, 4, 1000}) {
    driver::reset();
    Chunk chunk;
    ASSERT_EQ(allocator->allocate(size, 1, chunk), Status::success) << last_error_message();
    EXPECT_EQ(driver::calls("clEnqueueWriteBuffer"), 1);
    EXPECT_EQ(driver::calls("clEnqueueFillBuffer"), 0);
    allocator->deallocate(chunk);
  }
}

TEST_F(OlderDevice, AFailingWriteLeavesNothingBehind) {
  Reference<Allocator> allocator;
  ASSERT_EQ(make_immediate_allocator(cl.queue, 0, allocator), Status::success);
  const driver::Live before = driver::live();
  driver::fail_call("clEnqueueWriteBuffer", 1, CL_MEM_OBJECT_ALLOCATION_FAILURE);
  Chunk chunk;
  EXPECT_EQ(allocator->allocate(1000, 1, chunk), Status::out_of_memory);
  EXPECT_EQ(driver::live(), before);
}

TEST_F(OlderDevice, ImagesAndSamplersAreMadeByTheCallsOfOld) {
  ImageDescription plan;
  plan.format = {CL_RGBA, CL_UNSIGNED_INT8};
  plan.shape[0] = 16;
  plan.shape[1] = 8;
  plan.shape[2] = 4;
  driver::reset();
  for (const std::uint32_t dimensions : {2u, 3u}) {
    plan.dimensions = dimensions;
    Mem* image = nullptr;
    const Status status = create_image(cl.context, plan, image);
    if (status == Status::not_supported) {
      GTEST_SKIP() << last_error_message();
    }
    ASSERT_EQ(status, Status::success) << last_error_message();
    ImageShape shape;
    EXPECT_EQ(image_shape(*image, shape), Status::success);
    EXPECT_EQ(shape.dimensions, dimensions);
    EXPECT_EQ(release_mem(*image), Status::success);
  }
  EXPECT_EQ(driver::calls("clCreateImage"), 0);
  cl_sampler sampler = nullptr;
  ASSERT_EQ(create_sampler(cl.context, true, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, sampler), Status::success);
  EXPECT_EQ(driver::calls("clCreateSampler"), 1);
  EXPECT_EQ(driver::calls("clCreateSamplerWithProperties"), 0);
  clReleaseSampler(sampler);
}

TEST_F(OlderDevice, ZeroBytesThatWaitForOneEventAreCompleteWithIt) {
  cl_int code = CL_SUCCESS;
  const cl_event gates[2] = {clCreateUserEvent(cl.context, &code), clCreateUserEvent(cl.context, &code)};
  cl_event event = nullptr;
  const Status status = write({cl.queue, 1, gates, &event}, *mem, 0, {nullptr, 0}, 0, false);
  ASSERT_EQ(status, Status::success) << last_error_message();
  EXPECT_EQ(event, gates[0]);
  clReleaseEvent(event);
  expect_needs(write({cl.queue, 2, gates, &event}, *mem, 0, {nullptr, 0}, 0, false), "1.2");
  for (cl_event gate : gates) {
    clSetUserEventStatus(gate, CL_COMPLETE);
    clReleaseEvent(gate);
  }
}

}  // namespace
}  // namespace clpool::core
