// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// clpool_load: threads that do everything that pools allow, all at once, for a given time. README.md of the
// folder above says what is checked. Exit codes: 0; 1 if anything was wrong; 77 if there is no device of
// OpenCL 1.2.
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>

#include "support/opencl.hpp"
#include "turn.hpp"
#include "worker.hpp"

namespace clpool::load {
namespace {

struct Options {
  std::uint64_t seconds = 60;
  std::uint64_t threads = 8;
  std::uint64_t seed = 0;
  std::uint64_t in_turn = 0;
};

bool parse(int count, char** values, Options& options) {
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string_view name = values[i];
    char* end = nullptr;
    const std::uint64_t value = std::strtoull(values[i + 1], &end, 10);
    std::uint64_t* const target = name == "--seconds"   ? &options.seconds
                                  : name == "--threads" ? &options.threads
                                  : name == "--seed"    ? &options.seed
                                  : name == "--in-turn" ? &options.in_turn
                                                        : nullptr;
    if (target == nullptr || *end != '\0' || end == values[i + 1]) {
      return false;
    }
    *target = value;
  }
  return count % 2 == 1 && options.threads > 0;
}

/// Errors that the library could give to nobody as a status.
void receive(void*, std::int32_t severity, const char* text) {
  if (severity == CLPOOL_MESSAGE_ERROR) {
    report().wrong("a message: %s", text);
  }
}

/// Threads one after another, until the time is over.
void run_lane(Scene& scene, std::uint32_t lane, std::atomic<std::uint64_t>& threads) {
  for (std::uint32_t generation = 0; !scene.is_over(); ++generation) {
    ++threads;
    std::thread([&] { Worker(scene, lane, generation).run(); }).join();
  }
}

/// Ends the process if nothing has moved for minutes: a hang is to be seen where it happened.
void watch(const Scene& scene, std::uint64_t& last, int& rounds) {
  const std::uint64_t now = scene.operations();
  rounds = now == last ? rounds + 1 : 0;
  last = now;
  if (rounds == 1200) {
    std::fprintf(stderr, "WRONG: no thread has come to its end for 2 minutes\n");
    std::abort();
  }
}

/// Two drivers do not bear several threads at one queue, in programs without this library as well. Mesa's
/// rusticl (22.3) loses the order of a queue, and then its memory, when two threads flush it at once: buffers
/// that are filled, flushed and read have what others were filled with. NVIDIA's (580.159) crashes, or never
/// finishes, where several threads enqueue commands on new memory: see tests/gpu/driver_threads.cpp.
bool bears_threads(const test::OpenCl& cl) {
  char name[64] = "";
  clGetPlatformInfo(cl.platform, CL_PLATFORM_NAME, sizeof name, name, nullptr);
  return std::string_view(name) != "rusticl" && std::string_view(name) != "NVIDIA CUDA";
}

int run(Options options) {
  test::OpenCl cl;
  if (cl.queue == nullptr || !cl.has_version(1, 2)) {
    std::puts("skipped: no device of OpenCL 1.2");
    return 77;
  }
  Turn::needed = options.in_turn != 0 || !bears_threads(cl);
  if (Turn::needed) {
    std::puts("clpool_load: the threads take turns");
  }
  clpool_set_message_callback(receive, nullptr);
  clRetainContext(cl.context);
  const Device device(cl.device);
  std::printf("clpool_load: %s%s%s, %" PRIu64 " threads, %" PRIu64 " s, --seed %" PRIu64 "\n",
              device.has_svm ? "SVM" : "no SVM", device.has_fine_svm ? ", fine-grain SVM" : "",
              device.has_out_of_order ? ", out-of-order queues" : ", in-order queues only", options.threads,
              options.seconds, options.seed);
  std::fflush(stdout);

  std::atomic<std::uint64_t> threads{0};
  {
    Scene scene(device, Context(cl.context), options.seed,
                Scene::Clock::now() + std::chrono::seconds(options.seconds));
    std::vector<std::thread> lanes;
    for (std::uint32_t lane = 0; lane < options.threads; ++lane) {
      lanes.emplace_back([&, lane] { run_lane(scene, lane, threads); });
    }
    std::uint64_t last = 0;
    int rounds = 0;
    for (Random random(1); !scene.is_over(); watch(scene, last, rounds)) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      const Turn turn;
      check_pool(scene.any_arena(random));
    }
    for (std::thread& lane : lanes) {
      lane.join();
    }
    scene.finish();
    std::printf("%" PRIu64 " threads x operations: %" PRIu64 " by %" PRIu64 " threads in all, over %" PRIu64
                " pools; wrong: %" PRIu64 " (--seed %" PRIu64 ")\n",
                options.threads, scene.operations(), threads.load(), scene.pools(), report().count(),
                options.seed);
  }
  return report().count() == 0 ? 0 : 1;
}

}  // namespace
}  // namespace clpool::load

int main(int count, char** values) {
  clpool::load::Options options;
  options.seed =
      static_cast<std::uint64_t>(clpool::load::Scene::Clock::now().time_since_epoch().count()) % 1000000;
  if (!clpool::load::parse(count, values, options)) {
    std::fprintf(stderr, "usage: %s [--seconds N] [--threads N] [--seed N] [--in-turn 0|1]\n", values[0]);
    return 2;
  }
  return clpool::load::run(options);
}
