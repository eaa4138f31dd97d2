// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The stub's memory: limits, laziness, poison, dead memory, maps, sub-buffers, images, and NVIDIA's ways.
#include <atomic>
#include <cstring>
#include <thread>

#include "stub_icd/tests/fixture.hpp"

namespace clpool::test {
namespace {

class Memory : public StubTest {
 protected:
  cl_int try_buffer(std::size_t size) {
    cl_int code = CL_SUCCESS;
    cl_mem mem = clCreateBuffer(cl.context, CL_MEM_READ_WRITE, size, nullptr, &code);
    if (mem != nullptr) {
      clReleaseMemObject(mem);
    }
    return code;
  }
  template <typename T>
  T device_info(cl_device_info name) {
    T value = {};
    EXPECT_EQ(clGetDeviceInfo(cl.device, name, sizeof value, &value, nullptr), CL_SUCCESS);
    return value;
  }
};

TEST_F(Memory, EndsAtTheLimit) {
  stub_configure("limit=1M,max_alloc=2M");
  cl_mem half = buffer(512 << 10);
  EXPECT_EQ(try_buffer(512 << 10), CL_SUCCESS);
  EXPECT_EQ(try_buffer((512 << 10) + 1), CL_MEM_OBJECT_ALLOCATION_FAILURE);
  EXPECT_EQ(try_buffer((2 << 20) + 1), CL_INVALID_BUFFER_SIZE);
  EXPECT_EQ(clSVMAlloc(cl.context, CL_MEM_READ_WRITE, 513 << 10, 0), nullptr);
  clReleaseMemObject(half);
}

TEST_F(Memory, ThatIsLazyIsTakenAtItsFirstUse) {
  stub_configure("limit=4096,lazy=1");
  cl_mem mem = buffer(8192);
  EXPECT_EQ(stub_device_bytes(), 0u);
  EXPECT_EQ(clEnqueueMigrateMemObjects(cl.queue, 1, &mem, 0, 0, nullptr, nullptr),
            CL_MEM_OBJECT_ALLOCATION_FAILURE);
  stub_configure("limit=8192");
  EXPECT_EQ(clEnqueueMigrateMemObjects(cl.queue, 1, &mem, 0, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(stub_device_bytes(), 8192u);
  clReleaseMemObject(mem);
}

TEST_F(Memory, ThatFragmentsNeedsOneFreePiece) {
  stub_configure("limit=3M,max_alloc=3M,fragments=1");
  cl_mem pieces[3] = {buffer(1 << 20), buffer(1 << 20), buffer(1 << 20)};
  clReleaseMemObject(pieces[0]);
  clReleaseMemObject(pieces[2]);
  EXPECT_EQ(try_buffer(2 << 20), CL_MEM_OBJECT_ALLOCATION_FAILURE);
  EXPECT_EQ(try_buffer(1 << 20), CL_SUCCESS);
  clReleaseMemObject(pieces[1]);
  EXPECT_EQ(try_buffer(2 << 20), CL_SUCCESS);
}

TEST_F(Memory, ACommandOnFreedSvmKillsTheProcess) {
  void* const svm = clSVMAlloc(cl.context, CL_MEM_READ_WRITE, 64, 0);
  const char zero = 0;
  clEnqueueSVMMemFill(cl.queue, svm, &zero, 1, 64, 0, nullptr, nullptr);
  EXPECT_DEATH(
      {
        clSVMFree(cl.context, svm);
        stub_run_all();
      },
      "command [0-9]+ \\(fill\\): this command runs on SVM .* that clSVMFree ended before");
  stub_run_all();
  clSVMFree(cl.context, svm);
  EXPECT_DEATH(clEnqueueSVMMemFill(cl.queue, svm, &zero, 1, 64, 0, nullptr, nullptr),
               "lies in SVM that clSVMFree freed");
  EXPECT_DEATH(clSVMFree(cl.context, svm), "is freed again");
}

TEST_F(Memory, AViewOfFreedSvmKillsTheProcess) {
  void* const svm = clSVMAlloc(cl.context, CL_MEM_READ_WRITE, 64, 0);
  cl_mem view = buffer(64, CL_MEM_USE_HOST_PTR, svm);
  cl_bool is_svm = CL_FALSE;
  EXPECT_EQ(clGetMemObjectInfo(view, CL_MEM_USES_SVM_POINTER, sizeof is_svm, &is_svm, nullptr), CL_SUCCESS);
  EXPECT_EQ(is_svm, cl_bool{CL_TRUE});
  clReleaseEvent(fill(cl.queue, view, 3, 64));
  EXPECT_DEATH(
      {
        clSVMFree(cl.context, svm);
        stub_run_all();
      },
      "this command runs on SVM");
  stub_run_all();
  EXPECT_EQ(*static_cast<unsigned char*>(svm), 3);
  clReleaseMemObject(view);
  clSVMFree(cl.context, svm);
}

TEST_F(Memory, SvmIsFreedBehindItsQueueWithACallback) {
  void* svm = clSVMAlloc(cl.context, CL_MEM_READ_WRITE, 64, 0);
  clEnqueueSVMFree(cl.queue, 1, &svm, nullptr, nullptr, 0, nullptr, nullptr);
  EXPECT_EQ(stub_device_bytes(), 64u);
  stub_run_all();
  EXPECT_EQ(stub_device_bytes(), 0u);
  svm = clSVMAlloc(cl.context, CL_MEM_READ_WRITE, 64, 0);
  const auto free_it = [](cl_command_queue, cl_uint, void* pointers[], void* context) {
    clSVMFree(static_cast<cl_context>(context), pointers[0]);
  };
  clEnqueueSVMFree(cl.queue, 1, &svm, free_it, cl.context, 0, nullptr, nullptr);
  stub_run_all();
  EXPECT_EQ(stub_device_bytes(), 0u);
}

TEST_F(Memory, AMapMovesBytesWhenItAndItsUnmapRun) {
  cl_mem mem = buffer(64);
  clReleaseEvent(fill(cl.queue, mem, 1, 64));
  cl_int code = CL_SUCCESS;
  auto* const map = static_cast<unsigned char*>(clEnqueueMapBuffer(
      cl.queue, mem, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 16, 8, 0, nullptr, nullptr, &code));
  EXPECT_EQ(map[0], 1);
  map[0] = 9;
  EXPECT_EQ(clEnqueueUnmapMemObject(cl.queue, mem, map, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(stub_memory(mem)[16], 1);
  stub_run_all();
  EXPECT_EQ(stub_memory(mem)[16], 9);
  EXPECT_EQ(clEnqueueUnmapMemObject(cl.queue, mem, map, 0, nullptr, nullptr), CL_INVALID_VALUE);
  clReleaseMemObject(mem);
}

TEST_F(Memory, ACommandOnAnUnmappedRegionKillsTheProcess) {
  cl_mem pinned = buffer(64, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR);
  cl_mem target = buffer(64);
  cl_command_queue other = cl.another_queue();
  void* const map =
      clEnqueueMapBuffer(cl.queue, pinned, CL_TRUE, CL_MAP_WRITE, 0, 64, 0, nullptr, nullptr, nullptr);
  clEnqueueWriteBuffer(other, target, CL_FALSE, 0, 64, map, 0, nullptr, nullptr);
  EXPECT_DEATH(
      {
        clEnqueueUnmapMemObject(cl.queue, pinned, map, 0, nullptr, nullptr);
        clFinish(cl.queue);
        clFinish(other);
      },
      "\\(write\\): this command runs on mapped region .* that clEnqueueUnmapMemObject ended before");
  stub_run_all();
  clEnqueueUnmapMemObject(cl.queue, pinned, map, 0, nullptr, nullptr);
  stub_run_all();
  clReleaseMemObject(pinned);
  clReleaseMemObject(target);
}

TEST_F(Memory, ThatIsProtectedFaultsWhenTheHostUsesItDead) {
  stub_configure("protect=1");
  auto* const svm = static_cast<volatile char*>(clSVMAlloc(cl.context, CL_MEM_READ_WRITE, 64, 0));
  svm[0] = 1;
  clSVMFree(cl.context, const_cast<char*>(svm));
  EXPECT_DEATH(svm[0] = 2, "");
}

TEST_F(Memory, SubBuffersAreAlignedAndShareTheirBytes) {
  stub_configure("align=512");
  EXPECT_EQ(device_info<cl_uint>(CL_DEVICE_MEM_BASE_ADDR_ALIGN), 4096u);
  cl_mem root = buffer(4096);
  const cl_buffer_region odd = {256, 64};
  cl_int code = CL_SUCCESS;
  EXPECT_EQ(clCreateSubBuffer(root, 0, CL_BUFFER_CREATE_TYPE_REGION, &odd, &code), nullptr);
  EXPECT_EQ(code, CL_MISALIGNED_SUB_BUFFER_OFFSET);
  cl_mem region = part(root, 512, 64);
  clReleaseEvent(fill(cl.queue, region, 5, 64));
  EXPECT_EQ(clEnqueueCopyBuffer(cl.queue, root, region, 500, 0, 64, 0, nullptr, nullptr),
            CL_MEM_COPY_OVERLAP);
  stub_run_all();
  EXPECT_EQ(stub_memory(root)[512], 5);
  clReleaseMemObject(root);  // the part keeps it
  EXPECT_EQ(stub_device_bytes(), 4096u);
  clReleaseMemObject(region);
}

TEST_F(Memory, AnImageOverASubBufferSeesItsBytes) {
  cl_mem root = buffer(4096);
  cl_mem region = part(root, 1024, 256);
  const cl_image_format format = {CL_R, CL_FLOAT};
  cl_image_desc desc = {};
  desc.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER;
  desc.image_width = 64;
  desc.mem_object = region;
  cl_int code = CL_SUCCESS;
  cl_mem image = clCreateImage(cl.context, CL_MEM_READ_WRITE, &format, &desc, nullptr, &code);
  ASSERT_EQ(code, CL_SUCCESS);
  const float color[4] = {2.5F};
  const std::size_t origin[3] = {3, 0, 0};
  const std::size_t extent[3] = {1, 1, 1};
  ASSERT_EQ(clEnqueueFillImage(cl.queue, image, color, origin, extent, 0, nullptr, nullptr), CL_SUCCESS);
  stub_run_all();
  float value = 0;
  std::memcpy(&value, stub_memory(root) + 1024 + 12, sizeof value);
  EXPECT_EQ(value, 2.5F);
  clReleaseMemObject(image);
  clReleaseMemObject(region);
  clReleaseMemObject(root);
}

TEST_F(Memory, TheDeviceIsWhatTheOptionsSay) {
  stub_configure(
      "version=1.2,svm=none,images=0,global=64M,max_alloc=8M,unified=1,with=cl_test_new,without=cl_khr_fp64");
  EXPECT_FALSE(cl.has_version(2, 0));
  cl_device_svm_capabilities capabilities = 0;
  EXPECT_EQ(
      clGetDeviceInfo(cl.device, CL_DEVICE_SVM_CAPABILITIES, sizeof capabilities, &capabilities, nullptr),
      CL_INVALID_VALUE);
  EXPECT_EQ(device_info<cl_bool>(CL_DEVICE_IMAGE_SUPPORT), cl_bool{CL_FALSE});
  EXPECT_EQ(device_info<cl_bool>(CL_DEVICE_HOST_UNIFIED_MEMORY), cl_bool{CL_TRUE});
  EXPECT_EQ(device_info<cl_ulong>(CL_DEVICE_GLOBAL_MEM_SIZE), 64u << 20);
  EXPECT_EQ(device_info<cl_ulong>(CL_DEVICE_MAX_MEM_ALLOC_SIZE), 8u << 20);
  char extensions[1024] = "";
  clGetDeviceInfo(cl.device, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, nullptr);
  EXPECT_NE(std::string(extensions).find("cl_test_new"), std::string::npos);
  EXPECT_EQ(std::string(extensions).find("cl_khr_fp64"), std::string::npos);
  stub_configure("version=3.0,svm=coarse");
  EXPECT_EQ(device_info<cl_device_svm_capabilities>(CL_DEVICE_SVM_CAPABILITIES),
            cl_device_svm_capabilities{CL_DEVICE_SVM_COARSE_GRAIN_BUFFER});
}

TEST_F(Memory, KernelsAreHostFunctions) {
  stub_define_kernel(
      "answer", [](const stub_launch* launch) { *static_cast<cl_int*>(launch->args[0].data) = 42; }, nullptr);
  const char* const source = "kernel void answer(global int* out) { *out = 42; }";
  const char* const unknown = "kernel void question(global int* out) { }";
  const char* const broken = "kernel void answer(global int* out) { ";
  for (const auto& [text, expected] : {std::pair<const char*, cl_int>{source, CL_SUCCESS},
                                       {unknown, CL_BUILD_PROGRAM_FAILURE},
                                       {broken, CL_BUILD_PROGRAM_FAILURE}}) {
    const char* lines = text;
    cl_program program = clCreateProgramWithSource(cl.context, 1, &lines, nullptr, nullptr);
    EXPECT_EQ(clBuildProgram(program, 1, &cl.device, "", nullptr, nullptr), expected) << text;
    char log[256] = "";
    clGetProgramBuildInfo(program, cl.device, CL_PROGRAM_BUILD_LOG, sizeof log, log, nullptr);
    EXPECT_EQ(log[0] == '\0', expected == CL_SUCCESS) << log;
    clReleaseProgram(program);
  }
  const char* lines = source;
  cl_program program = clCreateProgramWithSource(cl.context, 1, &lines, nullptr, nullptr);
  clBuildProgram(program, 1, &cl.device, "", nullptr, nullptr);
  cl_kernel kernel = clCreateKernel(program, "answer", nullptr);
  cl_mem out = buffer(4);
  clSetKernelArg(kernel, 0, sizeof out, &out);
  const std::size_t one = 1;
  clEnqueueNDRangeKernel(cl.queue, kernel, 1, nullptr, &one, nullptr, 0, nullptr, nullptr);
  cl_int value = 0;
  clEnqueueReadBuffer(cl.queue, out, CL_TRUE, 0, 4, &value, 0, nullptr, nullptr);
  EXPECT_EQ(value, 42);
  clReleaseMemObject(out);
  EXPECT_DEATH(clEnqueueNDRangeKernel(cl.queue, kernel, 1, nullptr, &one, nullptr, 0, nullptr, nullptr),
               "was released");
  clReleaseKernel(kernel);
  clReleaseProgram(program);
}

class Nvidia : public Memory {
 protected:
  void SetUp() override {
    Memory::SetUp();
    stub_configure("nvidia=1");
    running = buffer(64);
    other = cl.another_queue();
    chunk = buffer(1 << 20);
  }
  void TearDown() override {
    stub_run_all();
    clReleaseMemObject(running);
    clReleaseMemObject(chunk);
  }
  /// A command runs on another buffer.
  void start() { clReleaseEvent(fill(other, running, 1, 64)); }
  void touch() { clReleaseEvent(fill(cl.queue, chunk, 1, 1 << 20)); }
  void use(cl_mem mem) { clReleaseEvent(fill(cl.queue, mem, 1, 64)); }
  cl_mem running = nullptr;
  cl_mem chunk = nullptr;
  cl_command_queue other = nullptr;
};

TEST_F(Nvidia, TheReleaseOfAUsedBufferWaitsForRunningCommands) {
  cl_mem unused = buffer(64);
  cl_mem used = buffer(64);
  use(used);
  stub_run_all();
  start();
  clReleaseMemObject(unused);
  EXPECT_EQ(stub_pending(other), 1u);
  clReleaseMemObject(used);
  EXPECT_EQ(stub_pending(other), 0u);
  EXPECT_EQ(stub_count("release_waits"), 1u);
}

TEST_F(Nvidia, SvmFreeWaitsForRunningCommands) {
  void* const svm = clSVMAlloc(cl.context, CL_MEM_READ_WRITE, 64, 0);
  start();
  clSVMFree(cl.context, svm);
  EXPECT_EQ(stub_pending(other), 0u);
  EXPECT_EQ(stub_count("svm_free_waits"), 1u);
}

TEST_F(Nvidia, WhatWaitsBehindAGateIsNotRunning) {
  Gate gate(cl.context);
  cl_mem used = buffer(64);
  use(used);
  stub_run_all();
  clReleaseEvent(fill(other, running, 1, 64, 0, {gate.get()}));
  clReleaseMemObject(used);
  EXPECT_EQ(stub_count("release_waits"), 0u);
}

TEST_F(Nvidia, TheFirstUseOfAPartOfAnUntouchedChunkWaits) {
  start();
  cl_mem region = part(chunk, 0, 64);
  use(region);
  EXPECT_EQ(stub_count("first_use_waits"), 1u);
  stub_run_all();
  clReleaseMemObject(region);
  EXPECT_EQ(stub_count("release_waits"), 0u);  // nothing ran
}

TEST_F(Nvidia, NoPartOfATouchedChunkWaits) {
  touch();
  start();
  cl_mem region = part(chunk, 0, 64);
  use(region);
  clReleaseMemObject(region);
  EXPECT_EQ(stub_count("first_use_waits") + stub_count("release_waits"), 0u);
  EXPECT_EQ(stub_pending(other), 1u);
}

TEST_F(Nvidia, TheOlderOfTwoOverlappingPartsMustNotGoFirst) {
  touch();
  cl_mem older = part(chunk, 0, 256);
  cl_mem newer = part(chunk, 128, 256);
  EXPECT_EQ(stub_count("overlapping_parts"), 1u);
  use(older);
  clRetainMemObject(older);
  clReleaseMemObject(older);  // not the last reference
  use(newer);
  EXPECT_DEATH(clReleaseMemObject(older), "is released before the newer, used sub-buffer");
  clReleaseMemObject(newer);
  clReleaseMemObject(older);
}

TEST_F(Nvidia, PartsThatAreDisjointEqualUnusedOrInsideOfATouchedChunkGoInAnyOrder) {
  touch();
  const std::size_t places[][2] = {{1024, 256}, {0, 256}, {64 * 2, 64}};
  for (const auto& place : places) {
    cl_mem older = part(chunk, 0, 256);
    cl_mem newer = part(chunk, place[0], place[1]);
    use(older);
    use(newer);
    clReleaseMemObject(older);
    clReleaseMemObject(newer);
  }
  cl_mem older = part(chunk, 0, 256);
  cl_mem unused = part(chunk, 128, 256);
  use(older);
  clReleaseMemObject(older);
  clReleaseMemObject(unused);
}

TEST_F(Nvidia, SiblingsAreWalkedAtBothEndsOfAPartsLife) {
  std::vector<cl_mem> parts;
  for (std::size_t i = 0; i < 10; ++i) {
    parts.push_back(part(chunk, i * 128, 128));
  }
  EXPECT_EQ(stub_count("siblings_walked"), 45u);
  for (cl_mem mem : parts) {
    clReleaseMemObject(mem);
  }
  EXPECT_EQ(stub_count("siblings_walked"), 45u + 55u);
}

TEST_F(Nvidia, TwoOverlappingPartsKillTheProcessWhereThatIsAskedFor) {
  stub_configure("overlap=abort");
  cl_mem older = part(chunk, 0, 256);
  EXPECT_DEATH(part(chunk, 128, 256), "overlaps the living sub-buffer");
  clReleaseMemObject(older);
  clReleaseMemObject(part(chunk, 128, 256));
}

/// Two hundred parts of the chunk are made and filled on the queue, while another thread does something else.
template <typename Other>
void fill_new_parts(cl_command_queue queue, cl_mem chunk, Other&& other) {
  std::atomic<bool> stop{false};
  std::thread thread([&] {
    while (!stop) {
      EXPECT_EQ(other(), CL_SUCCESS);
    }
  });
  for (std::size_t i = 0; i < 200; ++i) {
    const cl_buffer_region region = {i * 4096, 4096};
    cl_mem made = clCreateSubBuffer(chunk, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, nullptr);
    EXPECT_EQ(clEnqueueFillBuffer(queue, made, "", 1, 0, 64, 0, nullptr, nullptr), CL_SUCCESS);
    EXPECT_EQ(clEnqueueFillBuffer(queue, made, "", 1, 0, 64, 0, nullptr, nullptr), CL_SUCCESS);
    clReleaseMemObject(made);
  }
  stop = true;
  thread.join();
}

TEST_F(Nvidia, NobodyElseMayEnqueueWhereAPartIsFirstUsed) {
  stub_configure("mode=immediate,nvidia=1,mixes_up_parts=1");
  touch();
  use(running);
  const auto fill_on = [&](cl_command_queue queue) {
    return [=, this] { return clEnqueueFillBuffer(queue, running, "", 1, 0, 64, 0, nullptr, nullptr); };
  };
  fill_new_parts(cl.queue, chunk, fill_on(other));
  EXPECT_DEATH(fill_new_parts(cl.queue, chunk, fill_on(cl.queue)), "another thread first uses memory there");
}

TEST_F(Nvidia, NorWhereANewBufferIs) {
  stub_configure("mode=immediate,nvidia=1,mixes_up_parts=1");
  use(running);
  const auto fill_new = [&](cl_mem_flags flags, cl_command_queue others) {
    std::atomic<bool> stop{false};
    std::thread thread([&] {
      while (!stop) {
        EXPECT_EQ(clEnqueueFillBuffer(others, running, "", 1, 0, 64, 0, nullptr, nullptr), CL_SUCCESS);
      }
    });
    for (int i = 0; i < 200; ++i) {
      cl_mem made = buffer(4096, flags);
      EXPECT_EQ(clEnqueueFillBuffer(cl.queue, made, "", 1, 0, 64, 0, nullptr, nullptr), CL_SUCCESS);
      clReleaseMemObject(made);
    }
    stop = true;
    thread.join();
  };
  fill_new(CL_MEM_READ_WRITE, other);
  fill_new(CL_MEM_ALLOC_HOST_PTR, cl.queue);
  EXPECT_DEATH(fill_new(CL_MEM_READ_WRITE, cl.queue), "another thread first uses memory there");
}

TEST_F(Nvidia, NobodyElseMayEnqueueAMarkerWhereverAPartIsFirstUsedOrReleased) {
  stub_configure("mode=immediate,nvidia=1,mixes_up_parts=1");
  touch();
  const auto mark = [&] { return clEnqueueMarkerWithWaitList(other, 0, nullptr, nullptr); };
  EXPECT_DEATH(fill_new_parts(cl.queue, chunk, mark), "another thread first uses or releases a part");
}

TEST_F(Nvidia, ASubBufferMustNotBeMigrated) {
  cl_mem region = part(chunk, 0, 256);
  EXPECT_DEATH(clEnqueueMigrateMemObjects(cl.queue, 1, &region, 0, 0, nullptr, nullptr),
               "NVIDIA's driver crashes");
  clReleaseMemObject(region);
}

}  // namespace
}  // namespace clpool::test
