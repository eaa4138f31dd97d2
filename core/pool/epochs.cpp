// Progress of queues.
#include "pool/epochs.hpp"

#include <sched.h>

#include <algorithm>
#include <chrono>

#include "cl/info.hpp"

namespace clpool::core {

bool has_ended(cl_event event) noexcept {
  cl_int state = CL_QUEUED;
  // A negative state is an error code: the command ended without completing. An event that cannot be asked is
  // not known to have ended.
  return clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, nullptr) ==
             CL_SUCCESS &&
         state <= CL_COMPLETE;
}

Status enqueue_marker(cl_command_queue queue, cl::Event& event) noexcept {
  // Without a wait list a marker completes after all commands enqueued before it, out of order or not
  // (OpenCL 1.2, section 5.10).
  if (const cl_int code = clEnqueueMarkerWithWaitList(queue, 0, nullptr, event.receive());
      code != CL_SUCCESS) {
    return fail_cl(code, "clEnqueueMarkerWithWaitList", "no marker on queue %p", static_cast<void*>(queue));
  }
  if (const cl_int code = clFlush(queue); code != CL_SUCCESS) {
    return fail_cl(code, "clFlush", "queue %p cannot be flushed", static_cast<void*>(queue));
  }
  return Status::success;
}

Status Epochs::add_queue(cl_command_queue queue) {
  bool out_of_order = false;
  CLPOOL_TRY(cl::is_out_of_order(queue, out_of_order));
  const bool known =
      std::any_of(queues_.begin(), queues_.end(), [&](const auto& other) { return other.get() == queue; });
  if (known) {
    return Status::success;
  }
  cl::Queue owned;
  CLPOOL_TRY(cl::Queue::share(queue, owned));
  queues_.push_back(std::move(owned));
  must_hold_back_ = must_hold_back_ || out_of_order || queues_.size() > 1;
  return Status::success;
}

Status Epochs::close() noexcept {
  try {
    std::list<Closed> made;
    Closed& closed = made.emplace_back(Closed{0, std::vector<cl::Event>(queues_.size())});
    // Taken before the markers are enqueued: what is released from now on belongs to the next epoch.
    closed.number = open_.fetch_add(1, std::memory_order_acq_rel);
    for (std::size_t i = 0; i < queues_.size(); ++i) {
      CLPOOL_TRY(enqueue_marker(queues_[i].get(), closed.events[i]));
    }
    const std::lock_guard lock(mutex_);
    put_in_order(made);
    return Status::success;
  } catch (const std::bad_alloc&) {
    return fail(Status::out_of_host_memory, "no host memory for a marker");
  }
}

void Epochs::put_in_order(std::list<Closed>& closed) noexcept {
  const auto place = std::find_if(closed_.begin(), closed_.end(),
                                  [&](const Closed& other) { return closed.front().number < other.number; });
  closed_.splice(place, closed);
}

void Epochs::poll() noexcept {
  // The oldest epochs are taken out, asked without the lock, and put back if they still run. Numbers complete
  // in order: an epoch that could not be marked is covered by the next one that could.
  for (;;) {
    std::list<Closed> oldest;
    {
      const std::lock_guard lock(mutex_);
      if (closed_.empty()) {
        return;
      }
      oldest.splice(oldest.begin(), closed_, closed_.begin());
    }
    const Closed& asked = oldest.front();
    const bool ended = std::all_of(asked.events.begin(), asked.events.end(),
                                   [](const auto& event) { return has_ended(event.get()); });
    const std::lock_guard lock(mutex_);
    if (!ended) {
      put_in_order(oldest);
      return;
    }
    if (asked.number > completed_.load(std::memory_order_relaxed)) {
      completed_.store(asked.number, std::memory_order_release);
    }
  }
}

Status Epochs::wait(std::uint64_t epoch) noexcept {
  if (epoch >= open()) {
    CLPOOL_TRY(close());
  }
  for (poll(); completed() < epoch; poll()) {
    std::vector<cl::Event> waited;
    CLPOOL_TRY(share_oldest(waited));
    if (waited.empty()) {
      // Another thread is asking about the epoch, or its markers failed: newer ones cover it.
      CLPOOL_TRY(close());
    }
    for (const cl::Event& event : waited) {
      const cl_event raw = event.get();
      // An error of the waited command is not ours; the memory is free either way.
      static_cast<void>(clWaitForEvents(1, &raw));
    }
  }
  return Status::success;
}

Status Epochs::share_oldest(std::vector<cl::Event>& events) noexcept {
  const std::lock_guard lock(mutex_);
  if (closed_.empty()) {
    return Status::success;
  }
  try {
    events.reserve(closed_.front().events.size());
  } catch (const std::bad_alloc&) {
    return fail(Status::out_of_host_memory, "no host memory to wait for markers");
  }
  for (const cl::Event& event : closed_.front().events) {
    cl::Event shared;
    CLPOOL_TRY(cl::Event::share(event.get(), shared));
    events.push_back(std::move(shared));
  }
  return Status::success;
}

bool Epochs::settle(std::uint64_t nanoseconds) noexcept {
  const std::uint64_t wanted = open();
  if (close() != Status::success) {
    return false;
  }
  const auto end = std::chrono::steady_clock::now() + std::chrono::nanoseconds(nanoseconds);
  for (poll(); completed() < wanted; poll()) {
    if (std::chrono::steady_clock::now() >= end) {
      return false;
    }
    sched_yield();
  }
  return true;
}

}  // namespace clpool::core
