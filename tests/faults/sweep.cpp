// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Injections and what must hold after each.
#include "faults/sweep.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <thread>

#include "faults/codes.hpp"
#include "faults/recoveries.hpp"

namespace clpool::test {
namespace {

/// More are not told of one sweep.
constexpr int most_complaints = 5;
/// Seconds that a run with one failure may take.
constexpr unsigned patience = 60;

char current_injection[512] = "";

void tell_and_die(int signal) {
  static_cast<void>(!write(STDERR_FILENO, current_injection, std::strlen(current_injection)));
  std::signal(signal, SIG_DFL);
  std::raise(signal == SIGALRM ? SIGABRT : signal);
}

/// The wanted part of all injections: every step-th, for runs that must be short.
std::uint64_t step() {
  static const std::uint64_t wanted = [] {
    const char* const text = std::getenv("CLPOOL_FAULTS_STEP");
    return text != nullptr ? std::max<std::uint64_t>(std::strtoull(text, nullptr, 10), 1) : 1;
  }();
  return wanted;
}

void log_outcome(const std::string& line) {
  static FILE* const file = [] {
    const char* const path = std::getenv("CLPOOL_FAULTS_LOG");
    return path != nullptr ? std::fopen(path, "a") : nullptr;
  }();
  if (file != nullptr) {
    std::fprintf(file, "%s\n", line.c_str());
  }
}

clpool_status status_of(cl_int code) {
  return code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_RESOURCES ||
                 code == CL_OUT_OF_HOST_MEMORY
             ? CLPOOL_ERROR_OUT_OF_MEMORY
             : CLPOOL_ERROR_OPENCL;
}

bool names(const std::string& text, cl_int code) {
  return text.find(clpool_cl_error_name(code)) != std::string::npos ||
         text.find(std::to_string(code)) != std::string::npos;
}

}  // namespace

std::string text_of(const Injection& injection) {
  std::string text = (injection.entry_point.empty() ? "allocation" : injection.entry_point) + " number " +
                     std::to_string(injection.nth);
  if (!injection.entry_point.empty()) {
    text += " fails with " + std::to_string(injection.code);
  }
  switch (injection.lasting) {
    case Injection::Lasting::once:
      break;
    case Injection::Lasting::entry_point:
      text += ", and all later ones";
      break;
    case Injection::Lasting::everything:
      text += ", and everything later";
      break;
  }
  return text;
}

Totals& totals() {
  static Totals all;
  return all;
}

void report_deaths() {
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGALRM}) {
    std::signal(signal, tell_and_die);
  }
}

Sweep::Sweep(const Scenario& scenario, const std::string& profile, const std::string& options)
    : scenario_(scenario), profile_(profile), name_(profile + '/' + scenario.name) {
  stub_configure(options.c_str());
  stub_read_counts(&before_);
}

clpool_status Sweep::run() {
  clpool_status status = CLPOOL_SUCCESS;
  world_.begin();
  // On a thread of its own, so that what the library keeps for a thread is made anew, and given up.
  std::thread([&] { status = scenario_.run(world_); }).join();
  stub_fail_none();
  host_memory::fail_none();
  world_.end();
  return status;
}

bool Sweep::can_run(std::string& reason) {
  std::snprintf(current_injection, sizeof current_injection, "\nDied in %s, without a failure\n",
                name_.c_str());
  // What is made once and stays is made by the first runs: descriptors, records of threads.
  for (int i = 0; i < 4; ++i) {
    const clpool_status status = run();
    // Orders between queues and references on devices take OpenCL 1.2, which the driver alone says.
    const bool is_too_old = !world_.cl.has_version(1, 2) && world_.failure().code == CL_INVALID_OPERATION;
    if (status == CLPOOL_ERROR_NOT_SUPPORTED || is_too_old) {
      reason = world_.failure().message;
      return false;
    }
    EXPECT_EQ(status, CLPOOL_SUCCESS)
        << name_ << ": " << world_.failure().call << ": " << world_.failure().message;
    for (const std::string& complaint : world_.complaints()) {
      ADD_FAILURE() << name_ << ": " << complaint;
    }
    live_before_ = i < 3 ? host_memory::live() : live_before_;
  }
  check_leaks({});
  return !testing::Test::HasFailure();
}

void Sweep::fail_calls() {
  world_.records = true;
  EXPECT_EQ(run(), CLPOOL_SUCCESS);
  world_.records = false;
  const std::vector<std::string> calls = world_.record;
  std::map<std::string, std::uint64_t> seen;
  static auto& all_codes = *new std::set<cl_int>;
  std::uint64_t of_all = 0;
  std::uint64_t number = 0;
  totals().scenarios.insert(name_);
  for (const std::string& entry_point : calls) {
    Injection injection{entry_point, ++seen[entry_point]};
    of_all += is_fallible(entry_point) ? 1 : 0;
    injection.nth_of_all = of_all;
    const std::vector<cl_int>& codes = codes_of(entry_point);
    if (codes.empty() && entry_point != "clSVMFree" &&
        entry_point != "clGetExtensionFunctionAddressForPlatform") {
      ADD_FAILURE() << "codes.cpp does not know " << entry_point;
    }
    if (codes.empty() || ++number % step() != 0) {
      continue;
    }
    ++totals().calls;
    all_codes.insert(codes.begin(), codes.end());
    for (const cl_int code : codes) {
      injection.code = code;
      inject(injection);
    }
    if (is_fallible(entry_point) && !scenario_.waits_for_the_driver) {
      for (const cl_int code : {codes.front(), codes.back()}) {
        injection.code = code;
        injection.lasting = Injection::Lasting::entry_point;
        inject(injection);
        injection.lasting = Injection::Lasting::everything;
        inject(injection);
      }
    }
    run_again(injection);
  }
  totals().codes = all_codes.size();
}

void Sweep::fail_allocations() {
  host_memory::start_counting();
  EXPECT_EQ(run(), CLPOOL_SUCCESS);
  const std::uint64_t count = host_memory::allocations();
  totals().scenarios.insert(name_);
  for (std::uint64_t nth = step(); nth <= count; nth += step()) {
    ++totals().allocations;
    Injection injection{"", nth};
    inject(injection);
    injection.lasting = Injection::Lasting::everything;
    inject(injection);
    run_again(injection);
  }
}

void Sweep::inject(const Injection& injection) {
  std::snprintf(current_injection, sizeof current_injection, "\nDied in %s when %s\n", name_.c_str(),
                text_of(injection).c_str());
  alarm(patience);
  const char* const entry_point = injection.entry_point.c_str();
  if (injection.entry_point.empty()) {
    host_memory::fail(injection.nth, injection.lasting != Injection::Lasting::once);
  } else if (injection.lasting == Injection::Lasting::once) {
    stub_fail(entry_point, injection.nth, injection.code);
  } else if (injection.lasting == Injection::Lasting::entry_point) {
    stub_fail_from(entry_point, injection.nth, injection.code);
  } else {
    stub_fail_from(nullptr, injection.nth_of_all, injection.code);
  }
  const clpool_status status = run();
  ++totals().injected;
  ++(status == CLPOOL_SUCCESS ? totals().recovered : totals().refused);
  check(injection, status);
  alarm(0);
}

void Sweep::check(const Injection& injection, clpool_status status) {
  const bool failed = injection.entry_point.empty() ? host_memory::failures() != 0 : stub_failures() != 0;
  if (!failed && injection.entry_point != "clGetEventInfo") {
    complain(injection, "it does not happen");
  }
  for (const std::string& complaint : world_.complaints()) {
    complain(injection, complaint);
  }
  for (const Message& message : world_.messages()) {
    if (message.text.rfind("guard: ", 0) == 0) {
      complain(injection, "a guard finds something in a right program: " + message.text);
    }
  }
  log_outcome(name_ + '\t' + text_of(injection) + '\t' + std::to_string(status) + '\t' +
              world_.failure().call + '\t' + world_.failure().message);
  check_status(injection, status);
  check_leaks(injection);
}

void Sweep::check_status(const Injection& injection, clpool_status status) {
  const Failure& failure = world_.failure();
  if (status == CLPOOL_SUCCESS) {
    const bool is_told =
        std::any_of(world_.messages().begin(), world_.messages().end(),
                    [&](const Message& message) { return names(message.text, injection.code); });
    if (!is_told && !world_.is_hidden() && world_.failed_releases().empty() &&
        !may_recover(scenario_.name, profile_, injection)) {
      complain(injection, "nobody is told");
    }
    return;
  }
  if (failure.message.empty()) {
    complain(injection, "the failure of " + std::string(failure.call) + " has no message");
  }
  if (injection.entry_point.empty()) {
    if (status != CLPOOL_ERROR_OUT_OF_HOST_MEMORY) {
      complain(injection, std::string(failure.call) + " returns " + clpool_status_string(status) + ": " +
                              failure.message);
    }
    return;
  }
  if (is_other_status(scenario_.name, injection, status)) {
    return;
  }
  if (status != status_of(is_other_code(injection, failure) ? failure.code : injection.code)) {
    complain(injection,
             std::string(failure.call) + " returns " + clpool_status_string(status) + ": " + failure.message);
  } else if (failure.code != injection.code && !is_other_code(injection, failure)) {
    complain(injection, std::string(failure.call) + " returns the OpenCL error " +
                            std::to_string(failure.code) + ": " + failure.message);
  } else if (!names(failure.message, failure.code)) {
    complain(injection, std::string(failure.call) + " does not name the error: " + failure.message);
  }
}

void Sweep::check_leaks(const Injection& injection) {
  char text[512] = "";
  if (stub_same_counts(&before_, text, sizeof text) == 0) {
    if (!may_leave_something(injection, world_)) {
      complain(injection, std::string("left behind: ") + text);
    }
    stub_read_counts(&before_);
  }
  if (const std::int64_t live = host_memory::live(); live > live_before_) {
    complain(injection, std::to_string(live - live_before_) + " allocations of host memory are left");
    live_before_ = live;
  }
}

void Sweep::run_again(const Injection& injection) {
  const clpool_status status = run();
  if (status != CLPOOL_SUCCESS) {
    complain(injection,
             std::string("afterwards ") + world_.failure().call + " fails: " + world_.failure().message);
  }
  for (const std::string& complaint : world_.complaints()) {
    complain(injection, "afterwards " + complaint);
  }
  check_leaks(injection);
}

void Sweep::complain(const Injection& injection, const std::string& what) {
  if (++complaints_ <= most_complaints) {
    ADD_FAILURE() << name_ << ": " << text_of(injection) << ": " << what;
  } else if (complaints_ == most_complaints + 1) {
    ADD_FAILURE() << name_ << ": and more";
  }
}

}  // namespace clpool::test
