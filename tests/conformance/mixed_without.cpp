// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The part of the mixed program that is compiled without exceptions. It calls every function that the other part calls.
#include "mixed.hpp"

int fail_without_exceptions(std::error_code& code) {
  clpool::Pool().statistics(code);
  if (code != clpool::make_error_code(CLPOOL_ERROR_INVALID_VALUE)) {
    return 0;
  }
  clpool::Heap heap(0, code);
  heap.allocate(1, code);
  return code.value();
}

clpool_trace_stats read_without_exceptions(const clpool::Trace& trace, std::error_code& code) {
  return trace.statistics(code);
}

void receive_without_exceptions() {
  clpool::set_message_callback([](int32_t, std::string_view) {});
  clpool::set_message_callback({});
}
