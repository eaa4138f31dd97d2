// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What the shims of commands and of functions that make memory share.
#pragma once

#include "cl/order.hpp"
#include "handles.hpp"
#include "shim.hpp"

namespace clpool::capi {

using namespace core;

/// Runs `body` (given the order) as a command: the event is NULL unless it succeeds.
template <typename Body>
clpool_status command(cl_command_queue queue, cl_uint wait_count, const cl_event* wait_list, cl_event* event,
                      Body&& body) noexcept {
  if (event != nullptr) {
    *event = nullptr;
  }
  return guarded([&]() -> Status {
    const cl::Order order{queue, wait_count, wait_list, event};
    return body(order);
  });
}

/// Runs `make` (which fills a Mem*) and hands its result to the caller.
template <typename Make>
clpool_status create_mem(clpool_mem** out, const char* function, Make&& make) noexcept {
  return guarded([&]() -> Status {
    CLPOOL_TRY(begin_object(out, function));
    Mem* mem = nullptr;
    CLPOOL_TRY(make(mem));
    *out = to_handle(mem);
    return Status::success;
  });
}

/// Copies an origin or region of three entries; NULL leaves the target as it is.
inline void read_triple(const size_t* source, std::size_t (&target)[3]) noexcept {
  for (int i = 0; source != nullptr && i < 3; ++i) {
    target[i] = source[i];
  }
}

}  // namespace clpool::capi
