/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* What a driver makes a program wait for, what parts of a buffer cost, and whether it survives parts that
 * overlap: without libclpool. driver_habits [PLATFORM]: a part of the platform's name. */
#define CL_TARGET_OPENCL_VERSION 200
#define _POSIX_C_SOURCE 200809L
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CHECK(code)                                                    \
  do {                                                                 \
    const cl_int code_ = (code);                                       \
    if (code_ != CL_SUCCESS) {                                         \
      fprintf(stderr, "%s:%d: error %d\n", __FILE__, __LINE__, code_); \
      exit(1);                                                         \
    }                                                                  \
  } while (0)

enum { mib = 1 << 20, chunk_size = 64 * mib, part = 4096, most_parts = 4096 };

static const char* const source =
    "kernel void spin(global int* p, int n) {\n"
    "  int v = p[0];\n"
    "  for (int i = 0; i < n; ++i) { v = v * 1664525 + 1013904223; }\n"
    "  p[0] = v;\n"
    "}\n";

static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static cl_kernel spin;
static int busy_loops = 1000000; /* until calibrated: what keeps the device busy for about 30 ms */

static double now(void) { /* microseconds */
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return 1e6 * (double)time.tv_sec + 1e-3 * (double)time.tv_nsec;
}

static cl_mem buffer(size_t size) {
  cl_int code;
  cl_mem made = clCreateBuffer(context, CL_MEM_READ_WRITE, size, NULL, &code);
  CHECK(code);
  return made;
}

static cl_mem part_of(cl_mem chunk, size_t origin, size_t size) {
  const cl_buffer_region region = {origin, size};
  cl_int code;
  cl_mem made = clCreateSubBuffer(chunk, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
  CHECK(code);
  return made;
}

static void fill(cl_mem memory, size_t size) {
  const unsigned char byte = 7;
  CHECK(clEnqueueFillBuffer(queue, memory, &byte, 1, 0, size, 0, NULL, NULL));
}

static void run(cl_mem memory, int loops) {
  const size_t one = 1;
  CHECK(clSetKernelArg(spin, 0, sizeof memory, &memory));
  CHECK(clSetKernelArg(spin, 1, sizeof loops, &loops));
  CHECK(clEnqueueNDRangeKernel(queue, spin, 1, NULL, &one, NULL, 0, NULL, NULL));
}

static void open_device(const char* wanted) {
  cl_platform_id platforms[16];
  cl_uint count = 0;
  cl_int code;
  cl_uint i;
  char name[128] = "";
  CHECK(clGetPlatformIDs(16, platforms, &count));
  for (i = 0; i < count && device == NULL; ++i) {
    CHECK(clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, NULL));
    if (strstr(name, wanted) != NULL &&
        clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS) {
      device = NULL;
    }
  }
  if (device == NULL) {
    fprintf(stderr, "no device of a platform with \"%s\" in its name\n", wanted);
    exit(1);
  }
  context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
  CHECK(code);
  queue = clCreateCommandQueue(context, device, 0, &code);
  CHECK(code);
  cl_program program = clCreateProgramWithSource(context, 1, (const char**)&source, NULL, &code);
  CHECK(code);
  CHECK(clBuildProgram(program, 1, &device, "", NULL, NULL));
  spin = clCreateKernel(program, "spin", &code);
  CHECK(code);
}

static void calibrate(void) {
  cl_mem memory = buffer(part);
  double begin;
  fill(memory, part);
  run(memory, 1);
  CHECK(clFinish(queue));
  begin = now();
  run(memory, busy_loops);
  CHECK(clFinish(queue));
  busy_loops = (int)(busy_loops * 30000.0 / (now() - begin + 1));
  CHECK(clReleaseMemObject(memory));
}

static cl_mem busy_on;  /* what the long kernel uses */
static double begin_us; /* when the call under test began */

static void begin_behind_a_kernel(cl_mem memory) {
  busy_on = memory;
  CHECK(clFinish(queue));
  run(busy_on, busy_loops);
  CHECK(clFlush(queue));
  begin_us = now();
}

static void end(const char* what) {
  const double call = now() - begin_us;
  double rest;
  CHECK(clFinish(queue));
  rest = now() - begin_us - call;
  printf("  %-62s %8.1f us, the kernel ran on for %8.1f us: %s\n", what, call, rest,
         call > rest ? "WAITS" : "does not wait");
}

static void who_waits(void) {
  cl_mem other = buffer(part);
  cl_mem memory;
  int touched;
  fill(other, part);
  printf("behind a kernel of about 30 ms:\n");

  begin_behind_a_kernel(other);
  memory = buffer(mib);
  fill(memory, mib);
  end("make a buffer, and enqueue its first use");

  begin_behind_a_kernel(other);
  CHECK(clReleaseMemObject(memory));
  end("release a buffer that was used, and is idle");

  memory = buffer(mib);
  begin_behind_a_kernel(other);
  CHECK(clReleaseMemObject(memory));
  end("release a buffer that was never used");

  for (touched = 1; touched >= 0; --touched) {
    cl_mem chunk = buffer(chunk_size);
    cl_mem first = part_of(chunk, 0, part);
    cl_mem second;
    if (touched) {
      fill(chunk, 1);
    }
    fill(first, part);
    begin_behind_a_kernel(first);
    second = part_of(chunk, mib, part);
    fill(second, part);
    end(touched ? "make and use a part, a sibling runs; the chunk was used"
                : "the same, where the chunk itself never was");
    begin_behind_a_kernel(first);
    CHECK(clReleaseMemObject(second));
    end("release that part");
    CHECK(clReleaseMemObject(first));
    CHECK(clReleaseMemObject(chunk));
  }

  {
    cl_device_svm_capabilities svm = 0;
    if (clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, sizeof svm, &svm, NULL) == CL_SUCCESS &&
        svm != 0) {
      void* pointer;
      begin_behind_a_kernel(other);
      pointer = clSVMAlloc(context, CL_MEM_READ_WRITE, mib, 0);
      end("clSVMAlloc");
      begin_behind_a_kernel(other);
      clSVMFree(context, pointer);
      end("clSVMFree");
    }
  }
  CHECK(clReleaseMemObject(other));
}

static void cost_of_siblings(void) {
  static cl_mem parts[most_parts];
  cl_mem chunk = buffer(chunk_size);
  int count = 0;
  int alive;
  fill(chunk, chunk_size);
  printf(
      "parts of one buffer that are alive, and what one more costs to make and to release after its use:\n");
  for (alive = 1; alive <= most_parts; alive *= 8) {
    double make = 0;
    double release = 0;
    int i;
    for (; count < alive; ++count) {
      parts[count] = part_of(chunk, (size_t)count * 2 * part, part);
      fill(parts[count], part);
    }
    CHECK(clFinish(queue));
    for (i = 0; i < 200; ++i) {
      const double begin = now();
      cl_mem one = part_of(chunk, chunk_size - part, part);
      make += now() - begin;
      fill(one, part);
      CHECK(clFinish(queue));
      begin_us = now();
      CHECK(clReleaseMemObject(one));
      release += now() - begin_us;
    }
    printf("  %5d alive: make %7.2f us, release %7.2f us\n", alive, make / 200, release / 200);
  }
  while (count > 0) {
    CHECK(clReleaseMemObject(parts[--count]));
  }
  CHECK(clReleaseMemObject(chunk));
}

/* Random parts of a chunk are made, used and released for 3000 rounds; overlapping ones may live, or never do. */
static void churn(int overlapping) {
  static struct {
    size_t origin, size;
    cl_mem memory;
  } alive[300];
  cl_mem chunk = buffer(8 * mib);
  int count = 0;
  int round;
  fill(chunk, 1);
  srand(3);
  for (round = 0; round < 3000; ++round) {
    const size_t origin = (size_t)(rand() % 1900) * part;
    const size_t size = (size_t)part * (size_t)(1 + rand() % 16);
    int i;
    for (i = 0; i < count && !overlapping;) {
      if (alive[i].origin < origin + size && origin < alive[i].origin + alive[i].size) {
        CHECK(clReleaseMemObject(alive[i].memory));
        alive[i] = alive[--count];
      } else {
        ++i;
      }
    }
    if (count == 300) {
      i = rand() % count;
      CHECK(clReleaseMemObject(alive[i].memory));
      alive[i] = alive[--count];
    }
    alive[count].origin = origin;
    alive[count].size = size;
    alive[count].memory = part_of(chunk, origin, size);
    fill(alive[count++].memory, size);
  }
  CHECK(clFinish(queue));
}

static void survives(const char* platform) {
  int overlapping;
  for (overlapping = 0; overlapping < 2; ++overlapping) {
    int status = 0;
    pid_t child;
    fflush(stdout);
    child = fork(); /* before this process has used a driver */
    if (child == 0) {
      open_device(platform);
      churn(overlapping);
      _exit(0);
    }
    waitpid(child, &status, 0);
    printf("3000 rounds of random parts, overlapping ones %-16s %s\n",
           overlapping ? "kept alive:" : "released first:",
           WIFSIGNALED(status)        ? "CRASH"
           : WEXITSTATUS(status) == 0 ? "survives"
                                      : "error");
  }
}

int main(int argc, char** argv) {
  const char* platform = argc > 1 ? argv[1] : "";
  char text[256] = "";
  survives(platform);
  open_device(platform);
  CHECK(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof text, text, NULL));
  printf("%s, ", text);
  CHECK(clGetDeviceInfo(device, CL_DRIVER_VERSION, sizeof text, text, NULL));
  printf("driver %s\n", text);
  calibrate();
  who_waits();
  cost_of_siblings();
  return 0;
}
