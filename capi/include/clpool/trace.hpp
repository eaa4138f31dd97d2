// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// C++ layer over trace.h. Header only, C++17; what the functions do is documented there.
#ifndef CLPOOL_TRACE_HPP
#define CLPOOL_TRACE_HPP

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "clpool/error.hpp"
#include "clpool/pool.hpp"
#include "clpool/trace.h"

namespace clpool {

/// An allocation log that was read; shared by copies. Any number of threads may use one.
class Trace {
 public:
  /// Asked now and then with the events that are done and all of them; false stops the replay, which then fails with
  /// CLPOOL_ERROR_CALLBACK. What it throws is thrown on.
  using Progress = std::function<bool(uint64_t, uint64_t)>;

  Trace() noexcept = default;
  static Trace open(const std::string& path, OnError error = {}) {
    return made(error, clpool_trace_open, path.c_str());
  }
  /// `name`: for messages.
  static Trace parse(std::string_view text, const std::string& name = "log", OnError error = {}) {
    return made(error, clpool_trace_parse, text.data() != nullptr ? text.data() : "", text.size(),
                name.c_str());
  }

  clpool_trace_stats statistics(OnError error = {}) const {
    clpool_trace_stats stats = CLPOOL_TRACE_STATS_INIT;
    error(clpool_trace_statistics(get(), &stats));
    return stats;
  }
  clpool_trace_event event(uint64_t index, OnError error = {}) const {
    clpool_trace_event event = CLPOOL_TRACE_EVENT_INIT;
    error(clpool_trace_event_at(get(), index, &event));
    return event;
  }
  clpool_trace_replay_result replay(const Pool& pool, const Progress& progress = {},
                                    OnError error = {}) const {
    return replay_with(clpool_trace_replay_pool, pool.get(), progress, error);
  }
  clpool_trace_replay_result replay(const Allocator& allocator, const Progress& progress = {},
                                    OnError error = {}) const {
    return replay_with(clpool_trace_replay_allocator, allocator.get(), progress, error);
  }
  clpool_trace* get() const noexcept { return trace_.get(); }
  explicit operator bool() const noexcept { return trace_ != nullptr; }

 private:
  template <typename Function, typename... Arguments>
  static Trace made(OnError error, Function function, Arguments... arguments) {
    clpool_trace* trace = nullptr;
    Trace result;
    if (error(function(arguments..., &trace))) {
      result.trace_.reset(trace, clpool_trace_release);
    }
    return result;
  }
  template <typename Function, typename Target>
  clpool_trace_replay_result replay_with(Function function, Target* target, const Progress& progress,
                                         OnError error) const {
    struct Call {
      const Progress& progress;
      std::exception_ptr exception;
    } call{progress, nullptr};
    clpool_trace_replay_options options = CLPOOL_TRACE_REPLAY_OPTIONS_INIT;
    options.user = &call;
    if (progress) {
      options.progress = [](void* user, uint64_t done, uint64_t total) -> int32_t {
        auto* running = static_cast<Call*>(user);
        bool goes_on = false;
        static_cast<void>(detail::without_exceptions([&] { goes_on = running->progress(done, total); },
                                                     &running->exception));
        return goes_on ? 0 : 1;
      };
    }
    clpool_trace_replay_result result = CLPOOL_TRACE_REPLAY_RESULT_INIT;
    const clpool_status status = function(get(), target, &options, &result);
    if (call.exception != nullptr) {
      std::rethrow_exception(call.exception);
    }
    error(status);
    return result;
  }
  std::shared_ptr<clpool_trace> trace_;
};

/// Writes an allocation log; shared by copies. The last one closes the file. Thread-safe.
class TraceWriter {
 public:
  TraceWriter() noexcept = default;
  explicit TraceWriter(const std::string& path, OnError error = {}) {
    clpool_trace_writer* writer = nullptr;
    if (error(clpool_trace_writer_create(path.c_str(), &writer))) {
      writer_.reset(writer, clpool_trace_writer_release);
    }
  }
  void allocated(uint64_t pointer, uint64_t size, uint64_t stream = 0, const char* tag = nullptr,
                 OnError error = {}) const {
    write(CLPOOL_TRACE_ALLOCATE, pointer, size, stream, CLPOOL_SUCCESS, tag, error);
  }
  void released(uint64_t pointer, uint64_t size, uint64_t stream = 0, const char* tag = nullptr,
                OnError error = {}) const {
    write(CLPOOL_TRACE_RELEASE, pointer, size, stream, CLPOOL_SUCCESS, tag, error);
  }
  void failed(uint64_t size, clpool_status status, uint64_t stream = 0, const char* tag = nullptr,
              OnError error = {}) const {
    write(CLPOOL_TRACE_ALLOCATE_FAILURE, 0, size, stream, status, tag, error);
  }
  void flush(OnError error = {}) const { error(clpool_trace_writer_flush(get())); }
  clpool_trace_writer* get() const noexcept { return writer_.get(); }
  explicit operator bool() const noexcept { return writer_ != nullptr; }

 private:
  void write(uint32_t action, uint64_t pointer, uint64_t size, uint64_t stream, clpool_status status,
             const char* tag, OnError error) const {
    error(clpool_trace_writer_write(get(), action, pointer, size, stream, status, tag));
  }
  std::shared_ptr<clpool_trace_writer> writer_;
};

}  // namespace clpool

#endif
