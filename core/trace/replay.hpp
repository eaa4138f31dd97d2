// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Runs an allocation log against anything that allocates and measures it. A template, so that between two
// calls of the target there is nothing but an array walk.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

#include "base/reported.hpp"
#include "base/status.hpp"
#include "trace/log.hpp"

namespace clpool::core {

struct ReplayProgress {
  std::int32_t (*callback)(void* user, std::uint64_t done, std::uint64_t total) = nullptr;
  void* user = nullptr;
  std::uint64_t interval = 0;  ///< events between two calls, > 0
};

struct ReplayFigures {
  std::uint64_t allocations = 0;  ///< that succeeded
  std::uint64_t releases = 0;
  std::uint64_t out_of_memory = 0;
  std::uint64_t elapsed_ns = 0;
  std::uint64_t peak_live_bytes = 0;  ///< requested, of the allocations that succeeded
};

/// One replay. `Target` has `using Block` (a pointer type), `Status allocate(size, Block&)`, which leaves
/// null on failure, and `void release(Block)`, which takes null.
template <typename Target>
class Replay {
 public:
  Replay(const TraceLog& log, Target& target) : target_(target), blocks_(log.slot_count) {
    steps_.reserve(log.events.size());
    for (const TraceEvent& event : log.events) {
      if (event.slot != no_trace_slot) {
        steps_.push_back({event.size, event.slot << 1 | (event.action == TraceAction::release ? 1u : 0u)});
      }
    }
  }
  Replay(const Replay&) = delete;
  Replay& operator=(const Replay&) = delete;
  ~Replay() { release_all(); }

  /// Out of memory is counted and the block is left out; any other failure ends the replay. Blocks that the
  /// log leaves live are released at the end, within the time measured; the progress callback is outside it.
  /// CALLBACK if the callback asked to stop, or threw.
  Status run(const ReplayProgress& progress, ReplayFigures& figures) {
    std::size_t done = 0;
    while (done < steps_.size()) {
      const std::size_t end =
          done + static_cast<std::size_t>(std::min<std::uint64_t>(progress.interval, steps_.size() - done));
      const auto begin_time = Clock::now();
      const Status status = run_steps(done, end, figures);
      elapsed_ += Clock::now() - begin_time;
      CLPOOL_TRY(status);
      done = end;
      CLPOOL_TRY(tell(progress, done));
    }
    const auto begin_time = Clock::now();
    figures.releases += release_all();
    elapsed_ += Clock::now() - begin_time;
    figures.elapsed_ns =
        static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(elapsed_).count());
    figures.peak_live_bytes = peak_of_successes();
    return Status::success;
  }

 private:
  Status tell(const ReplayProgress& progress, std::size_t done) const {
    if (progress.callback == nullptr) {
      return Status::success;
    }
    std::int32_t answer = 0;
    if (const Thrown thrown([&] { answer = progress.callback(progress.user, done, steps_.size()); });
        thrown) {
      return fail(Status::callback, "the progress callback threw after %zu of %zu events%s", done,
                  steps_.size(), thrown.text());
    }
    return answer == 0
               ? Status::success
               : fail(Status::callback, "the progress callback stopped the replay after %zu of %zu events",
                      done, steps_.size());
  }

  using Clock = std::chrono::steady_clock;
  using Block = typename Target::Block;
  /// Two words an event, so that the walk leaves the cache to the target.
  struct Step {
    std::uint64_t size;
    std::uint64_t slot_and_action;
    std::uint64_t slot() const noexcept { return slot_and_action >> 1; }
    bool is_release() const noexcept { return (slot_and_action & 1) != 0; }
  };

  Status run_steps(std::size_t begin, std::size_t end, ReplayFigures& figures) {
    for (std::size_t i = begin; i < end; ++i) {
      const Step step = steps_[i];
      Block& block = blocks_[step.slot()];
      if (step.is_release()) {
        figures.releases += block != nullptr ? 1 : 0;
        target_.release(block);
        block = nullptr;
        continue;
      }
      const Status status = target_.allocate(step.size, block);
      if (status == Status::success) [[likely]] {
        ++figures.allocations;
      } else if (status == Status::out_of_memory) {
        ++figures.out_of_memory;
        failed_steps_.push_back(i);
      } else {
        return status;
      }
    }
    return Status::success;
  }

  std::uint64_t release_all() noexcept {
    std::uint64_t count = 0;
    for (Block& block : blocks_) {
      if (block != nullptr) {
        target_.release(block);
        block = nullptr;
        ++count;
      }
    }
    return count;
  }

  /// Counted afterwards, so that the measured loop has nothing to do for it.
  std::uint64_t peak_of_successes() const {
    std::vector<std::uint64_t> live_sizes(blocks_.size());
    std::uint64_t live = 0;
    std::uint64_t peak = 0;
    auto failed = failed_steps_.begin();
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const Step& step = steps_[i];
      if (step.is_release()) {
        live -= live_sizes[step.slot()];
        continue;
      }
      const bool has_failed = failed != failed_steps_.end() && *failed == i;
      failed += has_failed ? 1 : 0;
      live_sizes[step.slot()] = has_failed ? 0 : step.size;
      live += live_sizes[step.slot()];
      peak = std::max(peak, live);
    }
    return peak;
  }

  Target& target_;
  std::vector<Step> steps_;
  std::vector<Block> blocks_;
  std::vector<std::size_t> failed_steps_;
  Clock::duration elapsed_{};
};

}  // namespace clpool::core
