// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Driver bugs that the library works around. One question each, with the driver that has it.
#pragma once

#include <CL/cl.h>

#include "base/status.hpp"

namespace clpool::core::cl {

/// PoCL (3.1 seen) crashes in clEnqueueCopyBufferRect when either side is a sub-buffer.
Status crashes_on_boxes_of_sub_buffers(cl_command_queue queue, bool& result);

/// PoCL (3.1 to 7.2) forgets a barrier of an out-of-order queue as soon as another one with a list of events
/// is enqueued there, which does not wait for it: commands overtake what the first one was to keep them
/// behind.
Status forgets_barriers(cl_command_queue queue, bool& result);

/// Mesa's rusticl (22.3 seen) does not join a 1-D image over a sub-buffer, even at offset 0, with its memory:
/// reads give zeros, writes are lost, and every call succeeds. Over a whole buffer it is right.
Status loses_images_over_sub_buffers(cl_device_id device, bool& result);

/// NVIDIA's driver (580.159 seen) loses its lists of used memory when a part of a buffer is used for the first time,
/// or released after use, while another thread does so with a part of the same buffer, or enqueues anything on the
/// same queue, a marker too: it crashes soon after, or its commands never end.
Status mixes_up_parts(cl_device_id device, bool& result);

/// The same of a queue's device, if it was asked about before, as whoever makes parts does. Where that was of none, it calls
/// no driver.
Status mixes_up_parts(cl_command_queue queue, bool& result) noexcept;

/// NVIDIA's driver (580.159 seen) now and then transfers older or newer bytes than those of the SVM when a
/// command reads mapped SVM as host memory while other queues use their parts of the same allocation. A view
/// of the SVM as a buffer is right there.
Status maps_stale_svm(cl_device_id device, bool& result);

/// NVIDIA's driver (580.159 seen) crashes in migrations that are enqueued while another thread enqueues
/// anything on the same queue, and in those to the host of a buffer of which parts were used; after others
/// clReleaseContext does not always come back. A migration is a hint, which is not given there: memory goes
/// where it is used.
Status breaks_at_migrations(cl_device_id device, bool& result);

}  // namespace clpool::core::cl
