// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Objects of OpenCL that managed code makes and owns.
#ifndef CLPOOL_WRAPPERS_CSHARP_OBJECTS_HPP
#define CLPOOL_WRAPPERS_CSHARP_OBJECTS_HPP

#include "clpool/clpool.h"

// A queue on a device; NULL: on the first one of the context.
cl_int csharp_queue_create(cl_context context, cl_device_id device_or_null, int32_t out_of_order,
                           cl_command_queue* queue);

// Hands all its commands to the device.
cl_int csharp_queue_flush(cl_command_queue queue);

// Waits for all its commands.
cl_int csharp_queue_finish(cl_command_queue queue);

// An event that the program itself completes.
cl_int csharp_user_event_create(cl_context context, cl_event* event);

#endif
