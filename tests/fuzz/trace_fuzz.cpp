// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Fuzz driver for the reader of allocation logs: whatever the bytes, the reader either refuses them with a
// reason or gives a log whose figures are those of a recount and whose slots are never used twice at a time.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <string_view>

#include "trace/reader.hpp"

namespace {

using clpool::core::TraceAction;
using clpool::core::TraceEvent;
using clpool::core::TraceLog;

void require(bool holds, const char* what) {
  if (!holds) {
    std::fprintf(stderr, "broken: %s\n", what);
    std::abort();
  }
}

void recount(const TraceLog& log) {
  std::map<std::uint64_t, const TraceEvent*> live;  // by slot
  std::set<std::uint64_t> pointers;
  std::uint64_t bytes = 0;
  std::uint64_t peak = 0;
  for (const TraceEvent& event : log.events) {
    if (event.slot == clpool::core::no_trace_slot) {
      continue;
    }
    require(event.slot < log.slot_count, "slots are below slot_count");
    if (event.action == TraceAction::allocate) {
      require(live.emplace(event.slot, &event).second, "a slot has one block at a time");
      require(pointers.insert(event.pointer).second, "an address is live once at a time");
      bytes += event.size;
      require(bytes >= event.size, "live bytes do not overflow");
      peak = peak < bytes ? bytes : peak;
      continue;
    }
    const auto entry = live.find(event.slot);
    require(entry != live.end() && entry->second->pointer == event.pointer, "a release finds its block");
    require(entry->second->size == event.size, "a release has the size of its allocation");
    bytes -= event.size;
    pointers.erase(event.pointer);
    live.erase(entry);
  }
  require(log.figures.peak_live_bytes == peak, "peak_live_bytes");
  require(log.figures.final_live_bytes == bytes, "final_live_bytes");
  require(log.figures.final_live_blocks == live.size(), "final_live_blocks");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  TraceLog log;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (clpool::core::read_trace(text, "fuzz", log) == clpool::core::Status::success) {
    recount(log);
    return 0;
  }
  require(std::string_view(clpool::core::last_error_message()).starts_with("fuzz:"),
          "a refusal has a reason");
  return 0;
}
