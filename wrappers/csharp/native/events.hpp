// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Events: what common/ends.hpp does, as managed code calls it.
#ifndef CLPOOL_WRAPPERS_CSHARP_EVENTS_HPP
#define CLPOOL_WRAPPERS_CSHARP_EVENTS_HPP

#include "clpool/clpool.h"

// Where numbers are left. It has one reference of whoever made it, and one of each command that may end at any time.
typedef struct csharp_ends csharp_ends;

// NULL if the system has none.
csharp_ends* csharp_ends_create();

// One reference more, and one less: without any it is gone.
void csharp_ends_retain(csharp_ends* ends);
void csharp_ends_release(csharp_ends* ends);

// Leaves `number` there when the driver says that the event's command has ended.
cl_int csharp_ends_expect(csharp_ends* ends, cl_event event, uint64_t number);

// Fetches what was left, in the order in which commands ended. Waits for the first number so long or less; one
// thread at a time. Returns how many.
uint32_t csharp_ends_fetch(csharp_ends* ends, int32_t milliseconds, uint64_t* numbers, int32_t* states,
                           uint32_t capacity);

// Hands the commands of an event's queue to the device, which the caller knows to be alive.
void csharp_event_flush(cl_event event);

// CL_EVENT_COMMAND_EXECUTION_STATUS.
cl_int csharp_event_state(cl_event event, int32_t* state);

#endif
