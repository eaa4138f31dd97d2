// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Ends of commands and of memory objects, of which one Java thread is told.
#include "ends.hpp"

#include "glue.hpp"

namespace {

clpool_wrappers::Ends* ends =
    nullptr;                       // never released: drivers may tell of ends as long as the process lives
cl_int last_status = CL_COMPLETE;  // of that thread

}  // namespace

java_cl_status java_ends_open() {
  if (ends == nullptr) {
    ends = clpool_wrappers::Ends::create();
  }
  return {ends == nullptr ? CL_OUT_OF_HOST_MEMORY : CL_SUCCESS, "eventfd"};
}

java_cl_status java_event_notify(cl_event event, uint64_t number) {
  return {ends->expect(event, number), "clSetEventCallback"};
}

java_cl_status java_mem_notify(cl_mem mem, uint64_t number) {
  return {ends->expect(mem, number), "clSetMemObjectDestructorCallback"};
}

uint64_t java_ends_next(int32_t milliseconds) {
  uint64_t number = 0;
  return ends->next(milliseconds, number, last_status) ? number : 0;
}

int32_t java_ends_status() {
  return last_status;
}

void java_ends_drop() {
  ends->drop();
}

void java_ends_ring() {
  ends->ring();
}
