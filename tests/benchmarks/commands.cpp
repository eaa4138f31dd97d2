// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// clpool_commands [buffer|svm]: the recorded logs with a command on every block (a fill of at most 256 bytes, on one
// in-order queue). Prints the host's time for a request and its release beyond that of the commands alone, what was
// within the library's two calls (the rest is what commands cost more or less than those alone, by what is in the
// processor's caches and by chance), how much of that the driver's calls for parts take, the parts made, and the
// longest that a request, its command and a release took: one that waits for another block's command shows there.
// Calls that make, touch and release chunks, or ask whether they may go, are counted apart. Each log runs three times
// through one pool: first where chunks are made, then where they are there already, of which the faster is printed.
// The commands alone are the same walk through the log, with the same looks at the clock, where each block is one of
// a few that are kept.
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unordered_set>
#include <vector>

#include "logs.hpp"
#include "pools.hpp"

namespace {

using Clock = std::chrono::steady_clock;

double nanoseconds(Clock::duration duration) {
  return std::chrono::duration<double, std::nano>(duration).count();
}

/// What the library's calls of the driver took, nanoseconds.
struct Calls {
  double of_chunks = 0;
  double of_parts = 0;
};
Calls calls;
std::unordered_set<cl_mem> chunks;

template <typename Function>
Function* driver(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

/// Adds what it took to live to a sum.
class Timed {
 public:
  explicit Timed(double& sum) : sum_(sum) {}
  ~Timed() { sum_ += nanoseconds(Clock::now() - begin_); }
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;

 private:
  double& sum_;
  const Clock::time_point begin_ = Clock::now();
};

}  // namespace

// In place of the loader's, and do as they do.
#pragma GCC visibility push(default)

extern "C" cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void* host,
                                 cl_int* code) {
  static auto* const make = driver<decltype(clCreateBuffer)>("clCreateBuffer");
  const Timed timed(calls.of_chunks);
  const cl_mem chunk = make(context, flags, size, host, code);
  chunks.insert(chunk);
  return chunk;
}

extern "C" cl_mem clCreateSubBuffer(cl_mem chunk, cl_mem_flags flags, cl_buffer_create_type type,
                                    const void* info, cl_int* code) {
  static auto* const make = driver<decltype(clCreateSubBuffer)>("clCreateSubBuffer");
  const Timed timed(calls.of_parts);
  return make(chunk, flags, type, info, code);
}

extern "C" cl_int clReleaseMemObject(cl_mem memory) {
  static auto* const release = driver<decltype(clReleaseMemObject)>("clReleaseMemObject");
  const Timed timed(chunks.erase(memory) != 0 ? calls.of_chunks : calls.of_parts);
  return release(memory);
}

// The library touches what it makes by a command on it.

extern "C" cl_int clEnqueueCopyBuffer(cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset,
                                      size_t to_offset, size_t size, cl_uint count, const cl_event* events,
                                      cl_event* event) {
  static auto* const enqueue = driver<decltype(clEnqueueCopyBuffer)>("clEnqueueCopyBuffer");
  const Timed timed(chunks.count(from) != 0 ? calls.of_chunks : calls.of_parts);
  return enqueue(queue, from, to, from_offset, to_offset, size, count, events, event);
}

// How far the queue is, which the library asks before it gives chunks back.

extern "C" cl_int clEnqueueMarkerWithWaitList(cl_command_queue queue, cl_uint count, const cl_event* events,
                                              cl_event* event) {
  static auto* const enqueue = driver<decltype(clEnqueueMarkerWithWaitList)>("clEnqueueMarkerWithWaitList");
  const Timed timed(calls.of_chunks);
  return enqueue(queue, count, events, event);
}

extern "C" cl_int clFlush(cl_command_queue queue) {
  static auto* const flush = driver<decltype(clFlush)>("clFlush");
  const Timed timed(calls.of_chunks);
  return flush(queue);
}

extern "C" cl_int clGetEventInfo(cl_event event, cl_event_info what, size_t size, void* value,
                                 size_t* written) {
  static auto* const get = driver<decltype(clGetEventInfo)>("clGetEventInfo");
  const Timed timed(calls.of_chunks);
  return get(event, what, size, value, written);
}

extern "C" cl_int clReleaseEvent(cl_event event) {
  static auto* const release = driver<decltype(clReleaseEvent)>("clReleaseEvent");
  const Timed timed(calls.of_chunks);
  return release(event);
}

extern "C" void* clSVMAlloc(cl_context context, cl_svm_mem_flags flags, size_t size, cl_uint alignment) {
  static auto* const make = driver<decltype(clSVMAlloc)>("clSVMAlloc");
  const Timed timed(calls.of_chunks);
  return make(context, flags, size, alignment);
}

extern "C" void clSVMFree(cl_context context, void* pointer) {
  static auto* const release = driver<decltype(clSVMFree)>("clSVMFree");
  const Timed timed(calls.of_chunks);
  release(context, pointer);
}

extern "C" cl_int clEnqueueSVMFree(cl_command_queue queue, cl_uint count, void** pointers,
                                   void(CL_CALLBACK* callback)(cl_command_queue, cl_uint, void**, void*),
                                   void* user, cl_uint waits, const cl_event* events, cl_event* event) {
  static auto* const release = driver<decltype(clEnqueueSVMFree)>("clEnqueueSVMFree");
  const Timed timed(calls.of_chunks);
  return release(queue, count, pointers, callback, user, waits, events, event);
}
#pragma GCC visibility pop

namespace {

using namespace clpool::benchmarks;

constexpr std::uint64_t largest_fill = 256;  // bytes

void fill(cl_mem memory, std::uint64_t size) {
  const unsigned char value = 1;
  require_driver(clEnqueueFillBuffer(device().queue, memory, &value, 1, 0, std::min(size, largest_fill), 0,
                                     nullptr, nullptr),
                 "clEnqueueFillBuffer");
}

void fill(void* pointer, std::uint64_t size) {
  const unsigned char value = 1;
  require_driver(clEnqueueSVMMemFill(device().queue, pointer, &value, 1, std::min(size, largest_fill), 0,
                                     nullptr, nullptr),
                 "clEnqueueSVMMemFill");
}

void fill(clpool_mem* block, std::uint64_t size) {
  if (cl_mem memory = clpool_mem_handle(block); memory != nullptr) {
    fill(memory, size);
  } else {
    fill(clpool_mem_pointer(block), size);
  }
}

std::uint64_t count_requests(const Log& log) {
  return static_cast<std::uint64_t>(std::count_if(log.events.begin(), log.events.end(),
                                                  [](const LogEvent& event) { return event.is_allocation; }));
}

struct Pass {
  double host = 0;     ///< ns for a request, its command and its release, without calls for chunks
  double within = 0;   ///< ns of it in the library's calls
  double parts = 0;    ///< ns of it in the driver's calls for parts
  double made = 0;     ///< parts, in per cent of the requests
  double request = 0;  ///< ns of the longest, without calls for chunks
  double command = 0;
  double release = 0;
  double chunks = 0;  ///< ns a request in the driver's calls for chunks, which the others are without
};

/// So many blocks are kept where commands are to be measured alone: commands on ever the same one would be
/// cheaper than those on ever other ones.
constexpr std::size_t most_kept = 64;

/// Where a log's blocks come from: the pool, or for nothing.
class Source {
 public:
  Source(const Log& log, clpool_pool* pool) : pool_(pool), blocks_(log.slots) {}
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;
  virtual ~Source() {
    for (clpool_mem* block : blocks_) {
      clpool_mem_release(block);
    }
  }
  virtual clpool_mem* take(std::uint64_t slot, std::uint64_t size) = 0;
  virtual void give_back(std::uint64_t slot) = 0;

 protected:
  clpool_pool* const pool_;
  std::vector<clpool_mem*> blocks_;
};

class Pooled final : public Source {
 public:
  using Source::Source;
  clpool_mem* take(std::uint64_t slot, std::uint64_t size) override {
    require(clpool_pool_allocate(pool_, size, &blocks_[slot]), "allocate");
    return blocks_[slot];
  }
  void give_back(std::uint64_t slot) override {
    require(clpool_mem_release(blocks_[slot]), "release");
    blocks_[slot] = nullptr;
  }
};

class Kept final : public Source {
 public:
  Kept(const Log& log, clpool_pool* pool) : Source(log, pool) {
    blocks_.resize(std::min(blocks_.size(), most_kept));
    for (clpool_mem*& block : blocks_) {
      require(clpool_pool_allocate(pool, largest_fill, &block), "allocate");
      fill(block, largest_fill);
    }
    clFinish(device().queue);
  }
  clpool_mem* take(std::uint64_t slot, std::uint64_t) override { return blocks_[slot % blocks_.size()]; }
  void give_back(std::uint64_t) override {}
};

/// What looking at the clock twice takes, nanoseconds.
double clock_cost() {
  constexpr int looks = 10'000;
  double sum = 0;
  for (int i = 0; i < looks; ++i) {
    const auto begin = Clock::now();
    sum += nanoseconds(Clock::now() - begin);
  }
  return sum / looks;
}

Pass run(const Log& log, clpool_pool* pool, Source& source) {
  static const double clock = clock_cost();
  const clpool_pool_stats before = statistics(pool);
  calls = {};
  Pass pass;
  const auto begin = Clock::now();
  for (const LogEvent& event : log.events) {
    const double chunks_before = calls.of_chunks;
    const auto asked = Clock::now();
    if (!event.is_allocation) {
      source.give_back(event.slot);
      const double took = nanoseconds(Clock::now() - asked) - (calls.of_chunks - chunks_before);
      pass.release = std::max(pass.release, took);
      pass.within += took - clock;
      continue;
    }
    clpool_mem* const block = source.take(event.slot, event.size);
    const auto served = Clock::now();
    const double took = nanoseconds(served - asked) - (calls.of_chunks - chunks_before);
    pass.request = std::max(pass.request, took);
    pass.within += took - clock;
    if (event.size != 0) {
      fill(block, event.size);
      pass.command = std::max(pass.command, nanoseconds(Clock::now() - served));
    }
  }
  const double requests = static_cast<double>(count_requests(log));
  pass.host = (nanoseconds(Clock::now() - begin) - calls.of_chunks) / requests;
  pass.chunks = calls.of_chunks / requests;
  pass.within /= requests;
  pass.parts = calls.of_parts / requests;
  pass.made = 100.0 * static_cast<double>(statistics(pool).sub_buffers_created - before.sub_buffers_created) /
              requests;
  clFinish(device().queue);
  return pass;
}

template <typename From>
Pass run(const Log& log, clpool_pool* pool) {
  From source(log, pool);
  return run(log, pool, source);
}

const Pass& faster(const Pass& one, const Pass& other) {
  return one.host < other.host ? one : other;
}

void print(const char* name, const Pass& pass, double commands) {
  std::printf("%-22s %10.0f %8.0f %8.0f %6.1f %% %8.0f %7.0f %7.0f %7.0f us\n", name, pass.host - commands,
              pass.within, pass.parts, pass.made, pass.chunks, pass.request / 1000, pass.command / 1000,
              pass.release / 1000);
}

}  // namespace

int main(int count, char** arguments) {
  const char* const kind = count == 2 ? arguments[1] : "buffer";
  const bool is_svm = std::strcmp(kind, "svm") == 0;
  if (count > 2 || (!is_svm && std::strcmp(kind, "buffer") != 0)) {
    std::fprintf(stderr, "usage: clpool_commands [buffer|svm]\n");
    return 2;
  }
  std::printf("%s, %s; ns a pair\n%-22s %10s %8s %8s %8s %8s | longest request, command, release\n",
              device().name().c_str(), kind, "", "beyond", "within", "in parts", "made", "(chunks)");
  for (const char* name : recorded_logs) {
    const Log log = read_log(name);
    clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
    options.alignment = 512;
    const PoolHandle pool = make_pool(is_svm ? Kind::svm : Kind::buffer, &options);
    const Pass first = run<Pooled>(log, pool.get());
    Pass again = run<Pooled>(log, pool.get());
    Pass commands = run<Kept>(log, pool.get());
    again = faster(run<Pooled>(log, pool.get()), again);
    commands = faster(run<Kept>(log, pool.get()), commands);
    std::printf("%s: a command %.0f, longest %.0f us\n", name, commands.host, commands.command / 1000);
    print("  first", first, commands.host);
    print("  again", again, commands.host);
    std::fflush(stdout);
  }
}
