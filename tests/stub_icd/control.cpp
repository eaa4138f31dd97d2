// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The functions of stub.h, except hooks and kernels.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "kernels.hpp"
#include "memory.hpp"
#include "schedule.hpp"
#include "worker.hpp"

namespace stub {
namespace {

using Lock = std::unique_lock<std::mutex>;

constexpr const char* kind_names[STUB_KINDS] = {"contexts", "queues",   "buffers",  "sub-buffers",
                                                "images",   "pipes",    "SVM",      "maps",
                                                "events",   "samplers", "programs", "kernels"};

void set_fault(const char* entry_point, std::uint64_t nth, cl_int code, bool lasts) {
  const Lock lock(state().mutex);
  if (entry_point != nullptr && !is_entry_point(entry_point)) {
    die("no entry point '%s' can fail", entry_point);
  }
  state().fault = {entry_point == nullptr ? "" : entry_point, nth, lasts, code, 0, state().fault.is_held};
}

void copy_text(const std::string& text, char* target, std::size_t size) {
  if (target != nullptr && size != 0) {
    std::snprintf(target, size, "%s", text.c_str());
  }
}

int run_nth(Lock& lock, cl_command_queue queue, std::size_t nth) {
  const std::vector<Event*> events = runnable(queue);
  if (nth >= events.size()) {
    return 0;
  }
  run_command(*events[nth]);
  make_callbacks(lock);
  return 1;
}

}  // namespace
}  // namespace stub

using stub::Lock;
using stub::state;

void stub_configure(const char* options) {
  Lock lock(state().mutex);
  stub::apply(state().options, options);
  for (int i = 0; i < stub::most_devices; ++i) {
    if (!stub::device_at(i).ready.empty()) {
      stub::start_worker(stub::device_at(i));
    }
  }
  stub::settle();
  stub::make_callbacks(lock);
  state().changed.notify_all();
}

void stub_reset(void) {
  stub_set_hook(nullptr, nullptr);
  stub_meanwhile(nullptr, nullptr, nullptr);
  stub::forget_kernels();
  const char* const text = std::getenv("CLPOOL_STUB");
  {
    const Lock lock(state().mutex);
    state().options = {};
    state().fault = {};
    state().counters.clear();
    std::fill(std::begin(state().calls), std::end(state().calls), 0);
  }
  stub_configure(text != nullptr ? text : "");
}

uint64_t stub_calls(const char* entry_point) {
  const Lock lock(state().mutex);
  std::uint64_t calls = 0;
  bool known = entry_point == nullptr;
  for (unsigned i = 0; i < static_cast<unsigned>(stub::Entry::count); ++i) {
    if (entry_point == nullptr || std::strcmp(entry_point, stub::name_of(static_cast<stub::Entry>(i))) == 0) {
      calls += state().calls[i];
      known = true;
    }
  }
  if (!known) {
    stub::die("there is no entry point '%s'", entry_point);
  }
  return calls;
}

size_t stub_read_calls(uint64_t* calls, const char** names, size_t capacity) {
  const Lock lock(state().mutex);
  constexpr auto count = static_cast<std::size_t>(stub::Entry::count);
  for (std::size_t i = 0; i < std::min(count, capacity); ++i) {
    calls[i] = state().calls[i];
    names[i] = stub::name_of(static_cast<stub::Entry>(i));
  }
  return count;
}

void stub_forget_calls(void) {
  const Lock lock(state().mutex);
  std::fill(std::begin(state().calls), std::end(state().calls), 0);
}

uint64_t stub_count(const char* counter) {
  const Lock lock(state().mutex);
  const auto found = state().counters.find(counter);
  return found == state().counters.end() ? 0 : found->second;
}

void stub_read_counts(stub_counts* counts) {
  const Lock lock(state().mutex);
  std::copy_n(state().live, STUB_KINDS, counts->live);
  std::copy_n(state().references, STUB_KINDS, counts->references);
  std::copy_n(state().created, STUB_KINDS, counts->created);
  counts->device_bytes = state().device_bytes;
}

int stub_same_counts(const stub_counts* before, char* text, size_t text_size) {
  stub_counts now = {};
  stub_read_counts(&now);
  std::string difference;
  for (int kind = 0; kind < STUB_KINDS; ++kind) {
    if (now.live[kind] != before->live[kind] || now.references[kind] != before->references[kind]) {
      difference += (difference.empty() ? "" : ", ") + std::string(stub::kind_names[kind]) + ' ' +
                    std::to_string(now.live[kind] - before->live[kind]) + " (references " +
                    std::to_string(now.references[kind] - before->references[kind]) + ')';
    }
  }
  if (now.device_bytes != before->device_bytes) {
    difference += (difference.empty() ? "" : ", ") + std::string("bytes of the device ") +
                  std::to_string(static_cast<std::int64_t>(now.device_bytes - before->device_bytes));
  }
  stub::copy_text(difference, text, text_size);
  return difference.empty() ? 1 : 0;
}

unsigned char* stub_memory(cl_mem mem) {
  const Lock lock(state().mutex);
  return stub::checked(mem, CL_INVALID_MEM_OBJECT).data;
}

uint64_t stub_device_bytes(void) {
  const Lock lock(state().mutex);
  return state().device_bytes;
}

void stub_fail(const char* entry_point, uint64_t nth, cl_int code) {
  stub::set_fault(entry_point, nth, code, false);
}

void stub_fail_from(const char* entry_point, uint64_t nth, cl_int code) {
  stub::set_fault(entry_point, nth, code, true);
}

void stub_fail_none(void) {
  const Lock lock(state().mutex);
  state().fault.in = 0;
}

int stub_hold_faults(int held) {
  const Lock lock(state().mutex);
  return std::exchange(state().fault.is_held, held != 0) ? 1 : 0;
}

const char* stub_activity(void) {
  return stub::current_activity();
}

uint64_t stub_failures(void) {
  const Lock lock(state().mutex);
  return state().fault.happened;
}

int stub_may_run(cl_event event) {
  const Lock lock(state().mutex);
  return stub::may_run(stub::checked(event, CL_INVALID_EVENT)) ? 1 : 0;
}

int stub_run(cl_event event) {
  Lock lock(state().mutex);
  if (!stub::may_run(stub::checked(event, CL_INVALID_EVENT))) {
    return 0;
  }
  stub::run_command(*event);
  stub::make_callbacks(lock);
  return 1;
}

int stub_run_next(cl_command_queue queue) {
  Lock lock(state().mutex);
  return stub::run_nth(lock, queue, 0);
}

int stub_run_nth(cl_command_queue queue, size_t nth) {
  Lock lock(state().mutex);
  return stub::run_nth(lock, queue, nth);
}

size_t stub_run_all(void) {
  Lock lock(state().mutex);
  std::size_t commands = 0;
  while (stub::run_nth(lock, nullptr, 0) != 0) {
    ++commands;
  }
  return commands;
}

size_t stub_pending(cl_command_queue queue) {
  const Lock lock(state().mutex);
  return queue != nullptr ? stub::checked(queue, CL_INVALID_COMMAND_QUEUE).pending.size() : state().pending;
}

size_t stub_runnable(cl_command_queue queue) {
  const Lock lock(state().mutex);
  return stub::runnable(queue).size();
}

size_t stub_blocked(void) {
  const Lock lock(state().mutex);
  return state().blocked;
}

uint64_t stub_now(void) {
  const Lock lock(state().mutex);
  return state().now;
}
