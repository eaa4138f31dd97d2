// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// A context and a queue to run tests on: the first device, or the one that CLPOOL_TEST names by
// "platform[:device]", each an index or a part of the name.
#pragma once

#include <CL/cl.h>
#include <gtest/gtest.h>

namespace clpool::test {

/// Device, context and queue of the process's tests; released with the object. CLPOOL_TEST_CONTEXT=shared takes one
/// context for the objects that follow each other in a process; objects are made and end in one thread.
class OpenCl {
 public:
  explicit OpenCl(cl_command_queue_properties properties = 0);
  OpenCl(const OpenCl&) = delete;
  OpenCl& operator=(const OpenCl&) = delete;
  ~OpenCl();

  /// A further queue of the same context; released with the object.
  cl_command_queue another_queue(cl_command_queue_properties properties = 0);

  /// True if the device's version is at least major.minor.
  bool has_version(int major, int minor) const;
  /// True if that is the platform's name.
  bool is_on(const char* name) const;

  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;

 private:
  static constexpr int most_queues = 8;
  cl_command_queue others_[most_queues] = {};
  int other_count_ = 0;
};

/// clFinish, which on rusticl (22.3) forgets what anybody has flushed, a pool, say: after a marker that is waited for.
cl_int finish(cl_command_queue queue);

/// Fixture for tests that need a device; they are skipped, with the reason, where there is none.
class OpenClTest : public testing::Test {
 protected:
  void SetUp() override {
    if (cl.queue == nullptr) {
      GTEST_SKIP() << "no OpenCL device";
    }
  }
  OpenCl cl;
};

}  // namespace clpool::test
