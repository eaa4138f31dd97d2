// Markers and events: how far a queue is. Nothing here waits but finish().
#pragma once

#include <CL/cl.h>

#include "base/status.hpp"
#include "cl/handle.hpp"
#include "cl/order.hpp"

namespace clpool::core::cl {

/// True if the event's command is complete or failed, so that it uses no memory any more. An event that
/// cannot be asked is not known to have ended.
bool has_ended(cl_event event) noexcept;

/// Enqueues a marker behind everything on `queue` and flushes it, so that others may wait for it (D-12).
Status enqueue_marker(cl_command_queue queue, Event& event) noexcept;

/// The same on devices before OpenCL 1.2.
Status enqueue_old_marker(cl_command_queue queue, Event& event) noexcept;

/// Makes `order.event` complete when the order's waits are, and all that was enqueued on its queue so far.
Status mark_everything(const Order& order);

/// Waits for everything on `queue`.
Status finish(cl_command_queue queue) noexcept;

/// INVALID_VALUE for a queue that is out of order: memory cannot be bound to it.
Status require_in_order(cl_command_queue queue) noexcept;

}  // namespace clpool::core::cl
