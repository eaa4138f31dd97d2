// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The driver as the unit tests see it: every OpenCL call that makes, uses or releases something passes
// through here (linker option --wrap), is counted, and can be told to fail. For tests of what happens when
// the n-th call fails, and of what is left over afterwards.
#pragma once

#include <CL/cl.h>

#include <string>
#include <vector>

namespace clpool::test::driver {

/// References on OpenCL objects that were made or added and not yet given up.
struct Live {
  long contexts = 0;  ///< by clRetainContext only: those of the fixture count negative on release
  long queues = 0;    ///< likewise
  long memory = 0;
  long svm = 0;
  long events = 0;
  long samplers = 0;
  friend bool operator==(const Live&, const Live&) = default;
};
Live live();
std::ostream& operator<<(std::ostream& stream, const Live& live);

/// Number of calls of `function` since the last reset().
long calls(const std::string& function);

/// A command that was enqueued.
struct Command {
  std::string function;
  cl_command_queue queue = nullptr;
  std::vector<cl_event> waits;
  bool waits_for(cl_event event) const;
};
/// Those since the last reset(), oldest first.
std::vector<Command> commands();

/// Number of calls since the last reset() that could have failed.
long fallible_calls();

/// The `nth` call from now (1 = the next) of `function` fails with `code` without reaching the driver; for
/// clSVMAlloc it returns null.
void fail_call(const std::string& function, long nth, cl_int code);

/// The same for the `nth` call of any function that can fail.
void fail_any_call(long nth, cl_int code);

/// True once the fault that was set has happened.
bool failed();

/// As long as it lives, clGetMemObjectInfo does not know one property.
class UnknownProperty {
 public:
  explicit UnknownProperty(cl_mem_info name);
  UnknownProperty(const UnknownProperty&) = delete;
  UnknownProperty& operator=(const UnknownProperty&) = delete;
  ~UnknownProperty();
};

/// Forgets a fault that has not happened yet.
void disarm();

/// Forgets faults and call counts; live references stay.
void reset();

}  // namespace clpool::test::driver
