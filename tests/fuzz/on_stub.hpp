// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// A run of a driver on the fake driver: it begins as the one before it began, and leaves nothing behind.
#pragma once

#include "fuzz/input.hpp"
#include "stub_icd/stub.h"

namespace clpool::fuzz {

class StubRun {
 public:
  explicit StubRun(const char* options) {
    stub_reset();
    stub_configure(options);
    stub_read_counts(&before_);
  }
  StubRun(const StubRun&) = delete;
  StubRun& operator=(const StubRun&) = delete;
  /// After everything was released.
  ~StubRun() {
    stub_fail_none();
    stub_run_all();
    char text[1024] = "";
    const bool same = stub_same_counts(&before_, text, sizeof text) != 0;
    require(same, same ? "" : text);
  }
  std::uint64_t device_bytes() const { return stub_device_bytes() - before_.device_bytes; }

 private:
  stub_counts before_ = {};
};

/// Makes the fake driver the only one, before the ICD loader is first called. Ends the process with 77 where the loader finds
/// others without its list of vendors.
void take_stub_alone();

/// A later call of the library, by which it does what was put off: releases by clpool_mem_release_later(),
/// and the end of pools whose memory was still in use.
void call_later();

/// The fake driver's platform.
cl_platform_id stub_platform();

/// Its devices.
cl_device_id stub_device(std::size_t index = 0);

}  // namespace clpool::fuzz
