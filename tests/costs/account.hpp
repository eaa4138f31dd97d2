// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What a program over a pool costs: after each of its operations the calls of the driver so far, the pool's figures and
// the messages that came, and every now and then where its blocks are.
#pragma once

#include <clpool/clpool.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace clpool::costs {

/// The calls that are told by name; all others are one sum.
constexpr std::array entry_points{"clCreateBuffer",
                                  "clCreateSubBuffer",
                                  "clReleaseMemObject",
                                  "clSVMAlloc",
                                  "clSVMFree",
                                  "clEnqueueMapBuffer",
                                  "clEnqueueMarkerWithWaitList",
                                  "clEnqueueBarrierWithWaitList",
                                  "clFlush",
                                  "clFinish",
                                  "clWaitForEvents",
                                  "clGetEventInfo"};

class Account {
 public:
  /// From here on: calls are counted, and messages come here, from the thread that runs the program.
  Account();
  Account(const Account&) = delete;
  Account& operator=(const Account&) = delete;
  ~Account();

  /// After an operation. Its line is printed if `prints` is set.
  void note(const Pool& pool);
  /// Figures at the end, and a number that differs if any operation's line differed.
  std::string line() const;

  bool prints = false;

 private:
  static void receive(void* user, std::int32_t severity, const char* text);
  void mix(std::string_view text);

  std::uint64_t digest_ = 0xcbf29ce484222325;  // FNV-1a, 64 bits
  std::uint64_t operations_ = 0;
  std::string messages_, error_;
  std::array<std::uint64_t, entry_points.size()> calls_{};
  clpool_pool_stats stats_ = CLPOOL_POOL_STATS_INIT;
};

/// Above the lines: what stands where in them.
std::string columns();

}  // namespace clpool::costs
