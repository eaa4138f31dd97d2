// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The recorded allocation logs of tests/data, as events.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace clpool::benchmarks {

struct LogEvent {
  std::uint64_t slot;  ///< identifies the block while it is live
  bool is_allocation;
  std::uint64_t size;  ///< bytes
};

struct Log {
  std::vector<LogEvent> events;
  std::uint64_t slots = 0;
  std::uint64_t peak_live = 0;  ///< bytes
};

/// Names of the recorded logs.
inline constexpr const char* recorded_logs[] = {"resnet50-train", "gpt2-train-varlen",
                                                "euler2d-rk3",    "pyopencl-array-tests",
                                                "unet-multires",  "kv-concat-serving"};

/// Reads tests/data/<name>.csv.gz; ends the program if it cannot.
Log read_log(const std::string& name);

}  // namespace clpool::benchmarks
