// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Results of replays: as a table for people and as JSON for programs.
#pragma once

#include <clpool/clpool.h>

#include <optional>
#include <string>
#include <vector>

#include "device_choice.hpp"
#include "peak_waste.hpp"

namespace clpool::program {

/// One log replayed with one strategy.
struct ReplayOutcome {
  std::string log;  ///< path as it was given
  std::string strategy;
  clpool_trace_stats trace = CLPOOL_TRACE_STATS_INIT;
  clpool_trace_replay_result result = CLPOOL_TRACE_REPLAY_RESULT_INIT;
  std::optional<PeakWaste> waste;  ///< of coalescing pools
};

struct ReplayReport {
  std::string kind;
  std::optional<Device> device;  ///< none for "dry"
  std::vector<ReplayOutcome> outcomes;
};

std::string as_table(const ReplayReport& report);

/// An object with the members clpool, kind, device (null for dry) and results; ends in a line end.
std::string as_json(const ReplayReport& report);

}  // namespace clpool::program
