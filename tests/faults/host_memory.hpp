// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The host's memory as the library takes it: every operator new of the program is one that counts what the
// library allocates, and fails on demand. What the fake driver and the tests allocate is left alone.
#pragma once

#include <cstdint>

namespace clpool::test::host_memory {

/// As long as it lives, the calling thread is in a call of the library: allocations that are not the fake
/// driver's count, and may fail.
class InLibrary {
 public:
  InLibrary();
  InLibrary(const InLibrary&) = delete;
  InLibrary& operator=(const InLibrary&) = delete;
  ~InLibrary();

 private:
  bool outer_;
};

/// As long as it lives, the thread's allocations are a test's again: within callbacks of the library.
class InTest {
 public:
  InTest();
  InTest(const InTest&) = delete;
  InTest& operator=(const InTest&) = delete;
  ~InTest();

 private:
  bool outer_;
};

/// Allocations of the library since the last start_counting().
std::uint64_t allocations();
void start_counting();

/// The nth allocation of the library from now fails, and with `lasts` all later ones too.
void fail(std::uint64_t nth, bool lasts);
void fail_none();
/// How many have failed by that.
std::uint64_t failures();

/// Allocations of the library that were not given back.
std::int64_t live();

}  // namespace clpool::test::host_memory
