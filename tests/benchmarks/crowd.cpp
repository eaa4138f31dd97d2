// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Many threads, and many uses that are not over:
//   clpool_crowd threads [N]  N (32) threads on one pool against a pool for each: CPU time a step, and system calls
//                             of the library (membarrier) in it
//   clpool_crowd latency [N]  how long single requests take among N (8) threads: a histogram, in a pool that has
//                             memory enough
//   clpool_crowd growing [N]  the same in a pool that begins with nothing
//   clpool_crowd pending [N]  one request while N (100,000) released blocks wait for an event
//   clpool_crowd figures [N]  what a pool's statistics take while N (64) threads have caches of it, idle and at work
//   clpool_crowd idle [N]     what one thread's pairs cost while N (255) idle threads have caches of the same pool
//   clpool_crowd foreign [N]  the longest request of a thread while another one takes in N (1,000,000) blocks that a third
//                             one released
//   clpool_crowd small [N]    a pair among N (20,000) living blocks of 512 bytes to 4 KiB of a device, and among 200
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <random>
#include <thread>
#include <vector>

#include "pools.hpp"

namespace {

std::atomic<std::uint64_t> barriers_sent{0};

}  // namespace

/// In place of the C library's, and does as it does; counts what the library calls it for.
extern "C" __attribute__((visibility("default"))) long syscall(long number, ...) noexcept {
  va_list list;
  va_start(list, number);
  long values[6];
  for (long& value : values) {
    value = va_arg(list, long);
  }
  va_end(list);
  barriers_sent.fetch_add(number == SYS_membarrier ? 1 : 0, std::memory_order_relaxed);
  long result = number;
  register long fourth asm("r10") = values[3];
  register long fifth asm("r8") = values[4];
  register long sixth asm("r9") = values[5];
  asm volatile("syscall"
               : "+a"(result)
               : "D"(values[0]), "S"(values[1]), "d"(values[2]), "r"(fourth), "r"(fifth), "r"(sixth)
               : "rcx", "r11", "memory");
  if (result < 0 && result > -4096) {
    errno = static_cast<int>(-result);
    return -1;
  }
  return result;
}

namespace {

using namespace clpool::benchmarks;
using Clock = std::chrono::steady_clock;

double nanoseconds(Clock::duration time) {
  return std::chrono::duration<double, std::nano>(time).count();
}

double cpu_nanoseconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return 1e9 * static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec);
}

struct Cost {
  double ns_a_step;
  double barriers_a_step;
};

/// A step: four blocks of 64 KiB are taken, and released in the order in which they came.
Cost cost_of_steps(int threads, bool shared) {
  constexpr int warm_steps = 500;
  constexpr int steps = 4000;
  std::vector<PoolHandle> pools;
  for (int i = 0; i < (shared ? 1 : threads); ++i) {
    pools.push_back(make_pool());
  }
  std::barrier together(threads + 1);
  const auto work = [&](clpool_pool* pool) {
    const auto step = [pool] {
      clpool_mem* blocks[4] = {};
      for (clpool_mem*& block : blocks) {
        require(clpool_pool_allocate(pool, 64 << 10, &block), "block");
      }
      for (clpool_mem* block : blocks) {
        clpool_mem_release(block);
      }
    };
    for (int i = 0; i < warm_steps; ++i) {
      step();
    }
    together.arrive_and_wait();
    together.arrive_and_wait();
    for (int i = 0; i < steps; ++i) {
      step();
    }
    together.arrive_and_wait();
  };
  std::vector<std::thread> all;
  for (int i = 0; i < threads; ++i) {
    all.emplace_back(work, pools[shared ? 0 : static_cast<std::size_t>(i)].get());
  }
  together.arrive_and_wait();
  const double begin = cpu_nanoseconds();
  const std::uint64_t barriers = barriers_sent;
  together.arrive_and_wait();
  together.arrive_and_wait();
  const double all_steps = static_cast<double>(steps) * threads;
  const Cost cost{(cpu_nanoseconds() - begin) / all_steps,
                  static_cast<double>(barriers_sent - barriers) / all_steps};
  for (std::thread& thread : all) {
    thread.join();
  }
  return cost;
}

void compare_threads(int threads) {
  std::printf("%d threads, 4 blocks of 64 KiB a step: median of 9 runs, CPU time\n", threads);
  std::vector<double> ratios;
  std::vector<Cost> shared;
  std::vector<Cost> apart;
  for (int run = 0; run < 9; ++run) {
    apart.push_back(cost_of_steps(threads, false));
    shared.push_back(cost_of_steps(threads, true));
    ratios.push_back(shared.back().ns_a_step / apart.back().ns_a_step);
  }
  const auto by_time = [](const Cost& one, const Cost& other) { return one.ns_a_step < other.ns_a_step; };
  std::sort(shared.begin(), shared.end(), by_time);
  std::sort(apart.begin(), apart.end(), by_time);
  std::sort(ratios.begin(), ratios.end());
  std::printf("a pool for each  %8.1f ns, %.5f membarriers\n", apart[4].ns_a_step, apart[4].barriers_a_step);
  std::printf("one pool         %8.1f ns, %.5f membarriers\n", shared[4].ns_a_step,
              shared[4].barriers_a_step);
  std::printf("ratio            %8.2f (%.2f to %.2f)\n", ratios[4], ratios.front(), ratios.back());
}

/// A request's times, in buckets of one part in 32 of a power of two, printed eight by eight.
class Histogram {
 public:
  void add(double ns) {
    const double bucket = std::ceil(buckets_a_doubling * std::log2(std::max(ns, first) / first));
    ++counts_[std::min(static_cast<std::size_t>(bucket), counts_.size() - 1)];
    ++all_;
  }
  void add(const Histogram& other) {
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      counts_[i] += other.counts_[i];
    }
    all_ += other.all_;
  }
  /// An upper bound of that part of all times [ns].
  double quantile(double part) const {
    std::uint64_t seen = 0;
    std::size_t bucket = 0;
    for (; bucket + 1 < counts_.size(); ++bucket) {
      seen += counts_[bucket];
      if (static_cast<double>(seen) >= part * static_cast<double>(all_)) {
        break;
      }
    }
    return bound_of(bucket);
  }
  void print() const {
    for (std::size_t begin = 0; begin < counts_.size(); begin += printed_together) {
      std::uint64_t count = 0;
      for (std::size_t i = begin; i < begin + printed_together; ++i) {
        count += counts_[i];
      }
      if (count != 0) {
        const double part = static_cast<double>(count) / static_cast<double>(all_);
        std::printf("<= %10.0f ns %10llu %8.4f %% %.*s\n", bound_of(begin + printed_together - 1),
                    static_cast<unsigned long long>(count), 100 * part, static_cast<int>(60 * part + 0.5),
                    "############################################################");
      }
    }
  }

 private:
  static constexpr double first = 16;
  static constexpr double buckets_a_doubling = 32;
  static constexpr std::size_t printed_together = 8;
  static double bound_of(std::size_t bucket) {
    return first * std::exp2(static_cast<double>(bucket) / buckets_a_doubling);
  }
  std::vector<std::uint64_t> counts_ = std::vector<std::uint64_t>(40 * 32);
  std::uint64_t all_ = 0;
};

/// Each thread has 16 blocks of up to 64 KiB and replaces one at a time.
void show_latency(int threads, std::size_t memory_at_first) {
  constexpr int replaced = 400'000;
  constexpr int warm = 20'000;
  const PoolHandle pool = make_pool();
  clpool_mem* most = nullptr;
  require(clpool_pool_allocate(pool.get(), memory_at_first, &most), "the pool's memory");
  clpool_mem_release(most);
  std::vector<Histogram> times(static_cast<std::size_t>(threads));
  std::atomic<std::uint64_t> chunks{0};
  std::uint64_t barriers = 0;
  double cpu = 0;
  std::barrier together(threads);
  std::vector<std::thread> all;
  for (int thread = 0; thread < threads; ++thread) {
    all.emplace_back([&, thread] {
      std::minstd_rand random(static_cast<unsigned>(thread) + 1);
      std::vector<clpool_mem*> blocks(16);
      const auto replace = [&] {
        clpool_mem*& block = blocks[random() % blocks.size()];
        clpool_mem_release(block);
        const std::size_t size = 1 + random() % (64 << 10);
        const auto begin = Clock::now();
        require(clpool_pool_allocate(pool.get(), size, &block), "block");
        return nanoseconds(Clock::now() - begin);
      };
      for (int i = 0; i < warm; ++i) {
        replace();
      }
      together.arrive_and_wait();
      if (thread == 0) {
        chunks = statistics(pool.get()).driver_allocations;
        barriers = barriers_sent;
        cpu = cpu_nanoseconds();
      }
      together.arrive_and_wait();
      for (int i = 0; i < replaced; ++i) {
        times[static_cast<std::size_t>(thread)].add(replace());
      }
      for (clpool_mem* block : blocks) {
        clpool_mem_release(block);
      }
    });
  }
  for (std::thread& thread : all) {
    thread.join();
  }
  cpu = cpu_nanoseconds() - cpu;
  barriers = barriers_sent - barriers;
  for (int thread = 1; thread < threads; ++thread) {
    times[0].add(times[static_cast<std::size_t>(thread)]);
  }
  times[0].print();
  const double median = times[0].quantile(0.5);
  const double rare = times[0].quantile(0.999);
  std::printf(
      "%d threads on %u processors: median <= %.0f ns, 99.9 %% <= %.0f ns (%.1f times), 99.99 %% <= %.0f ns; "
      "%llu chunks taken\n",
      threads, std::thread::hardware_concurrency(), median, rare, rare / median, times[0].quantile(0.9999),
      static_cast<unsigned long long>(statistics(pool.get()).driver_allocations - chunks));
  const clpool_pool_stats stats = statistics(pool.get());
  const double requests = static_cast<double>(replaced) * threads;
  std::printf(
      "CPU time of a request and a release %.0f ns, %.6f membarriers; the pool took at most %.1f MiB\n",
      cpu / requests, static_cast<double>(barriers) / requests,
      static_cast<double>(stats.peak_managed_bytes) / 0x1p20);
}

void show_pending(int pending) {
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  options.queues = &device().queue;
  options.queue_count = 1;
  const PoolHandle pool = make_pool(Kind::buffer, &options);
  std::vector<clpool_mem*> blocks(static_cast<std::size_t>(pending));
  const auto time_of_requests = [&] {
    constexpr int requests = 20'000;
    const auto begin = Clock::now();
    for (int i = 0; i < requests; ++i) {
      clpool_mem* block = nullptr;
      require(clpool_pool_allocate(pool.get(), static_cast<std::size_t>(1 + i % 64) << 10, &block), "block");
      clpool_mem_release(block);
    }
    return nanoseconds(Clock::now() - begin) / requests;
  };
  time_of_requests();
  const double without = time_of_requests();
  cl_event event = clCreateUserEvent(device().context, nullptr);
  for (clpool_mem*& block : blocks) {
    require(clpool_pool_allocate(pool.get(), 512, &block), "block");
    require(clpool_mem_release_after(block, 1, &event), "use");
  }
  const auto begin = Clock::now();
  for (clpool_mem* block : blocks) {
    clpool_mem_release(block);
  }
  const double release = nanoseconds(Clock::now() - begin) / pending;
  const double with = time_of_requests();
  clSetUserEventStatus(event, CL_COMPLETE);
  clReleaseEvent(event);
  std::printf(
      "%s: a request and its release %.0f ns; with %d released blocks that wait for an event %.0f ns (%.2f "
      "times); "
      "each of their releases %.0f ns\n",
      device().name().c_str(), without, pending, with, with / without, release);
}

/// Threads that have a cache of the pool with some blocks in it, idle or at work, as long as the object lives.
class Others {
 public:
  Others(clpool_pool* pool, int count, bool work) : arrived_(count + 1) {
    for (int i = 0; i < count; ++i) {
      all_.emplace_back([this, pool, work] {
        const auto pair = [pool](std::size_t size) {
          clpool_mem* block = nullptr;
          require(clpool_pool_allocate(pool, size, &block), "block");
          clpool_mem_release(block);
        };
        for (std::size_t size = 4096; size <= 65536; size += 4096) {
          pair(size);
        }
        arrived_.arrive_and_wait();
        while (!over_) {
          if (work) {
            pair(8192);
          } else {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
          }
        }
      });
    }
    arrived_.arrive_and_wait();
  }
  Others(const Others&) = delete;
  Others& operator=(const Others&) = delete;
  ~Others() {
    over_ = true;
    for (std::thread& thread : all_) {
      thread.join();
    }
  }

 private:
  std::barrier<> arrived_;
  std::atomic<bool> over_{false};
  std::vector<std::thread> all_;
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void show_figures(int threads) {
  for (const bool work : {false, true}) {
    const PoolHandle pool = make_pool();
    const Others others(pool.get(), threads, work);
    std::vector<double> times;
    for (int i = 0; i < 2000; ++i) {
      const auto begin = Clock::now();
      statistics(pool.get());
      times.push_back(nanoseconds(Clock::now() - begin));
    }
    std::printf("statistics beside %d threads %s: median %.1f us, the longest of 2,000 %.1f us\n", threads,
                work ? "at work" : "that are idle", median(times) / 1e3,
                *std::max_element(times.begin(), times.end()) / 1e3);
  }
}

void show_idle(int threads) {
  for (const int idle : {0, threads}) {
    const PoolHandle pool = make_pool();
    clpool_mem* most = nullptr;
    require(clpool_pool_allocate(pool.get(), std::size_t{1} << 32, &most), "the pool's memory");
    clpool_mem_release(most);
    const Others others(pool.get(), idle, false);
    constexpr int pairs = 400'000;
    std::vector<double> hits;
    std::vector<double> others_ns;
    for (int run = 0; run < 5; ++run) {
      auto begin = Clock::now();
      for (int i = 0; i < pairs; ++i) {
        clpool_mem* block = nullptr;
        require(clpool_pool_allocate(pool.get(), 4096, &block), "block");
        clpool_mem_release(block);
      }
      hits.push_back(nanoseconds(Clock::now() - begin) / pairs);
      std::vector<clpool_mem*> blocks(1000);
      std::minstd_rand random(1);
      begin = Clock::now();
      for (int i = 0; i < pairs; ++i) {
        clpool_mem*& block = blocks[random() % blocks.size()];
        if (block != nullptr) {
          clpool_mem_release(block);
        }
        require(clpool_pool_allocate(pool.get(), 1 + random() % (64 << 10), &block), "block");
      }
      others_ns.push_back(nanoseconds(Clock::now() - begin) / pairs);
      for (clpool_mem* block : blocks) {
        clpool_mem_release(block);
      }
    }
    std::printf("beside %d idle threads: a hit's pair %.1f ns, replacing one of 1,000 blocks %.1f ns\n", idle,
                median(hits), median(others_ns));
  }
}

void show_foreign(int count) {
  const PoolHandle pool = make_pool();
  std::vector<clpool_mem*> blocks(static_cast<std::size_t>(count));
  for (clpool_mem*& block : blocks) {
    require(clpool_pool_allocate(pool.get(), 512, &block), "block");
  }
  std::thread([&] {
    for (clpool_mem* block : blocks) {
      clpool_mem_release(block);
    }
  }).join();
  std::atomic<bool> over{false};
  double longest = 0;
  std::uint64_t requests = 0;
  std::barrier together(2);
  std::thread other([&] {
    std::minstd_rand random(1);
    together.arrive_and_wait();
    while (!over) {
      const auto begin = Clock::now();
      clpool_mem* block = nullptr;
      require(clpool_pool_allocate(pool.get(), 1 + random() % 4096, &block), "block");
      longest = std::max(longest, nanoseconds(Clock::now() - begin));
      clpool_mem_release(block);
      ++requests;
    }
  });
  together.arrive_and_wait();
  const auto begin = Clock::now();
  clpool_mem* large = nullptr;
  require(clpool_pool_allocate(pool.get(), std::size_t{1} << 32, &large),
          "a block for which all must come home");
  const double took = nanoseconds(Clock::now() - begin);
  over = true;
  other.join();
  clpool_mem_release(large);
  std::printf(
      "%d blocks released by another thread: taking them in took %.1f ms, in which a third thread made %llu "
      "requests, "
      "the longest %.2f ms\n",
      count, took / 1e6, static_cast<unsigned long long>(requests), longest / 1e6);
}

void show_small(int most) {
  for (const int living : {200, most}) {
    clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
    options.queues = &device().queue;
    options.queue_count = 1;
    const PoolHandle pool = make_pool(Kind::buffer, &options);
    std::vector<clpool_mem*> blocks(static_cast<std::size_t>(living));
    std::minstd_rand random(1);
    for (clpool_mem*& block : blocks) {
      require(clpool_pool_allocate(pool.get(), 512 * (1 + random() % 8), &block), "block");
    }
    constexpr int pairs = 50'000;
    std::vector<double> times;
    for (int run = 0; run < 5; ++run) {
      const auto begin = Clock::now();
      for (int i = 0; i < pairs; ++i) {
        clpool_mem*& block = blocks[random() % blocks.size()];
        clpool_mem_release(block);
        require(clpool_pool_allocate(pool.get(), 512 * (1 + random() % 8), &block), "block");
      }
      times.push_back(nanoseconds(Clock::now() - begin) / pairs);
    }
    const clpool_pool_stats stats = statistics(pool.get());
    std::printf("%s: %d living blocks of 512 bytes to 4 KiB: a pair %.0f ns, taken by live %.3f\n",
                device().name().c_str(), living, median(times),
                static_cast<double>(stats.peak_managed_bytes) / static_cast<double>(stats.peak_active_bytes));
    for (clpool_mem* block : blocks) {
      clpool_mem_release(block);
    }
  }
}

}  // namespace

int main(int count, char** arguments) {
  const auto number = [&](int otherwise) { return count > 2 ? std::atoi(arguments[2]) : otherwise; };
  const char* const what = count > 1 ? arguments[1] : "";
  if (std::strcmp(what, "threads") == 0) {
    compare_threads(number(32));
  } else if (std::strcmp(what, "latency") == 0) {
    show_latency(number(8), std::size_t{256} << 20);
  } else if (std::strcmp(what, "growing") == 0) {
    show_latency(number(8), 1);
  } else if (std::strcmp(what, "pending") == 0) {
    show_pending(number(100'000));
  } else if (std::strcmp(what, "figures") == 0) {
    show_figures(number(64));
  } else if (std::strcmp(what, "idle") == 0) {
    show_idle(number(255));
  } else if (std::strcmp(what, "foreign") == 0) {
    show_foreign(number(1'000'000));
  } else if (std::strcmp(what, "small") == 0) {
    show_small(number(20'000));
  } else {
    std::fprintf(stderr,
                 "usage: clpool_crowd threads|latency|growing|pending|figures|idle|foreign|small [N]\n");
    return 2;
  }
}
