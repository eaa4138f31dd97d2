// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What a driver bears from several threads at once, without libclpool: each mode does for some seconds, in
// many threads, one thing that OpenCL's specification calls thread-safe (OpenCL 3.0, appendix A.2). A crash
// names the mode.
//
//   c++ -std=c++20 -O1 -g -pthread driver_threads.cpp -lOpenCL -o driver_threads
//   ./driver_threads [--own-queues] [--in-turn] [--most TIMES] [MODE…]
#define CL_TARGET_OPENCL_VERSION 200
#include <CL/cl.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t part_bytes = 4096;
constexpr std::size_t parts = 64;

cl_context context;
cl_device_id device;
cl_command_queue shared_queue;
std::atomic<bool> stop{false};
std::atomic<unsigned long> done{0};

bool own_queues = false;  ///< a queue for each thread, else one for all
bool in_turn = false;     ///< only one thread at a time enqueues
unsigned long most = 0;   ///< so many times at most; 0: as often as it can be done in four seconds
std::recursive_mutex turn;

void require(cl_int code, const char* what) {
  if (code != CL_SUCCESS) {
    std::fprintf(stderr, "%s: %d\n", what, code);
    std::abort();
  }
}
/// A thread's own queue, while --own-queues.
struct OwnQueue {
  cl_command_queue queue = nullptr;
  ~OwnQueue() {
    if (queue != nullptr) {
      clFinish(queue);
      clReleaseCommandQueue(queue);
    }
  }
};
cl_command_queue queue() {
  static thread_local OwnQueue mine;
  if (!own_queues) {
    return shared_queue;
  }
  if (mine.queue == nullptr) {
    cl_int code = CL_SUCCESS;
    mine.queue = clCreateCommandQueue(context, device, 0, &code);
    require(code, "clCreateCommandQueue");
  }
  return mine.queue;
}
/// One thread at a time, while --in-turn.
struct Turn {
  Turn() {
    if (in_turn) {
      turn.lock();
    }
  }
  ~Turn() {
    if (in_turn) {
      turn.unlock();
    }
  }
};
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
  const Turn mine;
  require(clEnqueueFillBuffer(queue(), memory, &zero, sizeof zero, 0, part_bytes, 0, nullptr, nullptr),
          "fill");
}
void touched(cl_mem parent) {
  const Turn mine;
  require(clEnqueueMigrateMemObjects(queue(), 1, &parent, CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, 0, nullptr,
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
      if (++done >= most && most != 0) {
        stop = true;
      }
    }
  });
}

void written(cl_mem memory, cl_bool blocking) {
  static const int zero = 0;  // outlives the write
  const Turn mine;
  require(clEnqueueWriteBuffer(queue(), memory, blocking, 0, sizeof zero, &zero, 0, nullptr, nullptr),
          "write");
}

/// Parts of one buffer, eight to a thread, of which a thread has one at a time.
void parts_of_one_parent(unsigned threads, const std::function<void(cl_mem)>& use) {
  cl_mem parent = buffer(parts * part_bytes);
  touched(parent);
  until_stopped(threads, [&](unsigned thread) {
    cl_mem mine = part(parent, thread * 8 + done % 8);
    use(mine);
    require(clReleaseMemObject(mine), "release");
  });
  std::printf("%lu times, ", done.load());
  std::fflush(stdout);
  require(clFinish(queue()), "clFinish");
  require(clReleaseMemObject(parent), "release");
}
/// Buffers of their own, of which a thread has one at a time.
void buffers(unsigned threads, const std::function<void(cl_mem)>& use) {
  until_stopped(threads, [&](unsigned thread) {
    cl_mem memory = buffer(part_bytes << thread);
    use(memory);
    require(clReleaseMemObject(memory), "release");
  });
}
/// Parts of one buffer that are made, used in some way and released by one thread at a time, and filled at
/// any time.
void parts_in_turn(const std::function<void(cl_mem)>& use) {
  cl_mem parent = buffer(parts * part_bytes);
  touched(parent);
  until_stopped(8, [&](unsigned thread) {
    cl_mem mine = nullptr;
    {
      const std::lock_guard first(turn);
      mine = part(parent, thread);
      use(mine);
    }
    fill(mine);
    fill(mine);
    const std::lock_guard last(turn);
    require(clReleaseMemObject(mine), "release");
  });
  require(clFinish(shared_queue), "clFinish");
  require(clReleaseMemObject(parent), "release");
}
/// One thread makes buffers and uses them, the others fill their own.
void beside_fills(const std::function<void(cl_mem)>& use) {
  cl_mem kept[8];
  for (cl_mem& memory : kept) {
    memory = buffer(part_bytes);
  }
  until_stopped(8, [&](unsigned thread) {
    if (thread != 0) {
      fill(kept[thread]);
      return;
    }
    cl_mem memory = buffer(part_bytes);
    use(memory);
    require(clReleaseMemObject(memory), "release");
  });
  for (cl_mem memory : kept) {
    require(clReleaseMemObject(memory), "release");
  }
}

/// New memory that the host may write, mapped, unmapped and released, as page-locked memory is.
void new_memory_mapped() {
  cl_mem memory = buffer(part_bytes, CL_MEM_ALLOC_HOST_PTR);
  cl_int code = CL_SUCCESS;
  void* place =
      clEnqueueMapBuffer(queue(), memory, CL_TRUE, CL_MAP_WRITE, 0, part_bytes, 0, nullptr, nullptr, &code);
  require(code, "map");
  std::memset(place, 1, part_bytes);
  require(clEnqueueUnmapMemObject(queue(), memory, place, 0, nullptr, nullptr), "unmap");
  require(clReleaseMemObject(memory), "release");
}

/// Eight queues of the context, while it lives.
struct Queues {
  cl_command_queue all[8];
  Queues() {
    for (cl_command_queue& one : all) {
      cl_int code = CL_SUCCESS;
      one = clCreateCommandQueue(context, device, 0, &code);
      require(code, "clCreateCommandQueue");
    }
  }
  Queues(const Queues&) = delete;
  Queues& operator=(const Queues&) = delete;
  ~Queues() {
    for (cl_command_queue one : all) {
      clFinish(one);
      clReleaseCommandQueue(one);
    }
  }
};

/// A marker on `one`, submitted and asked for.
cl_event marker_on(cl_command_queue one) {
  cl_event marker = nullptr;
  {
    const Turn mine;
    require(clEnqueueMarkerWithWaitList(one, 0, nullptr, &marker), "marker");
    require(clFlush(one), "flush");
  }
  cl_int state = 0;
  require(clGetEventInfo(marker, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, nullptr), "info");
  return marker;
}

/// A copy of one byte of `memory`, on a queue that has no other commands; in turn.
class Touch {
 public:
  Touch() : scratch_(buffer(1)) {
    cl_int code = CL_SUCCESS;
    queue_ = clCreateCommandQueue(context, device, 0, &code);
    require(code, "clCreateCommandQueue");
  }
  Touch(const Touch&) = delete;
  Touch& operator=(const Touch&) = delete;
  ~Touch() {
    clFinish(queue_);
    clReleaseMemObject(scratch_);
    clReleaseCommandQueue(queue_);
  }
  void operator()(cl_mem memory) const {
    require(clEnqueueCopyBuffer(queue_, memory, scratch_, 0, 0, 1, 0, nullptr, nullptr), "copy");
    require(clFlush(queue_), "flush");
  }

 private:
  cl_command_queue queue_;
  cl_mem scratch_;
};

using Other = std::function<void(unsigned)>;

/// Half of the threads make, use once and release parts of one buffer, one at a time; the others do something else.
void parts_beside(const std::function<void(cl_mem)>& use, const Other& other) {
  cl_mem parent = buffer(parts * part_bytes);
  touched(parent);
  until_stopped(8, [&](unsigned thread) {
    if (thread % 2 != 0) {
      return other(thread);
    }
    const std::lock_guard mine(turn);
    cl_mem one = part(parent, thread);
    use(one);
    require(clReleaseMemObject(one), "release");
  });
  require(clFinish(shared_queue), "clFinish");
  require(clReleaseMemObject(parent), "release");
}
/// Used on the queue of the thread.
void parts_in_turn_beside(const Other& other) {
  cl_mem scratch = buffer(1);
  parts_beside(
      [scratch](cl_mem one) {
        require(clEnqueueCopyBuffer(queue(), one, scratch, 0, 0, 1, 0, nullptr, nullptr), "copy");
      },
      other);
  require(clReleaseMemObject(scratch), "release");
}
void parts_used_elsewhere_beside(const Other& other) {
  const Touch touch;
  parts_beside([&touch](cl_mem one) { touch(one); }, other);
}

/// The other threads use new buffers, which they keep, so that only their first use is in question.
void beside_new_buffers(const std::function<void(const Other&)>& run) {
  std::vector<cl_mem> made[8];  // each thread's own
  run([&](unsigned thread) {
    if (made[thread].size() < 20000) {
      made[thread].push_back(buffer(part_bytes));
      fill(made[thread].back());
    }
  });
  for (const std::vector<cl_mem>& buffers : made) {
    for (cl_mem memory : buffers) {
      require(clReleaseMemObject(memory), "release");
    }
  }
}
/// … fill a buffer of their own.
void beside_kept_buffers(const std::function<void(const Other&)>& run) {
  cl_mem kept[8];
  for (cl_mem& memory : kept) {
    memory = buffer(part_bytes);
  }
  run([&](unsigned thread) { fill(kept[thread]); });
  for (cl_mem memory : kept) {
    require(clReleaseMemObject(memory), "release");
  }
}

/// Several buffers that were used once, elsewhere, and have parts.
struct Parents {
  cl_mem all[4];
  explicit Parents(const Touch& touch) {
    for (cl_mem& one : all) {
      one = buffer(parts * part_bytes);
      touch(one);
    }
  }
  Parents(const Parents&) = delete;
  Parents& operator=(const Parents&) = delete;
  ~Parents() {
    for (cl_mem one : all) {
      clReleaseMemObject(one);
    }
  }
};

void fill_on(cl_command_queue one, cl_mem memory) {
  const int zero = 0;
  require(clEnqueueFillBuffer(one, memory, &zero, sizeof zero, 0, part_bytes, 0, nullptr, nullptr), "fill");
}

enum class First { elsewhere, there };
enum class Markers { none, at_will, in_turn };

/// Four threads with a queue each make, use and release parts in turn, the first use on a queue that nobody has or on their own,
/// and fill them at will; four others enqueue markers on these queues.
void parts_filled_beside(First first_use, Markers markers) {
  const Queues queues;
  const Touch touch;
  cl_mem scratch = buffer(1);
  {
    const Parents parents(touch);
    until_stopped(markers == Markers::none ? 4 : 8, [&](unsigned thread) {
      if (thread >= 4) {
        std::unique_lock mine(turn, std::defer_lock);
        if (markers == Markers::in_turn) {
          mine.lock();
        }
        return require(clReleaseEvent(marker_on(queues.all[(thread + done) % 4])), "release");
      }
      const unsigned long now = done;
      cl_mem mine[4] = {};
      for (std::size_t i = 0; i < 4; ++i) {
        const std::lock_guard first(turn);
        mine[i] = part(parents.all[(thread + now + i) % 4], thread * 16 + now % 4 * 4 + i);
        if (first_use == First::there) {
          require(clEnqueueCopyBuffer(queues.all[thread], mine[i], scratch, 0, 0, 1, 0, nullptr, nullptr),
                  "copy");
          require(clFlush(queues.all[thread]), "flush");
        } else {
          touch(mine[i]);
        }
      }
      for (cl_mem one : mine) {
        fill_on(queues.all[thread], one);
      }
      for (cl_mem one : mine) {
        const std::lock_guard last(turn);
        require(clReleaseMemObject(one), "release");
      }
    });
  }
  require(clReleaseMemObject(scratch), "release");
}

/// Eight threads with a queue each make and first use parts in turn, fill them at will, wait for that, and release them in turn.
void idle_parts_released() {
  const Queues queues;
  const Touch touch;
  const Parents parents(touch);
  until_stopped(8, [&](unsigned thread) {
    cl_mem mine[8] = {};
    for (std::size_t i = 0; i < 8; ++i) {
      const std::lock_guard first(turn);
      mine[i] = part(parents.all[i % 4], thread * 8 + i);
      touch(mine[i]);
    }
    for (cl_mem one : mine) {
      fill_on(queues.all[thread], one);
    }
    require(clFinish(queues.all[thread]), "finish");
    for (cl_mem one : mine) {
      const std::lock_guard last(turn);
      require(clReleaseMemObject(one), "release");
    }
  });
}

struct Mode {
  const char* name;
  std::function<void()> run;
};
const Mode modes[] = {
    {"parts", [] { parts_of_one_parent(8, [](cl_mem) {}); }},
    {"parts_filled_by_one_thread", [] { parts_of_one_parent(1, fill); }},
    {"parts_filled", [] { parts_of_one_parent(8, fill); }},
    {"parts_written", [] { parts_of_one_parent(8, [](cl_mem mine) { written(mine, CL_FALSE); }); }},
    {"parts_filled_and_finished",
     [] {
       parts_of_one_parent(8, [](cl_mem mine) {
         fill(mine);
         require(clFinish(queue()), "clFinish");
       });
     }},
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
    {"buffers", [] { buffers(8, [](cl_mem) {}); }},
    {"buffers_filled", [] { buffers(8, fill); }},
    {"buffers_written", [] { buffers(8, [](cl_mem memory) { written(memory, CL_FALSE); }); }},
    {"buffers_written_blocking", [] { buffers(8, [](cl_mem memory) { written(memory, CL_TRUE); }); }},
    {"buffers_migrated_by_one_thread", [] { buffers(1, touched); }},
    {"buffers_migrated", [] { buffers(8, touched); }},
    {"buffers_migrated_and_finished",
     [] {
       buffers(8, [](cl_mem memory) {
         touched(memory);
         require(clFinish(queue()), "clFinish");
       });
     }},
    {"kept_buffers_migrated",
     [] {
       cl_mem kept[8];
       for (cl_mem& memory : kept) {
         memory = buffer(part_bytes);
       }
       until_stopped(8, [&](unsigned thread) { touched(kept[thread]); });
       for (cl_mem memory : kept) {
         require(clReleaseMemObject(memory), "release");
       }
     }},
    {"kept_buffers_filled", [] { beside_kept_buffers([](const Other& fills) { until_stopped(8, fills); }); }},
    {"kept_parts_filled",
     [] {
       cl_mem parent = buffer(parts * part_bytes);
       touched(parent);
       cl_mem kept[8];
       for (unsigned i = 0; i < 8; ++i) {
         kept[i] = part(parent, i);
       }
       until_stopped(8, [&](unsigned thread) { fill(kept[thread]); });
       for (cl_mem memory : kept) {
         require(clReleaseMemObject(memory), "release");
       }
       require(clFinish(shared_queue), "clFinish");
       require(clReleaseMemObject(parent), "release");
     }},
    {"parts_first_used_in_turn",
     [] {
       parts_of_one_parent(8, [](cl_mem mine) {
         {
           const std::lock_guard first(turn);
           fill(mine);
         }
         fill(mine);
         fill(mine);
       });
     }},
    {"parts_made_and_released_in_turn", [] { parts_in_turn([](cl_mem) {}); }},
    {"parts_made_filled_and_released_in_turn", [] { parts_in_turn(fill); }},
    {"parts_made_copied_and_released_in_turn",
     [] {
       cl_mem scratch = buffer(1);
       parts_in_turn([scratch](cl_mem mine) {
         require(clEnqueueCopyBuffer(shared_queue, mine, scratch, 0, 0, 1, 0, nullptr, nullptr), "copy");
       });
       require(clReleaseMemObject(scratch), "release");
     }},
    {"parts_in_turn_beside_new_buffers", [] { beside_new_buffers(parts_in_turn_beside); }},
    {"parts_used_elsewhere_in_turn",
     [] {
       const Touch touch;
       parts_in_turn([&](cl_mem mine) { touch(mine); });
     }},
    {"parts_used_elsewhere_then_filled_beside_markers",
     [] { parts_filled_beside(First::elsewhere, Markers::at_will); }},
    {"parts_used_elsewhere_then_filled_beside_markers_in_turn",
     [] { parts_filled_beside(First::elsewhere, Markers::in_turn); }},
    {"idle_parts_released", idle_parts_released},
    {"parts_used_elsewhere_then_filled", [] { parts_filled_beside(First::elsewhere, Markers::none); }},
    {"parts_used_there_then_filled_beside_markers_in_turn",
     [] { parts_filled_beside(First::there, Markers::in_turn); }},
    {"parts_used_there_then_filled_beside_markers",
     [] { parts_filled_beside(First::there, Markers::at_will); }},
    {"parts_used_elsewhere_beside_markers",
     [] {
       parts_used_elsewhere_beside([](unsigned) { require(clReleaseEvent(marker_on(queue())), "release"); });
     }},
    {"parts_used_elsewhere_beside_fills", [] { beside_kept_buffers(parts_used_elsewhere_beside); }},
    {"parts_used_elsewhere_beside_new_buffers", [] { beside_new_buffers(parts_used_elsewhere_beside); }},
    {"buffers_used_elsewhere_in_turn",
     [] {
       const Touch touch;
       until_stopped(8, [&](unsigned thread) {
         cl_mem mine = nullptr;
         {
           const std::lock_guard first(turn);
           mine = buffer(part_bytes << thread);
           touch(mine);
         }
         fill(mine);
         fill(mine);
         const std::lock_guard last(turn);
         require(clReleaseMemObject(mine), "release");
       });
     }},
    {"views_of_svm",
     [] {
       auto* svm = static_cast<unsigned char*>(clSVMAlloc(context, CL_MEM_READ_WRITE, parts * part_bytes, 0));
       require(svm == nullptr ? CL_OUT_OF_RESOURCES : CL_SUCCESS, "clSVMAlloc");
       until_stopped(8, [&](unsigned thread) {
         cl_int code = CL_SUCCESS;
         cl_mem mine = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, part_bytes,
                                      svm + thread * part_bytes, &code);
         require(code, "clCreateBuffer");
         fill(mine);
         require(clReleaseMemObject(mine), "release");
       });
       require(clFinish(shared_queue), "clFinish");
       clSVMFree(context, svm);
     }},
    {"first_migrations_beside_fills", [] { beside_fills(touched); }},
    {"first_fills_beside_fills", [] { beside_fills(fill); }},
    {"markers_beside_fills",
     [] {
       cl_mem kept = buffer(part_bytes);
       until_stopped(2, [&](unsigned thread) {
         if (thread == 0) {
           fill(kept);
           return;
         }
         cl_event marker = nullptr;
         require(clEnqueueMarkerWithWaitList(queue(), 0, nullptr, &marker), "marker");
         require(clReleaseEvent(marker), "release");
       });
       require(clReleaseMemObject(kept), "release");
     }},
    {"markers",
     [] {
       until_stopped(8, [](unsigned) {
         cl_event marker = nullptr;
         require(clEnqueueMarkerWithWaitList(queue(), 0, nullptr, &marker), "marker");
         require(clFlush(queue()), "flush");
         cl_int state = 0;
         require(clGetEventInfo(marker, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, nullptr),
                 "info");
         require(clReleaseEvent(marker), "release");
       });
     }},
    {"markers_on_all_queues",
     [] {
       const Queues queues;
       until_stopped(8, [&](unsigned thread) {
         require(clReleaseEvent(marker_on(queues.all[(thread + done) % 8])), "release");
       });
     }},
    {"markers_that_another_thread_releases",
     [] {
       const Queues queues;
       std::atomic<cl_event> last{nullptr};
       until_stopped(8, [&](unsigned thread) {
         cl_event before = last.exchange(marker_on(queues.all[(thread + done) % 8]));
         if (before != nullptr) {
           cl_int state = 0;
           require(clGetEventInfo(before, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, nullptr),
                   "info");
           require(clReleaseEvent(before), "release");
         }
       });
       require(clReleaseEvent(last), "release");
     }},
    {"parts_in_turn_beside_markers",
     [] { parts_in_turn_beside([](unsigned) { require(clReleaseEvent(marker_on(queue())), "release"); }); }},
    {"parts_in_turn_beside_markers_on_all_queues",
     [] {
       const Queues queues;
       parts_in_turn_beside([&](unsigned thread) {
         require(clReleaseEvent(marker_on(queues.all[(thread + done) % 8])), "release");
       });
     }},
    {"maps", [] { until_stopped(8, [](unsigned) { new_memory_mapped(); }); }},
    {"parts_in_turn_beside_maps", [] { parts_in_turn_beside([](unsigned) { new_memory_mapped(); }); }},
    {"threads_that_end",
     [] {
       until_stopped(8, [](unsigned) {
         std::thread([] {
           cl_mem memory = buffer(part_bytes);
           fill(memory);
           require(clReleaseMemObject(memory), "release");
         }).join();
       });
     }},
    {"five_hundred_threads",
     [] {
       while (!stop) {
         on_threads(500, [](unsigned) {
           cl_mem memory = buffer(part_bytes);
           fill(memory);
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
           fill(leftover.memory);
         }).join();
       });
     }},
    {"contexts",
     [] {
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

int main(int count, char** words) {
  std::vector<std::string> names;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word == "--own-queues") {
      own_queues = true;
    } else if (word == "--in-turn") {
      in_turn = true;
    } else if (word == "--most" && i + 1 < count) {
      most = std::strtoul(words[++i], nullptr, 10);
    } else {
      names.push_back(word);
    }
  }
  cl_platform_id platforms[16];
  cl_uint found = 0;
  require(clGetPlatformIDs(16, platforms, &found), "clGetPlatformIDs");
  const char* wanted = std::getenv("CLPOOL_TEST");
  for (cl_uint i = 0; i < found && context == nullptr; ++i) {
    char name[256] = "";
    clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, nullptr);
    if ((wanted != nullptr && std::strstr(name, wanted) == nullptr) ||
        clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, nullptr) != CL_SUCCESS) {
      continue;
    }
    cl_int code = CL_SUCCESS;
    context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &code);
    require(code, "clCreateContext");
    shared_queue = clCreateCommandQueue(context, device, 0, &code);
    require(code, "clCreateCommandQueue");
    std::printf("%s\n", name);
  }
  if (context == nullptr) {
    std::fprintf(stderr, "no device of platform '%s'\n", wanted == nullptr ? "" : wanted);
    return 77;
  }
  for (const Mode& mode : modes) {
    if (!names.empty() && std::find(names.begin(), names.end(), mode.name) == names.end()) {
      continue;
    }
    std::printf("%s ... ", mode.name);
    std::fflush(stdout);
    stop = false;
    done = 0;
    std::thread clock([] {
      for (int tenths = 0; tenths < 40 && !stop; ++tenths) {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
      }
      stop = true;
    });
    mode.run();
    clock.join();
    std::printf("%lu times, ", done.load());
    std::fflush(stdout);
    require(clFinish(shared_queue), "clFinish");
    std::printf("finished\n");
    std::fflush(stdout);
  }
  require(clReleaseCommandQueue(shared_queue), "clReleaseCommandQueue");
  require(clReleaseContext(context), "clReleaseContext");
  std::printf("all is released\n");
}
