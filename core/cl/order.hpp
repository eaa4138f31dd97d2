// Order: on which queue a command runs, what it waits for and who is told; and the pieces that every command
// of the memory runtime needs around its one OpenCL call.
#pragma once

#include <CL/cl.h>

#include <vector>

#include "base/status.hpp"
#include "cl/handle.hpp"
#include "cl/info.hpp"

namespace clpool::core::cl {

struct Order {
  cl_command_queue queue = nullptr;
  cl_uint wait_count = 0;
  const cl_event* waits = nullptr;
  cl_event* event = nullptr;  ///< receives the command's event; may be null
};

/// INVALID_VALUE for a null queue or a wait list that does not match its count.
Status check_order(const Order& order) noexcept;

/// The queue's device.
Status queue_device(cl_command_queue queue, cl_device_id& device) noexcept;

/// NOT_SUPPORTED, naming both versions, if the queue's device is older than `needed`.
Status require_queue_version(cl_command_queue queue, Version needed, const char* feature);

/// What a command of 0 bytes does: nothing, with an event that is complete as soon as the waits are (W-36).
Status do_nothing(const Order& order);

/// Makes commands enqueued on `to` from now on wait for those enqueued on `from` so far. `from` is flushed,
/// or they could wait for ever (D-12). Needs OpenCL 1.2; nothing is left to release (D-11).
Status hand_over(cl_command_queue from, cl_command_queue to) noexcept;

/// Several commands that together carry out one order. Each takes its event from next(); finish() makes one
/// event of them. Needs OpenCL 1.2 when there is more than one command.
class Batch {
 public:
  explicit Batch(const Order& order) : order_(order) {}
  /// Where the next command writes its event; null when nobody wants it.
  cl_event* next();
  Status finish();

 private:
  const Order& order_;
  std::vector<Event> events_;
};

}  // namespace clpool::core::cl
