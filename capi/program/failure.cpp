// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Statuses of libclpool and codes of OpenCL to failures.
#include "failure.hpp"

#include <fmt/format.h>

namespace clpool::program {

void check(clpool_status status) {
  if (status == CLPOOL_SUCCESS) {
    return;
  }
  const bool is_input = status == CLPOOL_ERROR_BAD_FORMAT || status == CLPOOL_ERROR_IO;
  throw Failure(is_input ? ExitCode::bad_input : ExitCode::device_failed, clpool_last_error_message());
}

void check_cl(cl_int code, const std::string& what) {
  if (code != CL_SUCCESS) {
    throw Failure(ExitCode::device_failed,
                  fmt::format("{}: {} ({})", what, clpool_cl_error_name(code), code));
  }
}

}  // namespace clpool::program
