// What a driver bears from several threads at once, without libclpool: each mode does for some seconds, in
// many threads, one thing that OpenCL's specification calls thread-safe (OpenCL 3.0, appendix A.2). A crash
// names the mode.
//
//   c++ -std=c++20 -O1 -g -pthread driver_threads.cpp -lOpenCL -o driver_threads && ./driver_threads [MODE…]
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t part_bytes = 4096;
constexpr std::size_t parts = 64;

cl_context context;
cl_command_queue queue;
std::atomic<bool> stop{false};
std::atomic<unsigned long> done{0};

void require(cl_int code, const char* what) {
  if (code != CL_SUCCESS) {
    std::fprintf(stderr, "%s: %d\n", what, code);
    std::abort();
  }
}
cl_mem buffer(std::size_t bytes, cl_mem_flags flags = CL_MEM_READ_WRITE) {
  cl_int code = CL_SUCCESS;
  cl_mem made = clCreateBuffer(context, flags, bytes, nullptr, &code);
  require(code, "clCreateBuffer");
  return made;
}
cl_mem part(cl_mem parent, std::size_t index) {
  const cl_buffer_region region{index * part_bytes, part_bytes};
  cl_int code = CL_SUCCESS;
  cl_mem made = clCreateSubBuffer(parent, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
  require(code, "clCreateSubBuffer");
  return made;
}
void fill(cl_mem memory) {
  const int zero = 0;
  require(clEnqueueFillBuffer(queue, memory, &zero, sizeof zero, 0, part_bytes, 0, nullptr, nullptr), "fill");
}
void touched(cl_mem parent) {
  require(clEnqueueMigrateMemObjects(queue, 1, &parent, CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, 0, nullptr,
                                     nullptr),
          "clEnqueueMigrateMemObjects");
}

/// Released when the thread's own thread-local objects go, like memory that a thread forgot.
struct Leftover {
  cl_mem memory = nullptr;
  ~Leftover() {
    if (memory != nullptr) {
      clReleaseMemObject(memory);
    }
  }
};
thread_local Leftover leftover;

void on_threads(unsigned count, const std::function<void(unsigned)>& body) {
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < count; ++i) {
    threads.emplace_back(body, i);
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}
void until_stopped(unsigned threads, const std::function<void(unsigned)>& step) {
  on_threads(threads, [&](unsigned thread) {
    while (!stop) {
      step(thread);
      ++done;
    }
  });
}

void parts_of_one_parent(bool use) {
  cl_mem parent = buffer(parts * part_bytes);
  touched(parent);
  until_stopped(8, [&](unsigned thread) {
    cl_mem mine = part(parent, thread * 8 + done % 8);
    if (use) {
      fill(mine);
    }
    require(clReleaseMemObject(mine), "release");
  });
  require(clFinish(queue), "clFinish");
  require(clReleaseMemObject(parent), "release");
}

struct Mode {
  const char* name;
  std::function<void()> run;
};
const Mode modes[] = {
    {"parts", [] { parts_of_one_parent(false); }},
    {"used_parts", [] { parts_of_one_parent(true); }},
    {"parts_of_own_parents",
     [] {
       until_stopped(8, [](unsigned) {
         cl_mem parent = buffer(parts * part_bytes);
         cl_mem mine = part(parent, 3);
         fill(mine);
         require(clReleaseMemObject(mine), "release");
         require(clReleaseMemObject(parent), "release");
       });
     }},
    {"buffers",
     [] {
       until_stopped(8, [](unsigned thread) {
         cl_mem memory = buffer(part_bytes << thread);
         touched(memory);
         require(clReleaseMemObject(memory), "release");
       });
     }},
    {"markers",
     [] {
       until_stopped(8, [](unsigned) {
         cl_event marker = nullptr;
         require(clEnqueueMarkerWithWaitList(queue, 0, nullptr, &marker), "marker");
         require(clFlush(queue), "flush");
         cl_int state = 0;
         require(clGetEventInfo(marker, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, nullptr),
                 "info");
         require(clReleaseEvent(marker), "release");
       });
     }},
    {"maps",
     [] {
       until_stopped(8, [](unsigned) {
         cl_mem memory = buffer(part_bytes, CL_MEM_ALLOC_HOST_PTR);
         cl_int code = CL_SUCCESS;
         void* place = clEnqueueMapBuffer(queue, memory, CL_TRUE, CL_MAP_WRITE, 0, part_bytes, 0, nullptr,
                                          nullptr, &code);
         require(code, "map");
         std::memset(place, 1, part_bytes);
         require(clEnqueueUnmapMemObject(queue, memory, place, 0, nullptr, nullptr), "unmap");
         require(clReleaseMemObject(memory), "release");
       });
     }},
    {"threads_that_end",
     [] {
       until_stopped(8, [](unsigned) {
         std::thread([] {
           cl_mem memory = buffer(part_bytes);
           touched(memory);
           require(clReleaseMemObject(memory), "release");
         }).join();
       });
     }},
    {"five_hundred_threads",
     [] {
       while (!stop) {
         on_threads(500, [](unsigned) {
           cl_mem memory = buffer(part_bytes);
           touched(memory);
           require(clReleaseMemObject(memory), "release");
           ++done;
         });
       }
     }},
    {"releases_at_thread_ends",
     [] {
       until_stopped(8, [](unsigned) {
         std::thread([] {
           leftover.memory =
               nullptr;  // made before the driver's own thread-local objects, so it goes after them
           leftover.memory = buffer(part_bytes);
           touched(leftover.memory);
         }).join();
       });
     }},
    {"contexts",
     [] {
       cl_device_id device = nullptr;
       require(clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof device, &device, nullptr), "info");
       until_stopped(4, [&](unsigned) {
         cl_int code = CL_SUCCESS;
         cl_context own = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &code);
         require(code, "clCreateContext");
         cl_command_queue commands = clCreateCommandQueue(own, device, 0, &code);
         require(code, "clCreateCommandQueue");
         require(clFinish(commands), "clFinish");
         require(clReleaseCommandQueue(commands), "release");
         require(clReleaseContext(own), "release");
       });
     }},
};

}  // namespace

int main(int count, char** names) {
  cl_platform_id platforms[16];
  cl_uint found = 0;
  require(clGetPlatformIDs(16, platforms, &found), "clGetPlatformIDs");
  const char* wanted = std::getenv("CLPOOL_TEST");
  for (cl_uint i = 0; i < found && context == nullptr; ++i) {
    char name[256] = "";
    clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, nullptr);
    cl_device_id device = nullptr;
    if ((wanted != nullptr && std::strstr(name, wanted) == nullptr) ||
        clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, nullptr) != CL_SUCCESS) {
      continue;
    }
    cl_int code = CL_SUCCESS;
    context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &code);
    require(code, "clCreateContext");
    queue = clCreateCommandQueue(context, device, 0, &code);
    require(code, "clCreateCommandQueue");
    std::printf("%s\n", name);
  }
  if (context == nullptr) {
    std::fprintf(stderr, "no device of platform '%s'\n", wanted == nullptr ? "" : wanted);
    return 77;
  }
  for (const Mode& mode : modes) {
    bool chosen = count == 1;
    for (int i = 1; i < count; ++i) {
      chosen = chosen || std::string(names[i]) == mode.name;
    }
    if (!chosen) {
      continue;
    }
    std::printf("%s ... ", mode.name);
    std::fflush(stdout);
    stop = false;
    done = 0;
    std::thread clock([] {
      std::this_thread::sleep_for(std::chrono::seconds(4));
      stop = true;
    });
    mode.run();
    clock.join();
    require(clFinish(queue), "clFinish");
    std::printf("%lu times\n", done.load());
  }
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
}
