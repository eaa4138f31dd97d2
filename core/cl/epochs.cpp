// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Progress of queues.
#include "cl/epochs.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "cl/info.hpp"
#include "cl/marker.hpp"
#include "cl/order.hpp"
#include "cl/quirks.hpp"
#include "cl/turn.hpp"

namespace clpool::core::cl {
namespace {

/// How often a queue takes no marker in place of one that failed, for other reasons than want of memory, before nothing is
/// believed to run there any more.
constexpr int most_refused = 16;

}  // namespace

Epochs::~Epochs() {
  const Turn turn(in_turn_);
  closed_.clear();
}

Status Epochs::add_queue(cl_command_queue queue) {
  if (has(queue)) {
    return Status::success;
  }
  bool out_of_order = false;
  CLPOOL_TRY(is_out_of_order(queue, out_of_order));
  bool old = false;
  CLPOOL_TRY(is_old(queue, old));
  cl_device_id device = nullptr;
  CLPOOL_TRY(queue_device(queue, device));
  bool in_turn = false;
  CLPOOL_TRY(mixes_up_parts(device, in_turn));
  Queue owned;
  CLPOOL_TRY(Queue::share(queue, owned));
  queues_.push_back(std::move(owned));
  out_of_order_ = out_of_order_ || out_of_order;
  has_old_ = has_old_ || old;
  in_turn_ = in_turn_ || in_turn;
  return Status::success;
}

bool Epochs::has(cl_command_queue queue) const noexcept {
  return std::any_of(queues_.begin(), queues_.end(), [&](const auto& own) { return own.get() == queue; });
}

bool Epochs::is_over(const std::vector<cl_command_queue>& others) const noexcept {
  return queues_.size() == others.size() &&
         std::all_of(others.begin(), others.end(), [&](cl_command_queue other) { return has(other); });
}

std::vector<cl_command_queue> Epochs::queues() const {
  std::vector<cl_command_queue> result;
  for (const Queue& queue : queues_) {
    result.push_back(queue.get());
  }
  return result;
}

Status Epochs::close() noexcept {
  const Turn turn(in_turn_);
  try {
    std::list<Closed> made;
    Closed& closed =
        made.emplace_back(Closed{0, std::vector<Event>(queues_.size()), std::vector<int>(queues_.size())});
    // Taken before the markers are enqueued: what is released from now on belongs to the next epoch.
    closed.number = open_.fetch_add(1, std::memory_order_acq_rel);
    for (std::size_t i = 0; i < queues_.size(); ++i) {
      CLPOOL_TRY(enqueue_marker(queues_[i].get(), has_old_, closed.events[i]));
    }
    const std::lock_guard lock(mutex_);
    put_in_order(made);
    return Status::success;
  } catch (const std::bad_alloc&) {
    return fail(Status::out_of_host_memory, "no host memory for a marker");
  }
}

void Epochs::put_in_order(std::list<Closed>& closed) noexcept {
  // The first or the last but for few: a device that is far behind has thousands.
  const std::uint64_t number = closed.front().number;
  auto place = closed_.begin();
  if (place != closed_.end() && place->number < number) {
    place = closed_.end();
    while (std::prev(place)->number > number) {
      --place;
    }
  }
  closed_.splice(place, closed);
}

bool Epochs::are_through(Closed& closed, std::uint64_t& covers, std::size_t& on) noexcept {
  for (std::size_t i = 0; i < closed.events.size(); ++i) {
    const cl_int state = state_of(closed.events[i].get());
    if (state < CL_COMPLETE && closed.refused[i] < most_refused) {
      const std::uint64_t newest = open() - 1;
      Event again;
      const Status status = enqueue_marker(queues_[i].get(), has_old_, again);
      if (status == Status::success) {
        closed.events[i] = std::move(again);
        covers = newest;
        on = i;
      } else if (status ==
                 Status::opencl) {  // not for want of memory, of which there may be some a moment later
        ++closed.refused[i];
      }
      return false;
    }
    if (state > CL_COMPLETE) {
      return false;
    }
  }
  return true;
}

void Epochs::stand_for_later(Closed& closed, std::uint64_t covers, std::size_t on,
                             std::list<Closed>& covered) noexcept {
  while (!closed_.empty() && closed_.front().number <= covers) {
    Closed& other = closed_.front();
    // An earlier one, which another thread had in hand meanwhile, is covered as it is.
    const bool is_later = other.number > closed.number;
    closed.number = std::max(closed.number, other.number);
    for (std::size_t i = 0; is_later && i < closed.events.size(); ++i) {
      if (i != on) {  // its marker is behind that of `closed`
        std::swap(closed.events[i], other.events[i]);
        closed.refused[i] = std::max(closed.refused[i], other.refused[i]);
      }
    }
    covered.splice(covered.end(), closed_, closed_.begin());
  }
}

void Epochs::poll() noexcept {
  // The oldest epochs are taken out, asked without the lock, and put back if they still run. Numbers complete
  // in order: an epoch that could not be marked is covered by the next one that could.
  for (;;) {
    const Turn turn(in_turn_);
    std::list<Closed> oldest;
    std::list<Closed> covered;
    {
      const std::lock_guard lock(mutex_);
      if (closed_.empty()) {
        return;
      }
      oldest.splice(oldest.begin(), closed_, closed_.begin());
    }
    Closed& asked = oldest.front();
    std::uint64_t covers = 0;
    std::size_t on = 0;
    const bool ended = are_through(asked, covers, on);
    const std::lock_guard lock(mutex_);
    if (!ended) {
      stand_for_later(asked, covers, on, covered);
      put_in_order(oldest);
      return;
    }
    if (asked.number > completed_.load(std::memory_order_relaxed)) {
      completed_.store(asked.number, std::memory_order_release);
    }
  }
}

}  // namespace clpool::core::cl
