// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What commands of the C++ layer share: where and after what they run, and their events. Header only, C++17.
#ifndef CLPOOL_COMMAND_HPP
#define CLPOOL_COMMAND_HPP

#include <array>
#include <cstddef>
#include <initializer_list>
#include <utility>
#include <vector>

#include "clpool/error.hpp"
#include "clpool/status.h"

namespace clpool {

/// One reference on a cl_event.
class Event {
 public:
  Event() noexcept = default;
  /// Takes over the caller's reference.
  explicit Event(cl_event event) noexcept : event_(event) {}
  Event(Event&& other) noexcept
      : event_(std::exchange(other.event_, nullptr)), former_(std::exchange(other.former_, nullptr)) {}
  Event& operator=(Event&& other) noexcept {
    Event moved(std::move(other));
    std::swap(event_, moved.event_);
    std::swap(former_, moved.former_);
    return *this;
  }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { reset(); }

  void reset() noexcept {
    release(event_);
    release(former_);
  }
  cl_event get() const noexcept { return event_; }
  explicit operator bool() const noexcept { return event_ != nullptr; }
  cl_event detach() noexcept { return std::exchange(event_, nullptr); }
  /// For calls that write a new event. The one before may be among those that the call waits for: it is released by
  /// the next receive() or reset(), or with this object.
  cl_event* receive() noexcept {
    release(former_);
    former_ = std::exchange(event_, nullptr);
    return &event_;
  }
  /// Blocks until the command is complete; returns the OpenCL code.
  cl_int wait() const noexcept { return event_ == nullptr ? CL_SUCCESS : clWaitForEvents(1, &event_); }

 private:
  static void release(cl_event& event) noexcept {
    if (event != nullptr) {
      clReleaseEvent(std::exchange(event, nullptr));
    }
  }

  cl_event event_ = nullptr;
  cl_event former_ = nullptr;
};

namespace detail {

/// Events with a reference on each.
class EventList {
 public:
  EventList() noexcept = default;
  EventList(const EventList& other) { add(other.events_.data(), other.events_.size()); }
  EventList(EventList&&) noexcept = default;
  EventList& operator=(EventList other) noexcept {
    events_.swap(other.events_);
    held_.swap(other.held_);
    return *this;
  }
  ~EventList() = default;

  /// What cannot be retained stays in the list: the command that is given it says what is wrong.
  void add(const cl_event* events, std::size_t count) {
    events_.reserve(events_.size() + count);
    held_.reserve(held_.size() + count);
    for (std::size_t index = 0; index < count; ++index) {
      events_.push_back(events[index]);
      if (events[index] != nullptr && clRetainEvent(events[index]) == CL_SUCCESS) {
        held_.emplace_back(events[index]);
      }
    }
  }
  std::size_t size() const noexcept { return events_.size(); }
  const cl_event* data() const noexcept { return events_.empty() ? nullptr : events_.data(); }

 private:
  std::vector<cl_event> events_;
  std::vector<Event> held_;
};

}  // namespace detail

/// Where a command runs: a queue alone converts to it. `On(queue).after({a,
/// b}).signal(done).without_blocking()`. May be used for any number of commands.
class On {
 public:
  /// The queue must live as long as this object.
  On(cl_command_queue queue) noexcept : queue_(queue) {}
  /// Events to wait for, each command of this object for all of them. The object holds a reference on each.
  On& after(std::initializer_list<cl_event> events) {
    waits_.add(events.begin(), events.size());
    return *this;
  }
  On& after(const std::vector<cl_event>& events) {
    waits_.add(events.data(), events.size());
    return *this;
  }
  /// The event that is there now, not one that it receives later.
  On& after(const Event& event) { return after({event.get()}); }
  /// Receives the command's event; must live as long as commands are given this object.
  On& signal(Event& event) noexcept {
    event_ = &event;
    return *this;
  }
  /// Returns at once where host memory takes part, which must then live until the event is complete.
  On& without_blocking() noexcept {
    blocking_ = 0;
    return *this;
  }

  cl_command_queue queue() const noexcept { return queue_; }
  int32_t blocking() const noexcept { return blocking_; }
  cl_uint wait_count() const noexcept { return static_cast<cl_uint>(waits_.size()); }
  const cl_event* waits() const noexcept { return waits_.data(); }
  cl_event* event() const noexcept { return event_ == nullptr ? nullptr : event_->receive(); }

 private:
  cl_command_queue queue_;
  detail::EventList waits_;
  Event* event_ = nullptr;
  int32_t blocking_ = 1;
};

/// Pixels, x first.
using Triple = std::array<std::size_t, 3>;

}  // namespace clpool

#endif
