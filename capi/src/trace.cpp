// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Shims of clpool/trace.h for logs and writers, and of the trace decorator of clpool/allocator.h. Replays are
// in trace_replay.cpp.
#include "clpool/trace.h"

#include <cstddef>

#include "allocator/trace.hpp"
#include "handles.hpp"
#include "shim.hpp"
#include "trace/reader.hpp"

using clpool::capi::begin_object;
using clpool::capi::begin_result;
using clpool::capi::guarded;
using clpool::capi::release_later;
using clpool::capi::require;
using clpool::capi::to_core;
using clpool::capi::to_handle;
using clpool::capi::write_result;
using clpool::core::Reference;
using clpool::core::Status;
using clpool::core::TraceAction;
using clpool::core::TraceEvent;
using clpool::core::TraceFigures;
using clpool::core::TraceLog;
using clpool::core::TraceWriter;

namespace {

static_assert(CLPOOL_TRACE_ALLOCATE == static_cast<int>(TraceAction::allocate));
static_assert(CLPOOL_TRACE_RELEASE == static_cast<int>(TraceAction::release));
static_assert(CLPOOL_TRACE_ALLOCATE_FAILURE == static_cast<int>(TraceAction::allocate_failure));
static_assert(CLPOOL_TRACE_NO_SLOT == clpool::core::no_trace_slot);

/// Runs `read` on a new log and hands it to the caller.
template <typename Read>
clpool_status create_log(clpool_trace** out, const char* function, Read&& read) noexcept {
  return guarded([&]() -> Status {
    CLPOOL_TRY(begin_object(out, function));
    auto log = Reference<TraceLog>::adopt(new TraceLog);
    CLPOOL_TRY(read(*log));
    *out = to_handle(log.detach());
    return Status::success;
  });
}

}  // namespace

clpool_status clpool_trace_open(const char* path, clpool_trace** out) noexcept {
  constexpr const char* function = __func__;
  return create_log(out, function, [&](TraceLog& log) -> Status {
    CLPOOL_TRY(require(path, function, "path"));
    return clpool::core::read_trace_file(path, log);
  });
}

clpool_status clpool_trace_parse(const char* text, size_t length, const char* name,
                                 clpool_trace** out) noexcept {
  constexpr const char* function = __func__;
  return create_log(out, function, [&](TraceLog& log) -> Status {
    CLPOOL_TRY(require(text, function, "text"));
    CLPOOL_TRY(require(name, function, "name"));
    return clpool::core::read_trace({text, length}, name, log);
  });
}

clpool_status clpool_trace_retain(clpool_trace* trace) noexcept {
  constexpr const char* function = __func__;
  return guarded([&]() -> Status {
    CLPOOL_TRY(require(trace, function, "trace"));
    to_core(trace)->retain();
    return Status::success;
  });
}

clpool_status clpool_trace_release(clpool_trace* trace) noexcept {
  if (trace != nullptr) {
    to_core(trace)->release();
  }
  clpool::core::finish_later_releases();
  return CLPOOL_SUCCESS;
}

clpool_status clpool_trace_release_later(clpool_trace* trace) noexcept {
  if (trace != nullptr) {
    to_core(trace)->release_later();
  }
  return CLPOOL_SUCCESS;
}

void clpool_trace_stats_init(clpool_trace_stats* stats) noexcept {
  clpool::capi::initialize<clpool_trace_stats>(stats, CLPOOL_TRACE_STATS_INIT);
}

clpool_status clpool_trace_statistics(const clpool_trace* trace, clpool_trace_stats* stats) noexcept {
  constexpr const char* function = __func__;
  return guarded([&]() -> Status {
    clpool_trace_stats result = CLPOOL_TRACE_STATS_INIT;
    CLPOOL_TRY(begin_result(result, stats, function, "stats"));
    CLPOOL_TRY(require(trace, function, "trace"));
    const TraceFigures& figures = to_core(trace)->figures;
    result.events = to_core(trace)->events.size();
    result.allocations = figures.allocations;
    result.releases = figures.releases;
    result.allocate_failures = figures.allocate_failures;
    result.threads = figures.threads;
    result.distinct_sizes = figures.distinct_sizes;
    result.largest_bytes = figures.largest_bytes;
    result.peak_live_bytes = figures.peak_live_bytes;
    result.peak_live_blocks = figures.peak_live_blocks;
    result.final_live_bytes = figures.final_live_bytes;
    result.final_live_blocks = figures.final_live_blocks;
    return write_result(result, stats, function);
  });
}

void clpool_trace_event_init(clpool_trace_event* event) noexcept {
  clpool::capi::initialize<clpool_trace_event>(event, CLPOOL_TRACE_EVENT_INIT);
}

clpool_status clpool_trace_event_at(const clpool_trace* trace, uint64_t index,
                                    clpool_trace_event* event) noexcept {
  constexpr const char* function = __func__;
  return guarded([&]() -> Status {
    clpool_trace_event result = CLPOOL_TRACE_EVENT_INIT;
    CLPOOL_TRY(begin_result(result, event, function, "event"));
    CLPOOL_TRY(require(trace, function, "trace"));
    const auto& events = to_core(trace)->events;
    if (index >= events.size()) {
      return fail(Status::invalid_value, "%s: index is %llu, the log has %zu events", function,
                  static_cast<unsigned long long>(index), events.size());
    }
    const TraceEvent& source = events[index];
    result.action = static_cast<uint32_t>(source.action);
    result.thread = source.thread;
    result.time_us = source.time_us;
    result.pointer = source.pointer;
    result.size = source.size;
    result.stream = source.stream;
    result.line = source.line;
    result.slot = source.slot;
    return write_result(result, event, function);
  });
}

clpool_status clpool_trace_writer_create(const char* path, clpool_trace_writer** out) noexcept {
  constexpr const char* function = __func__;
  return guarded([&]() -> Status {
    CLPOOL_TRY(begin_object(out, function));
    CLPOOL_TRY(require(path, function, "path"));
    Reference<TraceWriter> writer;
    CLPOOL_TRY(TraceWriter::create(path, writer));
    *out = to_handle(writer.detach());
    return Status::success;
  });
}

clpool_status clpool_trace_writer_write(clpool_trace_writer* writer, uint32_t action, uint64_t pointer,
                                        uint64_t size, uint64_t stream, clpool_status status,
                                        const char* tag_or_null) noexcept {
  constexpr const char* function = __func__;
  return guarded([&]() -> Status {
    CLPOOL_TRY(require(writer, function, "writer"));
    if (action < CLPOOL_TRACE_ALLOCATE || action > CLPOOL_TRACE_ALLOCATE_FAILURE) {
      return fail(Status::invalid_value, "%s: action is %u, valid are %d to %d", function, action,
                  CLPOOL_TRACE_ALLOCATE, CLPOOL_TRACE_ALLOCATE_FAILURE);
    }
    if (action != CLPOOL_TRACE_ALLOCATE_FAILURE && pointer == 0 && size != 0) {
      return fail(
          Status::invalid_value,
          "%s: pointer is 0 for %llu bytes; an allocation that failed is CLPOOL_TRACE_ALLOCATE_FAILURE",
          function, static_cast<unsigned long long>(size));
    }
    return to_core(writer)->write({.action = static_cast<TraceAction>(action),
                                   .pointer = pointer,
                                   .size = size,
                                   .stream = stream,
                                   .status = static_cast<Status>(status),
                                   .tag = tag_or_null});
  });
}

clpool_status clpool_trace_writer_flush(clpool_trace_writer* writer) noexcept {
  constexpr const char* function = __func__;
  return guarded([&]() -> Status {
    CLPOOL_TRY(require(writer, function, "writer"));
    return to_core(writer)->flush();
  });
}

clpool_status clpool_trace_writer_retain(clpool_trace_writer* writer) noexcept {
  constexpr const char* function = __func__;
  return guarded([&]() -> Status {
    CLPOOL_TRY(require(writer, function, "writer"));
    to_core(writer)->retain();
    return Status::success;
  });
}

clpool_status clpool_trace_writer_release(clpool_trace_writer* writer) noexcept {
  if (writer != nullptr) {
    to_core(writer)->release();
  }
  clpool::core::finish_later_releases();
  return CLPOOL_SUCCESS;
}

clpool_status clpool_trace_writer_release_later(clpool_trace_writer* writer) noexcept {
  return release_later(writer, "the log's writer");
}

clpool_status clpool_allocator_create_trace(clpool_allocator* inner, const char* path,
                                            clpool_allocator** out) noexcept {
  constexpr const char* function = __func__;
  return guarded([&]() -> Status {
    CLPOOL_TRY(begin_object(out, function));
    CLPOOL_TRY(require(inner, function, "inner"));
    CLPOOL_TRY(require(path, function, "path"));
    Reference<clpool::core::Allocator> allocator;
    CLPOOL_TRY(clpool::core::make_trace_allocator(*to_core(inner), path, allocator));
    *out = to_handle(allocator.detach());
    return Status::success;
  });
}
