// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Markers, barriers and events: how far a queue is, and what comes after that. Nothing here waits but
// wait_for() and finish().
#pragma once

#include <CL/cl.h>

#include "base/status.hpp"
#include "cl/handle.hpp"
#include "cl/order.hpp"

namespace clpool::core::cl {

/// True if the event's command is complete or failed, so that it uses no memory any more. An event that
/// cannot be asked is not known to have ended.
bool has_ended(cl_event event) noexcept;

/// How far the event's command is: CL_QUEUED to CL_COMPLETE, an error code if it ended without completing. One
/// that cannot be asked is as one that is queued.
cl_int state_of(cl_event event) noexcept;

/// True if the queue's device is older than OpenCL 1.2, and so has neither markers nor barriers with lists.
Status is_old(cl_command_queue queue, bool& old) noexcept;

Status flush_and_tell(cl_command_queue queue) noexcept;

/// Enqueues a marker behind everything on `queue` and flushes it, so that others may wait for it.
/// `old` is what is_old() said. In a Turn where mixes_up_parts().
Status enqueue_marker(cl_command_queue queue, bool old, Event& event) noexcept;

/// An event that is complete when all commands enqueued on the order's queue so far are, and the events
/// waited for. The queue is flushed. On OpenCL 1.1 later commands of the queue wait for those events, too.
Status mark_so_far(const Order& order, Event& done);

/// Makes commands enqueued on `to` from now on wait for those enqueued on `from` so far. `from` is flushed,
/// or they could wait for ever. Nothing is left to release. Where commands of `from` overtake each other, one that fails may
/// end the wait while others still run (PoCL): what must not be lost has an event of its own.
Status hand_over(cl_command_queue from, cl_command_queue to) noexcept;

/// Makes commands enqueued on `queue` from now on wait for an event of a command that was enqueued there, or elsewhere and
/// flushed.
Status come_after(cl_event event, cl_command_queue queue) noexcept;

/// Waits for a command, and tells if it failed; `what` begins the error's text.
Status wait_for(cl_event event, const char* what) noexcept;

/// Waits for everything on `queue`, on drivers, too, whose clFinish forgets what was flushed before.
Status finish(cl_command_queue queue) noexcept;

/// INVALID_VALUE for a queue that is out of order: memory cannot be bound to it.
Status require_in_order(cl_command_queue queue) noexcept;

}  // namespace clpool::core::cl
