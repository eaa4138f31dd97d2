// Failures of libclpool as C++ exceptions. Header only, C++17.
#ifndef CLPOOL_ERROR_HPP
#define CLPOOL_ERROR_HPP

#include <stdexcept>
#include <string>

#include "clpool/status.h"

namespace clpool {

/// A call of libclpool failed. what() has the library's message, with the values and limits that matter.
class Error : public std::runtime_error {
 public:
  /// The calling thread's last failure.
  explicit Error(clpool_status status)
      : std::runtime_error(*clpool_last_error_message() != '\0' ? clpool_last_error_message()
                                                                : clpool_status_string(status)),
        status_(status),
        cl_error_(clpool_last_cl_error()) {}
  /// One of CLPOOL_ERROR_….
  clpool_status status() const noexcept { return status_; }
  /// The OpenCL code behind it; CL_SUCCESS where there is none.
  cl_int cl_error() const noexcept { return cl_error_; }

 private:
  clpool_status status_;
  cl_int cl_error_;
};

/// Device memory, or a limit of it, is exhausted.
class OutOfMemory : public Error {
 public:
  using Error::Error;
};

/// Throws Error or OutOfMemory unless `status` is CLPOOL_SUCCESS.
inline void check(clpool_status status) {
  if (status == CLPOOL_ERROR_OUT_OF_MEMORY) {
    throw OutOfMemory(status);
  }
  if (status != CLPOOL_SUCCESS) {
    throw Error(status);
  }
}

}  // namespace clpool

#endif
