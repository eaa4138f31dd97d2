// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Runs a scenario again and again, each time with another call or allocation that fails, and looks at what
// that does.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "faults/world.hpp"

namespace clpool::test {

/// One thing that goes wrong.
struct Injection {
  std::string entry_point;  ///< of OpenCL; empty: an allocation of host memory
  std::uint64_t nth = 0;    ///< which call of it, or which allocation, from 1
  cl_int code = CL_SUCCESS;
  enum class Lasting { once, entry_point, everything } lasting = Lasting::once;
  std::uint64_t nth_of_all = 0;  ///< the same call, counted among all that can fail
};
std::string text_of(const Injection& injection);

/// What all sweeps of the process did.
struct Totals {
  std::set<std::string> scenarios;  ///< each on each kind of device counts
  std::uint64_t calls = 0;          ///< of OpenCL, that were failed in turn
  std::uint64_t codes = 0;          ///< errors that were tried on any of them
  std::uint64_t allocations = 0;    ///< of host memory, that were failed in turn
  std::uint64_t injected = 0;
  std::uint64_t refused = 0;    ///< ended with a status
  std::uint64_t recovered = 0;  ///< ended as if nothing had happened
};
Totals& totals();

/// Prints which injection it was, should the process die of one, or hang.
void report_deaths();

class Sweep {
 public:
  Sweep(const Scenario& scenario, const std::string& profile, const std::string& options);
  Sweep(const Sweep&) = delete;
  Sweep& operator=(const Sweep&) = delete;

  /// False if the device cannot do what the scenario needs; `reason` says what.
  bool can_run(std::string& reason);

  /// Each OpenCL call fails in turn, with each code that it may return.
  void fail_calls();
  /// Each allocation of host memory fails in turn.
  void fail_allocations();

 private:
  clpool_status run();
  void inject(const Injection& injection);
  void check(const Injection& injection, clpool_status status);
  void check_status(const Injection& injection, clpool_status status);
  void check_leaks(const Injection& injection);
  void run_again(const Injection& injection);
  void complain(const Injection& injection, const std::string& what);

  const Scenario& scenario_;
  std::string profile_;
  std::string name_;
  World world_;
  stub_counts before_ = {};
  std::int64_t live_before_ = 0;
  int complaints_ = 0;
};

}  // namespace clpool::test
