// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Threads that share a pool and give steps to streams, one after the other, without waiting for any:
//   clpool_streams [THREADSx]KIB:US[,...] [SECONDS [MIB]]
// One stream for each that is named, of one thread if no number of them is given. A step takes US microseconds of the
// stream and uses a block of KIB KiB, which is released as soon as the step is enqueued. SECONDS (3) long; MIB is the
// pool's limit. Prints for each stream the share of the time in which it had work, how many of its steps were not over when
// they were most, and its longest request; then the pool's memory. The streams are simulated, their ends are user events;
// the memory is numbers.
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "pools.hpp"

namespace {

using clpool::benchmarks::device;
using clpool::benchmarks::require;
using clpool::benchmarks::require_driver;
using Clock = std::chrono::steady_clock;

/// One step after the other, each from when it is there and the one before is over.
class Stream {
 public:
  Stream(std::size_t threads, std::size_t bytes, Clock::duration step)
      : bytes_(bytes), step_(step), longest_(threads), hosts_(threads) {}

  void start(clpool_pool* pool, Clock::time_point end) {
    for (std::size_t i = 0; i < hosts_.size(); ++i) {
      hosts_[i] = std::thread([this, i, pool, end] {
        while (Clock::now() < end) {
          give_step(pool, longest_[i]);
        }
      });
    }
    worker_ = std::thread([this, end] { work(end); });
  }
  void finish() {
    for (std::thread& host : hosts_) {
      host.join();
    }
    {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
    }
    came_.notify_one();
    worker_.join();
  }
  void print(Clock::duration length) const {
    std::printf("%3zu x %8zu KiB %8.1f ms   busy %5.1f %%   most under way %6zu   longest request %8.1f ms\n",
                hosts_.size(), bytes_ >> 10, milliseconds(step_),
                100 * milliseconds(busy_) / milliseconds(length), most_,
                milliseconds(*std::max_element(longest_.begin(), longest_.end())));
  }

 private:
  static double milliseconds(Clock::duration duration) {
    return std::chrono::duration<double, std::milli>(duration).count();
  }

  void give_step(clpool_pool* pool, Clock::duration& longest) {
    cl_int code = CL_SUCCESS;
    const cl_event event = clCreateUserEvent(device().context, &code);
    require_driver(code, "user event");
    clpool_mem* block = nullptr;
    const Clock::time_point start = Clock::now();
    require(clpool_pool_allocate(pool, bytes_, &block), "a block");
    longest = std::max(longest, Clock::now() - start);
    clRetainEvent(event);
    {
      const std::lock_guard lock(mutex_);
      steps_.push_back({event, Clock::now()});
      most_ = std::max(most_, steps_.size());
    }
    came_.notify_one();
    require(clpool_mem_release_after(block, 1, &event), "its use");
    clpool_mem_release(block);
    clReleaseEvent(event);
  }

  void work(Clock::time_point end) {
    std::unique_lock lock(mutex_);
    for (Clock::time_point last_end{};;) {
      came_.wait(lock, [&] { return !steps_.empty() || is_over_; });
      if (steps_.empty()) {
        return;
      }
      const Step step = steps_.front();
      lock.unlock();
      // However late this thread wakes: the next step is under way already if it was there.
      last_end = std::max(last_end, step.given) + step_;
      std::this_thread::sleep_until(std::min(last_end, end));
      busy_ += last_end < end ? step_ : Clock::duration{};
      clSetUserEventStatus(step.event, CL_COMPLETE);
      clReleaseEvent(step.event);
      lock.lock();
      steps_.pop_front();
    }
  }

  struct Step {
    cl_event event;
    Clock::time_point given;
  };

  const std::size_t bytes_;
  const Clock::duration step_;
  std::mutex mutex_;
  std::condition_variable came_;
  std::deque<Step> steps_;
  bool is_over_ = false;
  std::size_t most_ = 0;
  Clock::duration busy_{};
  std::vector<Clock::duration> longest_;  ///< of each thread
  std::vector<std::thread> hosts_;
  std::thread worker_;
};

/// False if it is none.
bool add_stream(const char*& text, std::deque<Stream>& streams) {
  char* end = nullptr;
  unsigned long threads = std::strtoul(text, &end, 10);
  if (end != text && *end == 'x') {
    text = end + 1;
  } else {
    threads = 1;
  }
  const unsigned long kib = std::strtoul(text, &end, 10);
  if (end == text || kib == 0 || *end != ':') {
    return false;
  }
  text = end + 1;
  const unsigned long us = std::strtoul(text, &end, 10);
  if (end == text || us == 0 || threads == 0 || threads > 1024 || (*end != '\0' && *end != ',')) {
    return false;
  }
  text = *end == ',' ? end + 1 : end;
  streams.emplace_back(threads, std::size_t{kib} << 10, std::chrono::microseconds(us));
  return true;
}

}  // namespace

int main(int count, char** arguments) {
  std::deque<Stream> streams;
  const char* text = count > 1 ? arguments[1] : "";
  bool is_wrong = *text == '\0' || count > 4;
  while (!is_wrong && *text != '\0') {
    is_wrong = !add_stream(text, streams);
  }
  const double seconds = count > 2 ? std::atof(arguments[2]) : 3;
  const double mib = count > 3 ? std::atof(arguments[3]) : 0;
  if (is_wrong || !(seconds > 0) || mib < 0) {
    std::fprintf(stderr, "usage: clpool_streams [THREADSx]KIB:US[,...] [SECONDS [MIB]]\n");
    return 2;
  }
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  if (mib > 0) {
    options.max_bytes = static_cast<std::uint64_t>(mib * (1 << 20));
  }
  const auto pool = clpool::benchmarks::make_pool(clpool::benchmarks::Kind::numbers, &options);
  device();
  const Clock::time_point start = Clock::now();
  const auto length = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  for (Stream& stream : streams) {
    stream.start(pool.get(), start + length);
  }
  for (Stream& stream : streams) {
    stream.finish();
  }
  for (const Stream& stream : streams) {
    stream.print(length);
  }
  const clpool_pool_stats stats = clpool::benchmarks::statistics(pool.get());
  std::printf("the pool had %.1f MiB at most, %.1f in the end, %.1f MiB in use at most, %llu chunks made\n",
              static_cast<double>(stats.peak_managed_bytes) / (1 << 20),
              static_cast<double>(stats.managed_bytes) / (1 << 20),
              static_cast<double>(stats.peak_active_bytes) / (1 << 20),
              static_cast<unsigned long long>(stats.driver_allocations));
}
