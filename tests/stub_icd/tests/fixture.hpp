// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What tests on the stub share: a context and a queue on it in mode `manual`, gates, and the promise that a
// test leaves nothing behind.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "stub_icd/stub.h"
#include "support/opencl.hpp"

namespace clpool::test {

/// Owns one reference of an event.
class OwnedEvent {
 public:
  OwnedEvent() = default;
  explicit OwnedEvent(cl_event event) : event_(event) {}
  OwnedEvent(const OwnedEvent&) = delete;
  OwnedEvent& operator=(const OwnedEvent&) = delete;
  ~OwnedEvent() {
    if (event_ != nullptr) {
      clReleaseEvent(event_);
    }
  }
  cl_event get() const { return event_; }
  cl_event* receive() { return &event_; }
  explicit operator bool() const { return event_ != nullptr; }
  bool is_complete() const {
    cl_int status = CL_QUEUED;
    EXPECT_EQ(clGetEventInfo(event_, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr),
              CL_SUCCESS);
    return status == CL_COMPLETE;
  }

 private:
  cl_event event_ = nullptr;
};

/// A user event that a command waits for; open() lets it go.
class Gate {
 public:
  explicit Gate(cl_context context) : event_(clCreateUserEvent(context, nullptr)) {}
  ~Gate() {
    if (!is_open_) {
      open();
    }
  }
  void open(cl_int status = CL_COMPLETE) {
    is_open_ = true;
    clSetUserEventStatus(event_.get(), status);
  }
  const cl_event* list() { return event_.receive(); }
  cl_event get() const { return event_.get(); }

 private:
  OwnedEvent event_;
  bool is_open_ = false;
};

/// What must hold when a test begins and when it ends: the stub is as it was.
class StubWatch {
 public:
  StubWatch() {
    stub_reset();
    stub_configure("mode=manual");
    stub_read_counts(&before_);
  }
  ~StubWatch() {
    stub_fail_none();
    stub_run_all();
    char text[1024] = "";
    EXPECT_TRUE(stub_same_counts(&before_, text, sizeof text)) << "left behind: " << text;
  }

 private:
  stub_counts before_ = {};
};

class StubTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_NE(cl.queue, nullptr) << "the stub is not found"; }

  cl_mem buffer(std::size_t size, cl_mem_flags flags = CL_MEM_READ_WRITE, void* host = nullptr) {
    cl_int code = CL_SUCCESS;
    cl_mem mem = clCreateBuffer(cl.context, flags, size, host, &code);
    EXPECT_EQ(code, CL_SUCCESS);
    return mem;
  }
  cl_mem part(cl_mem root, std::size_t origin, std::size_t size) {
    const cl_buffer_region region = {origin, size};
    cl_int code = CL_SUCCESS;
    cl_mem mem = clCreateSubBuffer(root, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
    EXPECT_EQ(code, CL_SUCCESS);
    return mem;
  }
  /// Enqueues a fill with one byte; its event.
  cl_event fill(cl_command_queue queue, cl_mem mem, unsigned char value, std::size_t size,
                std::size_t offset = 0, std::vector<cl_event> waits = {}) {
    cl_event event = nullptr;
    EXPECT_EQ(clEnqueueFillBuffer(queue, mem, &value, 1, offset, size, static_cast<cl_uint>(waits.size()),
                                  waits.empty() ? nullptr : waits.data(), &event),
              CL_SUCCESS);
    return event;
  }

  StubWatch watch;  ///< before `cl`, so that it looks after it is gone
  OpenCl cl;
};

}  // namespace clpool::test
