// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The devices' threads.
#include "worker.hpp"

#include <chrono>
#include <random>
#include <thread>

#include "latency.hpp"
#include "schedule.hpp"

namespace stub {
namespace {

/// The oldest command, or with a seed any.
Event& choose(Device& device, std::mt19937_64& random) {
  auto chosen = device.ready.begin();
  if (state().options.seed != 0) {
    std::advance(chosen, static_cast<std::ptrdiff_t>(random() % device.ready.size()));
  }
  return *chosen->second;
}

void work(Device& device) {
  State& s = state();
  std::unique_lock lock(s.mutex);
  std::mt19937_64 random(s.options.seed + static_cast<std::uint64_t>(device.number));
  for (;;) {
    s.changed.wait(lock, [&] { return s.options.mode == Mode::worker && !device.ready.empty(); });
    Event& event = choose(device, random);
    if (s.options.sleeps) {
      const Ref<Event> alive(&event);
      device.ready.erase(event.id);
      device.running = &event;
      event.status = CL_RUNNING;
      const std::chrono::nanoseconds time(duration_of(event));
      lock.unlock();
      std::this_thread::sleep_for(time);
      lock.lock();
      run_command(event);
      device.running = nullptr;
    } else {
      run_command(event);
    }
    make_callbacks(lock);
  }
}

}  // namespace

void start_worker(Device& device) {
  if (state().options.mode == Mode::worker && !device.has_worker) {
    device.has_worker = true;
    std::thread(work, std::ref(device)).detach();
  }
}

}  // namespace stub
