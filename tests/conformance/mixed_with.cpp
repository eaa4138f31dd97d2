// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// A program of one file with exceptions and one without, whose inline functions the linker must tell apart: in whatever
// order they are linked, failures are exceptions in the one and codes in the other.
#include <cstdio>

#include "mixed.hpp"

namespace {

int failures = 0;

void require(bool is_right, const char* what) {
  if (!is_right) {
    std::fprintf(stderr, "not so: %s (%s)\n", what, clpool_last_error_message());
    ++failures;
  }
}

/// The status of what `function` throws; 0 if it throws nothing.
template <typename Function>
int thrown_by(Function&& function) {
  try {
    function();
  } catch (const clpool::Error& error) {
    return error.status();
  }
  return 0;
}

}  // namespace

int main() {
  std::error_code code;
  require(fail_without_exceptions(code) == CLPOOL_ERROR_OUT_OF_MEMORY,
          "a code in the file without exceptions");
  require(code == std::errc::not_enough_memory, "the same category in both files");
  require(thrown_by([] { clpool::Pool().statistics(); }) == CLPOOL_ERROR_INVALID_VALUE, "an exception");
  require(thrown_by([] { clpool::Heap().allocate(1); }) == CLPOOL_ERROR_OUT_OF_MEMORY, "another exception");
  const auto trace =
      clpool::Trace::parse("Thread,Time,Action,Pointer,Size,Stream\n1,1,allocate,0x10,100,0\n");
  require(read_without_exceptions(trace, code).events == 1 && !code, "one object in both files");
  const clpool::Allocator numbers = clpool::Allocator::custom([] {
    struct Numbers final : clpool::Source {
      uint64_t allocate(uint64_t, uint64_t) override { return 4096; }
      void deallocate(uint64_t, uint64_t) noexcept override {}
    };
    return std::make_unique<Numbers>();
  }());
  const auto stop = [](uint64_t, uint64_t) -> bool { throw clpool::Error(CLPOOL_ERROR_NOT_FOUND); };
  require(thrown_by([&] { trace.replay(numbers, stop); }) == CLPOOL_ERROR_NOT_FOUND,
          "what a callback throws");
  receive_without_exceptions();
  bool is_received = false;
  clpool::set_message_callback([&](int32_t, std::string_view) {
    is_received = true;
    throw clpool::Error(CLPOOL_ERROR_NOT_FOUND);
  });
  {
    clpool::Mem mem;
    mem = clpool::Pool(numbers).allocate(100);  // the pool ends before its block: a warning
  }
  clpool::set_message_callback({});
  require(is_received, "a message whose receiver throws");
  return failures == 0 ? 0 : 1;
}
