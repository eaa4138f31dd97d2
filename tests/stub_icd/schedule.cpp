// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Dependencies, execution, waits.
#include "schedule.hpp"

#include <algorithm>
#include <unordered_set>

#include "latency.hpp"
#include "nvidia.hpp"
#include "worker.hpp"

namespace stub {
namespace {

void become_ready(Event& event) {
  event.queue->device->ready[event.id] = &event;
  state().changed.notify_all();
}

void meet_one(Event& event) {
  if (--event.unmet == 0 && !event.is_done()) {
    become_ready(event);
  }
}

void depend(Event& event, Event& on, bool by_wait_list) {
  if (on.is_done()) {
    event.wait_failed = event.wait_failed || (by_wait_list && on.status < 0);
    return;
  }
  on.dependents.push_back({Ref<Event>(&event), by_wait_list});
  event.dependencies.emplace_back(&on);
  ++event.unmet;
}

void depend_on_queue(Event& event, Queue& queue, After after) {
  if (!queue.is_out_of_order()) {
    if (!queue.pending.empty()) {
      depend(event, *queue.pending.rbegin()->second, false);
    }
  } else if (after == After::all_before) {
    for (const auto& [age, before] : queue.pending) {
      depend(event, *before, false);
    }
  } else if (queue.barrier) {
    depend(event, *queue.barrier, false);
  }
}

}  // namespace

void call_back(Event& event, cl_int reached) {
  for (const Event::Callback& callback : event.callbacks) {
    if (callback.when == reached || (reached < 0 && callback.when == CL_COMPLETE)) {
      ++event.calls_back;
      state().callbacks.push_back([callback, held = Ref<Event>(&event), status = reached]() mutable {
        callback.function(held.get(), status, callback.user);
        const std::lock_guard lock(state().mutex);
        --held->calls_back;
        held = {};
      });
    }
  }
}

namespace {

/// Whether a command that fails takes one with it that only comes after it.
bool takes_along(const Event& event) {
  return state().options.fails_markers && event.type == CL_COMMAND_MARKER && event.queue->is_out_of_order();
}

void end(Event& event, cl_int status) {
  const Ref<Event> alive(&event);
  event.status = status;
  call_back(event, status);
  event.effect = nullptr;
  event.dependencies.clear();
  if (event.queue) {
    Queue& queue = *event.queue;
    if (queue.barrier.get() == &event) {
      queue.barrier = {};
    }
    state().pending -= queue.pending.erase(event.id);
  }
  const auto dependents = std::move(event.dependents);
  event.dependents.clear();
  for (const Event::Dependent& dependent : dependents) {
    dependent.event->wait_failed = dependent.event->wait_failed || (dependent.by_wait_list && status < 0);
    if (status < 0 && !dependent.event->is_done() && takes_along(*dependent.event)) {
      end(*dependent.event, status);
    }
    meet_one(*dependent.event);
  }
  state().changed.notify_all();
}

void flush_one(Event& event) {
  if (event.awaits_flush) {
    event.awaits_flush = false;
    event.status = CL_SUBMITTED;
    meet_one(event);
  } else if (event.status == CL_QUEUED && !event.is_done()) {
    event.status = CL_SUBMITTED;
  }
}

/// An unfinished command that `event` needs and that may run now; null if only others can help.
Event* find_runnable(Event& event, std::unordered_set<Event*>& seen) {
  if (!seen.insert(&event).second || event.is_done()) {
    return nullptr;
  }
  if (event.queue && event.unmet == 0) {
    return event.status == CL_RUNNING ? nullptr : &event;
  }
  for (const Ref<Event>& dependency : event.dependencies) {
    if (Event* const found = find_runnable(*dependency, seen)) {
      return found;
    }
  }
  return nullptr;
}

/// True if nothing but commands holds the event up: no user event, no missing flush.
bool is_running(Event& event, std::map<Event*, bool>& known) {
  if (event.is_done()) {
    return true;
  }
  if (const auto found = known.find(&event); found != known.end()) {
    return found->second;
  }
  bool result = event.queue && !event.awaits_flush;
  for (const Ref<Event>& dependency : event.dependencies) {
    result = result && is_running(*dependency, known);
  }
  return known[&event] = result;
}

std::string missing_for(Event& event) {
  std::unordered_set<Event*> seen;
  std::string text;
  std::vector<Event*> left = {&event};
  while (!left.empty()) {
    Event* const next = left.back();
    left.pop_back();
    if (!seen.insert(next).second || next->is_done()) {
      continue;
    }
    if (!next->queue) {
      text += " user event " + std::to_string(next->id) + " is not set;";
    } else if (next->awaits_flush) {
      text += " command " + std::to_string(next->id) + " was not flushed;";
    }
    for (const Ref<Event>& dependency : next->dependencies) {
      left.push_back(dependency.get());
    }
  }
  return text;
}

/// Waits till something changes.
void block(Call& call, Event& event) {
  State& s = state();
  if (s.options.dies_of_deadlock && s.options.mode != Mode::worker) {
    die("this would wait for ever for command %llu:%s", static_cast<unsigned long long>(event.id),
        missing_for(event).c_str());
  }
  if (make_callbacks(call.lock())) {  // they may be what this waits for
    return;
  }
  ++s.blocked;
  s.changed.notify_all();
  s.changed.wait(call.lock());
  --s.blocked;
}

}  // namespace

void check_order(const Queue& queue, const Order& order) {
  require((order.wait_count == 0) == (order.waits == nullptr), CL_INVALID_EVENT_WAIT_LIST);
  for (cl_uint i = 0; i < order.wait_count; ++i) {
    const Event& event = checked(order.waits[i], CL_INVALID_EVENT_WAIT_LIST);
    require(event.context.get() == queue.context.get(), CL_INVALID_CONTEXT);
  }
}

void enqueue(Call& call, Queue& queue, cl_command_type type, const Order& order, std::function<void()> effect,
             After after, bool blocks_later) {
  note_enqueue(call, queue, type);
  State& s = state();
  auto* const event = new Event;
  enlist(*event, STUB_EVENT, order.event != nullptr ? 1 : 0);
  const Ref<Event> alive(event);
  event->context = queue.context;
  event->queue = Ref<Queue>(&queue);
  event->type = type;
  event->effect = std::move(effect);
  event->queued = event->submitted = s.now;
  event->unmet = 1;  // until it is complete itself
  for (cl_uint i = 0; i < order.wait_count; ++i) {
    depend(*event, *order.waits[i], true);
  }
  if (blocks_later && order.wait_count != 0 && s.options.forgets_barriers && queue.is_out_of_order()) {
    queue.barrier = {};
  }
  depend_on_queue(*event, queue, after);
  if (s.options.needs_flush) {
    event->awaits_flush = true;
    ++event->unmet;
  }
  queue.pending[event->id] = alive;
  queue.has_unflushed = true;
  ++s.pending;
  if (blocks_later) {
    queue.barrier = alive;
  }
  if (order.event != nullptr) {
    *order.event = event;
  }
  meet_one(*event);
  start_worker(*queue.device);
  settle();
  if (order.blocking != CL_FALSE) {
    wait_for(call, *event);
    if (event->status < 0 && order.event != nullptr) {
      drop_reference(*event);
      *order.event = nullptr;
    }
    require(event->status >= 0, event->status);
  }
}

void set_status(Call&, Event& user_event, cl_int status) {
  end(user_event, status);
  settle();
}

void flush(Queue& queue) {
  queue.has_unflushed = false;
  std::vector<Ref<Event>> events;
  for (const auto& [age, event] : queue.pending) {
    events.push_back(event);
  }
  for (const Ref<Event>& event : events) {
    flush_one(*event);
  }
}

void settle() {
  if (state().options.mode != Mode::immediate) {
    return;
  }
  for (;;) {
    const std::vector<Event*> events = runnable(nullptr);
    if (events.empty()) {
      return;
    }
    run_command(*events.front());
  }
}

void wait_for(Call& call, Event& event) {
  const Ref<Event> alive(&event);
  if (event.queue) {
    flush(*event.queue);
  }
  while (!event.is_done()) {
    settle();
    if (event.is_done()) {
      break;
    }
    if (state().options.mode == Mode::manual) {
      std::unordered_set<Event*> seen;
      if (Event* const next = find_runnable(event, seen)) {
        run_command(*next);
        continue;
      }
    }
    block(call, event);
  }
  state().now = std::max<std::uint64_t>(state().now, event.ended);
}

void wait_for_all(Call& call, Queue& queue) {
  const Ref<Queue> alive(&queue);
  flush(queue);
  settle();
  std::vector<Ref<Event>> events;
  for (const auto& [age, event] : queue.pending) {
    events.push_back(event);
  }
  for (const Ref<Event>& event : events) {
    wait_for(call, *event);
  }
}

bool wait_for_running(Call& call) {
  std::vector<Ref<Event>> running;
  std::map<Event*, bool> known;
  for (int i = 0; i < most_devices; ++i) {
    Device& device = device_at(i);
    if (device.running != nullptr) {
      running.emplace_back(device.running);
    }
    std::vector<Event*> left;
    for (const auto& [age, event] : device.ready) {
      left.push_back(event);
    }
    std::unordered_set<Event*> seen;
    while (!left.empty()) {
      Event* const event = left.back();
      left.pop_back();
      if (seen.insert(event).second && is_running(*event, known)) {
        running.emplace_back(event);
        for (const Event::Dependent& dependent : event->dependents) {
          left.push_back(dependent.event.get());
        }
      }
    }
  }
  for (const Ref<Event>& event : running) {
    wait_for(call, *event);
  }
  return !running.empty();
}

bool may_run(const Event& event) {
  return event.queue && event.unmet == 0 && !event.is_done() && event.status != CL_RUNNING;
}

void run_command(Event& event) {
  const Ref<Event> alive(&event);
  Device& device = *event.queue->device;
  device.ready.erase(event.id);
  if (event.wait_failed) {
    end(event, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    return;
  }
  event.status = CL_SUBMITTED;
  call_back(event, CL_SUBMITTED);
  event.status = CL_RUNNING;
  call_back(event, CL_RUNNING);
  take_time(event);
  ++state().counters[std::string("ran.") + command_name(event.type)];
  if (event.effect) {
    const char* const outer = current_activity();
    const std::string activity =
        "command " + std::to_string(event.id) + " (" + command_name(event.type) + ")";
    current_activity() = activity.c_str();
    event.effect();
    current_activity() = outer;
  }
  end(event, CL_COMPLETE);
}

std::vector<Event*> runnable(const Queue* queue) {
  std::map<std::uint64_t, Event*> by_age;
  for (int i = 0; i < most_devices; ++i) {
    for (const auto& [age, event] : device_at(i).ready) {
      if (queue == nullptr || event->queue.get() == queue) {
        by_age[age] = event;
      }
    }
  }
  std::vector<Event*> events;
  for (const auto& [age, event] : by_age) {
    events.push_back(event);
  }
  return events;
}

}  // namespace stub
