// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// TraceLog: an allocation log in memory, checked and ready to be replayed. How it is read is in reader.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/reference.hpp"

namespace clpool::core {

/// What a row of a log says; the numbers are those of clpool/trace.h.
enum class TraceAction : std::uint32_t { allocate = 1, release = 2, allocate_failure = 3 };

/// Slot of an event that concerns no block: a failure, or size 0 at the null pointer.
inline constexpr std::uint64_t no_trace_slot = UINT64_MAX;

struct TraceEvent {
  TraceAction action = TraceAction::allocate;
  std::uint64_t thread = 0;
  std::uint64_t time_us = 0;  ///< microseconds since whatever moment the log counts from
  std::uint64_t pointer = 0;  ///< identity of the block while it is live
  std::uint64_t size = 0;     ///< bytes, as requested
  std::uint64_t stream = 0;
  std::uint64_t line = 0;  ///< line of the file, from 1
  /// Index of the block in a dense array: between its allocation and its release no other block has it, so
  /// that a replay needs one array of TraceLog::slot_count entries and no search.
  std::uint64_t slot = no_trace_slot;
};

struct TraceFigures {
  std::uint64_t allocations = 0;
  std::uint64_t releases = 0;
  std::uint64_t allocate_failures = 0;
  std::uint64_t threads = 0;
  std::uint64_t distinct_sizes = 0;
  std::uint64_t largest_bytes = 0;
  std::uint64_t peak_live_bytes = 0;
  std::uint64_t peak_live_blocks = 0;
  std::uint64_t final_live_bytes = 0;  ///< never released in the log
  std::uint64_t final_live_blocks = 0;
};

class TraceLog final : public Shared {
 public:
  std::string name;  ///< for messages
  std::vector<TraceEvent> events;
  std::uint64_t slot_count = 0;
  TraceFigures figures;
};

}  // namespace clpool::core
