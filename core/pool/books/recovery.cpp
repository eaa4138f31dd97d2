// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// How a request is served: the stages that it goes through, in their order, from a free block to an error.
// Each stage is one function that does what can be done in the books alone, or asks for one step. Those of a new chunk
// are in growth.cpp, what a block needs of handles in handles.cpp. With the pool's mutex held, but for begin(), which needs none.
#include <algorithm>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <utility>

#include "pool/books/books.hpp"

namespace clpool::core {
namespace {

/// How many longest waits a request waits in all while others are served, how often it begins again because of
/// others that ask for memory, and how often without a wait.
constexpr std::uint64_t most_waits = 6;
constexpr int most_looks_for_room = 64;
constexpr int most_beginnings = 64;

/// How long a request waits in all where nothing is on its way, but other threads got blocks back since it began. Longer, or
/// since the thread's request before it, would serve small requests beside large blocks that change hands; but programs that take
/// out of memory for a sign to do without, or to give something back, would wait each time.
constexpr std::uint64_t longest_wait_for_users_ns = 10'000'000;

/// CL_INVALID_BUFFER_SIZE.
constexpr cl_int invalid_buffer_size = -61;

/// Bytes that would do for the request, without any rounding.
std::uint64_t least_size(const Request& request) noexcept {
  return std::max<std::uint64_t>(request.size, 1);
}

}  // namespace

constexpr Books::Stage Books::stages_[] = {
    &Books::take_free,           // a free block that is no waste
    &Books::look_at_pending,     // … with releases that have completed
    &Books::empty_caches,        // … with what the threads' caches hold, unless it is little
    &Books::look_at_all,         // … behind any number that have not
    &Books::settle_pending,      // … or are about to
    &Books::take_left,           // … or that it would not cut up, or left to others, till then
    &Books::look_before_growth,  // chunks go back before the pool grows: see which are idle
    &Books::settle_before_peak,  // … or are about to be
    &Books::grow,                // a new chunk
    &Books::take_misfit,         // any free block
    &Books::grow_exactly,        // … no larger than the request
    &Books::empty_all_caches,    // … with all that the threads' caches hold
    &Books::end_rest,            // what rests in a guarded pool rests no longer
    &Books::end_pools,           // what ended pools kept for commands that are through now, then the driver
    &Books::collect,             // the user's collector, then all of the above that calls no driver
    &Books::retry,               // the driver once more, also where there was no handle to be had
    &Books::take_larger,         // a larger block than one would like
    &Books::give_back_for_rounded,  // held chunks go back, largest first, no more of them than it takes
    &Books::try_exact,              // the exact size
    &Books::give_back_for_exact,
    &Books::wait,             // until something comes free, or queues are through with what may go then
    &Books::try_to_the_last,  // all of the above that does not wait, as others did not wait either
    &Books::ask_user,
    &Books::give_up,
};

std::uint16_t Books::place_of(Stage stage) noexcept {
  std::uint16_t place = 0;
  while (stages_[place] != stage) {
    ++place;
  }
  return place;
}

Status Books::begin_too_large(std::size_t size, Request& request) const noexcept {
  const std::uint64_t most = rules_.max_chunk_bytes;
  if (most != 0 && size > most) {
    return fail_behind(Status::invalid_value, invalid_buffer_size,
                       "a block of %zu bytes was asked for, the device allows %llu", size,
                       static_cast<unsigned long long>(most));
  }
  if (size > PTRDIFF_MAX) {
    return fail_behind(Status::invalid_value, invalid_buffer_size,
                       "a block of %zu bytes was asked for, the largest possible size is %td", size,
                       PTRDIFF_MAX);
  }
  if (request.rounded < least_size(request)) {
    return fail_behind(
        Status::invalid_value, invalid_buffer_size,
        "a block of %zu bytes was asked for, which is too large where blocks start at multiples of "
        "%llu bytes",
        size, static_cast<unsigned long long>(rules_.granule));
  }
  if (most != 0 && request.rounded > most) {
    request.rounded = least_size(request);
  }
  return Status::success;
}

Step Books::next(Request& request) {
  if (request.turn != turn_ && request.block == nullptr && request.wanted == 0) {
    request.stage = 0;  // something has come free since the last step
    request.done &= ~pending_settled;
  }
  Step step{Step::Kind::done};  // the result itself: a copy would wait for what was written just before
  while (request.failure == Status::success) {
    step.kind = Step::Kind::done;
    if (request.block != nullptr) {
      step.kind = handle_step(request, step.amount);
      if (request.block == nullptr) {
        continue;
      }
      if (step.kind == Step::Kind::done) {
        misses_ += request.grew ? 1 : 0;
        request.block->virgin = false;
      }
      return step;
    }
    if (request.wanted != 0) {
      step.kind = chunk_step(request, step.amount);
    } else if (const Stage stage = stages_[request.stage]; !(this->*stage)(request, step)) {
      ++request.stage;
      continue;
    }
    if (step.kind != Step::Kind::done) {
      request.turn = turn_;
      return step;
    }
  }
  step.kind = Step::Kind::fail;
  return step;
}

PoolBlock* Books::take_at_once(Request& request) {
  Block* block = shapes_ != nullptr ? take_place(request, growth_limits()) : nullptr;
  block = block != nullptr ? block : take(request, strategy_->find(request.rounded));
  if (block == nullptr) {
    return nullptr;
  }
  PoolBlock& taken = pool_block(*block);
  const PoolChunk& chunk = pool_chunk(*taken.chunk);
  if (rules_.has_handles && taken.Block::size != chunk.size &&
      !chunk.parts.has_unused(request.part != nullptr ? request.part : part_beside(taken), taken.offset,
                              taken.Block::size, surroundings_.uses_parts_once())) {
    request.part = nullptr;
    put_back(taken, 0);
    return nullptr;
  }
  request.block = &taken;
  static_cast<void>(next(request));  // its handle is alive
  return &taken;
}

bool Books::may_recover(Status status, cl_int code, bool was_rounded) noexcept {
  return status == Status::out_of_memory ||
         (status == Status::opencl && code == invalid_buffer_size && was_rounded);
}

bool Books::once(Request& request, Once what) noexcept {
  const bool first = (request.done & what) == 0;
  request.done |= what;
  return first;
}

bool Books::found(Request& request, Block* block) noexcept {
  request.block = block != nullptr ? &pool_block(*block) : nullptr;
  return false;
}

bool Books::want(Request& request, std::uint64_t bytes) noexcept {
  request.wanted = bytes;
  return true;
}

// Stages.

bool Books::take_free(Request& request, Step&) {
  const bool is_much = is_much_pending(request);
  const bool would_wait = is_much && may_wait(request);
  // Who has less than its share cuts up nothing that others may wait for either.
  request.is_patient = would_wait || (!is_much && would_exceed_slack(request));
  return !(would_wait && leaves_free(request)) && found(request, take_within(request, limits_of(request)));
}

bool Books::take_left(Request& request, Step&) {
  return request.is_patient && found(request, take_within(request, growth_limits()));
}

bool Books::take_misfit(Request& request, Step&) {
  return found(request, take(request, strategy_->find(request.rounded)));
}

bool Books::empty_caches(Request& request, Step& step) {
  step = {Step::Kind::empty_caches};
  return once(request, caches_emptied) || surroundings_.blocks_come_home();
}

bool Books::empty_all_caches(Request& request, Step& step) {
  step = {Step::Kind::empty_all_caches};
  return once(request, all_caches_emptied);
}

bool Books::look_at_pending(Request& request, Step& step) {
  step = {Step::Kind::poll};
  return (pending_blocks_ != 0 || request.has_waiting) && once(request, looked);
}

bool Books::end_pools(Request& request, Step& step) {
  step = {Step::Kind::end_pools};
  return once(request, ended_pools_asked);
}

bool Books::end_rest(Request& request, Step& step) {
  step = {Step::Kind::end_rest};
  return rules_.guarded && pending_blocks_ != 0 && once(request, rest_ended);
}

bool Books::collect(Request& request, Step& step) {
  step = {Step::Kind::collect};
  return options_.callbacks.collect != nullptr && !request.inside && once(request, collected_once);
}

bool Books::retry(Request& request, Step&) {
  // A chunk of just the request's size needs no handle.
  return ((request.done & collected_once) != 0 || request.handles_failed != 0) && once(request, retried) &&
         want(request, request.rounded);
}

bool Books::take_larger(Request& request, Step&) {
  return found(request, strategy_->take_any(least_size(request)));
}

bool Books::give_back_for(Request& request, std::uint64_t bytes) {
  if (!may_fit(bytes)) {
    return false;
  }
  const bool was_enough = !for_each_free_chunk([&](HeapChunk& chunk) {
    if (!may_give_back(chunk)) {
      return true;
    }
    discard(chunk);
    request.gave_back = true;
    return bytes > room() + leaving_bytes_;
  });
  return was_enough && want(request, bytes);
}

bool Books::give_back_for_rounded(Request& request, Step&) {
  return give_back_for(request, request.rounded);
}

bool Books::try_exact(Request& request, Step&) {
  return least_size(request) != request.rounded && once(request, exact_tried) &&
         want(request, least_size(request));
}

bool Books::give_back_for_exact(Request& request, Step&) {
  return least_size(request) != request.rounded && give_back_for(request, least_size(request));
}

void Books::note_look(Request& request) const noexcept {
  request.went_back = went_back_;
  request.given_back = surroundings_.given_back_so_far();
  request.refusals = refusals_;
  request.lacked_room = least_size(request) > room();
}

bool Books::more_went_back(const Request& request) const noexcept {
  return went_back_ != request.went_back ||
         (request.driver_refused && surroundings_.given_back_so_far() != request.given_back);
}

bool Books::may_be_more(const Request& request) const noexcept {
  return more_went_back(request) || (request.lacked_room && refusals_ != request.refusals &&
                                     request.looks_for_room < most_looks_for_room);
}

bool Books::wait(Request& request, Step& step) {
  if (!garbage_.empty()) {
    step = {Step::Kind::release_garbage};
    return true;
  }
  // First, as what was under way may be through, and have brought something, a moment later.
  const bool help_is_coming = help_is_under_way(request);
  if (may_be_more(request) && request.beginnings < most_beginnings) {
    ++request.beginnings;
    if (!more_went_back(request)) {
      ++request.looks_for_room;
    }
    note_look(request);
    begin_again(request, true);
    return true;
  }
  if (request.inside || request.waited_in_vain || least_size(request) > options_.max_bytes) {
    return false;
  }
  // What went back may be free in the driver only when a queue is through, and some may go only then.
  request.waits_for_driver =
      request.driver_refused && (request.gave_back || gone_stamp_ > surroundings_.completed());
  const bool queues_help = surroundings_.has_queues() && (request.done & queues_through) == 0 &&
                           (has_busy_chunk(Staying::is_left_out) || request.waits_for_driver);
  const std::uint64_t now = surroundings_.now_ns();
  std::uint64_t longest = options_.wait_ns;
  request.waits_for_users = !queues_help && !help_is_coming;
  if (request.waits_for_users) {
    if (!others_go_on(request) || request.waited_for_users_ns >= longest_wait_for_users_ns) {
      return false;
    }
    longest = std::min(longest, longest_wait_for_users_ns - request.waited_for_users_ns);
    request.waits_for_users_since = now;
  }
  request.waits_since = request.waits_since == 0 ? now : request.waits_since;
  if ((now - request.waits_since) / most_waits > options_.wait_ns) {
    return false;
  }
  join_line(request);
  request.beginnings = 0;
  request.waits_for_queues = queues_help;
  request.waits_for_room =
      request.lacked_room && reserved_bytes_ != 0 && request.looks_for_room < most_looks_for_room;
  step = {Step::Kind::wait, longest};
  return true;
}

bool Books::try_to_the_last(Request& request, Step&) {
  // The driver is not asked twice within a moment.
  const bool has_waited = request.waits_since != 0;
  if ((request.handles_failed != 0 && !has_waited) || !once(request, tried_to_the_last)) {
    return false;
  }
  begin_again(request, has_waited);
  return true;
}

bool Books::ask_user(Request& request, Step& step) {
  step = {Step::Kind::ask_user};
  return options_.callbacks.out_of_memory != nullptr && !request.inside;
}

bool Books::give_up(Request& request, Step&) {
  request.failure = Status::out_of_memory;
  return true;
}

// What the stages share.

Step::Kind Books::chunk_step(Request& request, std::uint64_t& amount) {
  if (!garbage_.empty()) {
    return Step::Kind::release_garbage;  // what goes back goes first, so that both never exist at once
  }
  const std::uint64_t bytes = request.wanted;
  note_look(request);
  if (bytes > room()) {
    request.wanted = 0;
    ++out_of_memory_events_;
    return Step::Kind::done;
  }
  reserved_bytes_ += bytes;
  amount = bytes;
  return Step::Kind::allocate;
}

// What came of the steps.

void Books::arrived(Request& request, std::unique_ptr<PoolChunk> chunk) {
  if (shapes_ != nullptr) {
    chunk->parts.enter_in(*shapes_);
  }
  // The first touch of buffers and a guard's fill are uses.
  chunk->last_release = rules_.has_handles || rules_.guarded ? chunk->ready_epoch : 0;
  newest_stamp_ = std::max(newest_stamp_, chunk->last_release);
  Block* block = strategy_->add_chunk(*chunk, request.rounded);
  static_cast<void>(chunk.release());  // the strategy has it
  reserved_bytes_ -= std::exchange(request.wanted, 0);
  ++turn_;
  ++came_free_;  // what is left of it serves others
  ++driver_allocations_;
  budget_.spend(surroundings_.earning_requests());
  looks_at_budget_ = 0;
  peak_managed_bytes_ = std::max(peak_managed_bytes_, managed_bytes());
  request.block = &pool_block(*block);
  request.grew = true;
}

void Books::refused(Request& request, Status status, cl_int code) noexcept {
  request.code = code;
  std::snprintf(request.refusal, sizeof request.refusal, "%s", last_error_message());
  const std::uint64_t asked = std::exchange(request.wanted, 0);
  reserved_bytes_ -= asked;
  request.driver_refused = true;
  ++refusals_;
  ++turn_;
  request.turn = turn_;  // this thread's own failure is no reason to begin anew
  out_of_memory_events_ += status == Status::out_of_memory ? 1 : 0;
  if (!may_recover(status, code, asked > request.size)) {
    request.failure = status;
  }
}

void Books::pools_ended(Request& request, bool any) noexcept {
  if (any) {
    want(request, request.rounded);
  }
}

void Books::collected(Request& request) noexcept {
  request.done &= ~static_cast<std::uint32_t>(caches_emptied | all_caches_emptied | looked | looked_at_all |
                                              pending_settled);
  request.stage = 0;
}

void Books::begin_again(Request& request, bool asks_driver) noexcept {
  const std::uint32_t kept =
      asks_driver ? std::uint32_t{asked_for_good} : std::uint32_t{asked_for_good} | asked_the_driver;
  request.done = (request.done & kept) | settled_for_good;
  request.stage = 0;
}

void Books::waited(Request& request, Waited how) noexcept {
  if (request.block != nullptr) {
    return;  // for a handle, which is there soon
  }
  if (request.waits_for_users) {
    request.waited_for_users_ns += surroundings_.now_ns() - request.waits_for_users_since;
  }
  switch (how) {
    case Waited::helped:
      // The driver is asked again where it may have more, when there is nothing else: see wait().
      return begin_again(request, false);
    case Waited::through:
      // All that could be given back is idle now, and gone if it went before. First whatever came free meanwhile.
      request.done |= queues_through;
      request.stage = place_of(&Books::take_larger);
      if (request.waits_for_driver) {
        request.done &= ~static_cast<std::uint32_t>(exact_tried);
        request.gave_back = false;
        want(request, request.rounded);
      }
      return;
    case Waited::over:
      return;  // whatever came of it, the stage looks again
    case Waited::in_vain:
      request.waited_in_vain = !request.waits_for_users;  // that was no more than a moment
      return;
  }
}

void Books::answered(Request& request, bool again_wanted) noexcept {
  if (again_wanted) {
    begin_anew(request);
  } else {
    request.failure = Status::out_of_memory;
  }
}

void Books::begin_anew(Request& request) noexcept {
  request.failure = Status::success;
  request.done = 0;
  request.stage = 0;
  request.handles_failed = 0;
  request.waits_since = 0;
  request.waited_for_users_ns = 0;
  request.looks_for_room = 0;
  request.beginnings = 0;
  request.driver_refused = false;
  request.waited_in_vain = false;
}

// Limits.

bool Books::may_fit(std::uint64_t bytes) const noexcept {
  // False if the pool's own limit shows that giving back all that is free would not make room.
  const std::uint64_t bytes_left = room() + garbage_.bytes;
  return bytes <= bytes_left || free_chunks(UINT64_MAX, bytes - bytes_left, INT_MAX) >= bytes - bytes_left;
}

}  // namespace clpool::core
