// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
#include "ends.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <new>

namespace {

// One number, made when it is expected, so that the driver's thread needs no memory. Until it is left it has a reference.
struct End {
  csharp_ends* ends;
  uint64_t number;
  End* next;
};

}  // namespace

// No lock: a thread that the runtime has stopped might hold it.
struct csharp_ends {
  const int bell;  // an eventfd, which is rung for whoever waits
  std::atomic<uint32_t> references = 1;
  std::atomic<End*> left = nullptr;  // the last one first
  End* fetched = nullptr;            // the first one first
};

namespace {

void CL_CALLBACK ended(cl_event, cl_int, void* user) {
  auto* const end = static_cast<End*>(user);
  csharp_ends& ends = *end->ends;
  end->next = ends.left.load(std::memory_order_relaxed);
  while (!ends.left.compare_exchange_weak(end->next, end, std::memory_order_release,
                                          std::memory_order_relaxed)) {
  }
  eventfd_write(ends.bell, 1);  // fails only if it rings already
  csharp_ends_release(&ends);
}

void fetch(csharp_ends& ends) {
  for (End* end = ends.left.exchange(nullptr, std::memory_order_acquire); end != nullptr;) {
    End* const next = end->next;
    end->next = ends.fetched;
    ends.fetched = end;
    end = next;
  }
}

}  // namespace

csharp_ends* csharp_ends_create() {
  const int bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  auto* const ends = bell < 0 ? nullptr : new (std::nothrow) csharp_ends{bell};
  if (ends == nullptr && bell >= 0) {
    close(bell);
  }
  return ends;
}

void csharp_ends_retain(csharp_ends* ends) {
  ends->references.fetch_add(1, std::memory_order_relaxed);
}

void csharp_ends_release(csharp_ends* ends) {
  if (ends->references.fetch_sub(1, std::memory_order_acq_rel) != 1) {
    return;
  }
  fetch(*ends);
  while (ends->fetched != nullptr) {
    const std::unique_ptr<End> end(ends->fetched);
    ends->fetched = end->next;
  }
  close(ends->bell);
  delete ends;
}

cl_int csharp_ends_expect(csharp_ends* ends, cl_event event, uint64_t number) {
  std::unique_ptr<End> end(new (std::nothrow) End{ends, number, nullptr});
  if (end == nullptr) {
    return CL_OUT_OF_HOST_MEMORY;
  }
  csharp_ends_retain(ends);
  const cl_int code = clSetEventCallback(event, CL_COMPLETE, ended, end.get());
  if (code == CL_SUCCESS) {
    static_cast<void>(end.release());
  } else {
    csharp_ends_release(ends);
  }
  return code;
}

uint32_t csharp_ends_fetch(csharp_ends* ends, int32_t milliseconds, uint64_t* numbers, uint32_t capacity) {
  if (ends->fetched == nullptr) {
    pollfd bell{ends->bell, POLLIN, 0};
    if (poll(&bell, 1, milliseconds) > 0) {
      eventfd_t rung = 0;
      eventfd_read(ends->bell, &rung);
    }
    fetch(*ends);
  }
  uint32_t count = 0;
  for (; count < capacity && ends->fetched != nullptr; ++count) {
    const std::unique_ptr<End> end(ends->fetched);
    ends->fetched = end->next;
    numbers[count] = end->number;
  }
  return count;
}

void csharp_event_flush(cl_event event) {
  int32_t state = CL_COMPLETE;
  cl_command_queue queue = nullptr;  // none for user events
  if (csharp_event_state(event, &state) == CL_SUCCESS && state > CL_COMPLETE &&
      clGetEventInfo(event, CL_EVENT_COMMAND_QUEUE, sizeof queue, &queue, nullptr) == CL_SUCCESS &&
      queue != nullptr) {
    static_cast<void>(clFlush(queue));
  }
}

cl_int csharp_event_state(cl_event event, int32_t* state) {
  return clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof *state, state, nullptr);
}
