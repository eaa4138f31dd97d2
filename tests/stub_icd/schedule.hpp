// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// When commands run: their order, the three modes, and what waits for them. With the driver's lock held,
// which waits give up while they wait.
#pragma once

#include <functional>

#include "objects.hpp"

namespace stub {

/// What every command's entry point is given besides its own arguments.
struct Order {
  cl_bool blocking = CL_FALSE;
  cl_uint wait_count = 0;
  const cl_event* waits = nullptr;
  cl_event* event = nullptr;
};

/// Refuses a bad wait list and events of other contexts; to be called before anything is done.
void check_order(const Queue& queue, const Order& order);

enum class After { what_the_queue_says, all_before };

/// Puts a command into the queue; waits for it if the order is blocking, and writes its event. `all_before`:
/// it waits for every command of the queue, and with `blocks_later` later ones wait for it (a barrier).
void enqueue(Call& call, Queue& queue, cl_command_type type, const Order& order, std::function<void()> effect,
             After after = After::what_the_queue_says, bool blocks_later = false);

/// Makes the callbacks that wait for this status.
void call_back(Event& event, cl_int reached);

/// A user event ends, and what waits for it may run.
void set_status(Call& call, Event& user_event, cl_int status);

void flush(Queue& queue);
/// After a flush or the like: in mode `immediate`, runs what may run.
void settle();

void wait_for(Call& call, Event& event);
void wait_for_all(Call& call, Queue& queue);

/// Waits for every command that nothing but other commands holds up: what a driver means by "running". True
/// if there was one.
bool wait_for_running(Call& call);

bool may_run(const Event& event);
void run_command(Event& event);

/// Commands that may run, oldest first.
std::vector<Event*> runnable(const Queue* queue);

}  // namespace stub
