// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Failure: what ends the program early, with the exit code that says whose fault it was.
#pragma once

#include <clpool/status.h>

#include <stdexcept>
#include <string>

namespace clpool::program {

enum class ExitCode : int { success = 0, device_failed = 1, bad_input = 2 };

class Failure : public std::runtime_error {
 public:
  Failure(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ExitCode code() const noexcept { return code_; }

 private:
  ExitCode code_;
};

/// Throws the library's last error as a Failure unless `status` is CLPOOL_SUCCESS. Malformed input and files
/// that cannot be used are bad input; all else is the device's.
void check(clpool_status status);

/// The same for an OpenCL call: `what` says what failed.
void check_cl(cl_int code, const std::string& what);

}  // namespace clpool::program
