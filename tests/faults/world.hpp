// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What a scenario works on, how it calls the library, and what came of its calls.
#pragma once

#include <clpool/clpool.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "faults/host_memory.hpp"
#include "stub_icd/stub.h"
#include "support/opencl.hpp"

namespace clpool::test {

/// The first failing call of a scenario.
struct Failure {
  clpool_status status = CLPOOL_SUCCESS;
  cl_int code = CL_SUCCESS;
  std::string message;
  const char* call = "";
};

/// What the library said where it could not fail.
struct Message {
  int32_t severity;
  std::string text;
};

/// Made before the faults begin. Only calls within call() and release() fail, count and are recorded: what a
/// scenario does with OpenCL by itself is the scenery.
class World {
 public:
  World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  ~World();

  /// The one that there is.
  static World& current();

  /// Makes a call of the library; its first failure is kept.
  template <typename Call>
  clpool_status call(Call&& make, const char* text) {
    begin_call();
    clpool_status status = CLPOOL_SUCCESS;
    {
      const host_memory::InLibrary in_library;
      status = make();
    }
    end_call(status, text);
    return status;
  }

  /// Makes a call whose failure is right; success if it fails so.
  template <typename Call>
  clpool_status call_that_fails(clpool_status expected, Call&& make, const char* text) {
    const std::uint64_t before = stub_failures();
    const clpool_status status = call(std::forward<Call>(make), text);
    require(status != CLPOOL_SUCCESS, text);
    if (status != expected) {
      return status;
    }
    failure_ = {};
    is_hidden_ = stub_failures() != before;
    return CLPOOL_SUCCESS;
  }

  /// Gives something back, which no failure keeps a scenario from.
  template <typename Call>
  void release(Call&& make) {
    begin_call();
    clpool_status status = CLPOOL_SUCCESS;
    {
      const host_memory::InLibrary in_library;
      status = make();
    }
    end_release(status);
  }

  /// Says what is wrong with what a scenario found, beyond statuses: in figures, bytes, counters.
  void require(bool condition, const char* what);

  /// An event that is complete when open() is called, at the latest at the scenario's end.
  cl_event gate();
  void open_gates();
  cl_event complete_event();

  /// Forgets what came of the calls before.
  void begin();
  /// What a scenario leaves to the end: gates, memory that is given back by a later call.
  void end();

  const Failure& failure() const { return failure_; }
  const std::vector<std::string>& complaints() const { return complaints_; }
  const std::vector<Message>& messages() const { return messages_; }
  /// True if the fault came in a call that was to fail anyway.
  bool is_hidden() const { return is_hidden_; }
  /// Releases that returned an error.
  const std::vector<Failure>& failed_releases() const { return failed_releases_; }

  /// Does something with OpenCL that is none of the library's doing, within its calls too.
  template <typename Action>
  void aside(Action&& action) {
    const bool was_in_call = std::exchange(in_call_, false);
    const int held = stub_hold_faults(1);
    action();
    stub_hold_faults(held);
    in_call_ = was_in_call;
  }

  bool is_recording() const { return records && in_call_; }
  /// As the record of entry points in the library's calls; filled while `records` is set.
  bool records = false;
  std::vector<std::string> record;

  OpenCl cl;
  cl_command_queue second = nullptr;        ///< in order
  cl_command_queue out_of_order = nullptr;  ///< null where the device has none
  cl_kernel kernel = nullptr;               ///< null without a compiler; takes one pointer
  unsigned char host[1 << 16] = {};

 private:
  void begin_call();
  void end_call(clpool_status status, const char* text);
  void end_release(clpool_status status);

  bool in_call_ = false;
  bool is_hidden_ = false;
  Failure failure_;
  std::vector<std::string> complaints_;
  std::vector<Message> messages_;
  std::vector<Failure> failed_releases_;
  std::vector<cl_event> gates_;
  std::vector<cl_event> events_;
};

/// Ends the scenario with the first failing status.
#define CALL(expression)                                                                      \
  do {                                                                                        \
    if (const clpool_status call_status =                                                     \
            ::clpool::test::World::current().call([&] { return (expression); }, #expression); \
        call_status != CLPOOL_SUCCESS) {                                                      \
      return call_status;                                                                     \
    }                                                                                         \
  } while (false)

/// Something of the library's or OpenCL's that goes with the scope, by a call that may fail as well.
template <typename Handle, auto give_back>
class Owned {
 public:
  Owned() = default;
  Owned(Owned&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Owned() { reset(); }
  Handle* receive() { return &handle_; }
  operator Handle() const { return handle_; }
  Handle take() { return std::exchange(handle_, nullptr); }
  void reset() {
    if (handle_ != nullptr) {
      World::current().release([this] { return give_back(std::exchange(handle_, nullptr)); });
    }
  }

 private:
  Handle handle_ = nullptr;
};

/// A pool's figures are checked before its release, when its blocks are gone.
clpool_status check_and_release(clpool_pool* pool);

/// Of pools that give up early: nothing that a scenario waits for takes time.
inline const clpool_pool_options impatient = [] {
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  options.wait_ns = 200'000;
  return options;
}();

/// OpenCL's own objects are released outside of the sweep.
template <auto give_back>
clpool_status release_aside(auto object) {
  World::current().aside([object] { give_back(object); });
  return CLPOOL_SUCCESS;
}

using Allocator = Owned<clpool_allocator*, clpool_allocator_release>;
using Pool = Owned<clpool_pool*, check_and_release>;
using Mem = Owned<clpool_mem*, clpool_mem_release>;
using Map = Owned<clpool_map*, clpool_map_release>;
using Event = Owned<cl_event, release_aside<clReleaseEvent, cl_event>>;
using Sampler = Owned<cl_sampler, release_aside<clReleaseSampler, cl_sampler>>;

/// A scenario stops at the first failing status and returns it; what it holds goes with its scopes.
struct Scenario {
  std::string name;
  clpool_status (*run)(World& world);
  /// It waits up to a second for a driver that fails for ever, time and again: each call fails once only.
  bool waits_for_the_driver = false;
};

std::vector<Scenario> pool_scenarios();
std::vector<Scenario> queue_scenarios();
std::vector<Scenario> limit_scenarios();
std::vector<Scenario> memory_scenarios();
std::vector<Scenario> transfer_scenarios();
std::vector<Scenario> image_scenarios();
std::vector<Scenario> device_scenarios();
std::vector<Scenario> host_scenarios();

}  // namespace clpool::test
