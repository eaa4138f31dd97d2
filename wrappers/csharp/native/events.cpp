// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
#include "events.hpp"

#include "ends.hpp"
#include "flush.hpp"

using clpool_wrappers::Ends;

namespace {

Ends& of(csharp_ends* ends) {
  return *reinterpret_cast<Ends*>(ends);
}

}  // namespace

csharp_ends* csharp_ends_create() {
  return reinterpret_cast<csharp_ends*>(Ends::create());
}

void csharp_ends_retain(csharp_ends* ends) {
  of(ends).retain();
}

void csharp_ends_release(csharp_ends* ends) {
  of(ends).release();
}

cl_int csharp_ends_expect(csharp_ends* ends, cl_event event, uint64_t number) {
  return of(ends).expect(event, number);
}

uint32_t csharp_ends_fetch(csharp_ends* ends, int32_t milliseconds, uint64_t* numbers, int32_t* states,
                           uint32_t capacity) {
  uint32_t count = 0;
  while (count < capacity && of(ends).next(count == 0 ? milliseconds : 0, numbers[count], states[count])) {
    of(ends).drop();
    ++count;
  }
  return count;
}

void csharp_event_flush(cl_event event) {
  clpool_flush_queue_of(event);
}

cl_int csharp_event_state(cl_event event, int32_t* state) {
  return clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof *state, state, nullptr);
}
