// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Failures of libclpool as C++ exceptions or as std::error_code, as the caller chooses. Header only, C++17. Where
// exceptions are switched off (-fno-exceptions), every function that can fail must be given a std::error_code; one that
// is not does not compile, or where the compiler cannot say so, does not link. Files with and without exceptions may be
// parts of one program and share all objects of this layer; so may libraries that hide their symbols.
#ifndef CLPOOL_ERROR_HPP
#define CLPOOL_ERROR_HPP

#if __cplusplus < 201703L
#error "libclpool's C++ layer (clpool/*.hpp) needs C++17; the C headers (clpool/*.h) need C++11"
#endif

#include <cstddef>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include "clpool/status.h"

// CLPOOL_WITH_OR_WITHOUT_EXCEPTIONS: the namespace of what differs between files with and without exceptions, so that a
// program of both has both. OnError is one of these, and a parameter of every function that can fail: those have two
// names as well.
#if defined(__cpp_exceptions) || defined(_CPPUNWIND)
#define CLPOOL_HAS_EXCEPTIONS 1
#define CLPOOL_WITH_OR_WITHOUT_EXCEPTIONS with_exceptions
#else
#define CLPOOL_HAS_EXCEPTIONS 0
#define CLPOOL_WITH_OR_WITHOUT_EXCEPTIONS no_exceptions
#endif

// What is one thing in a whole process, however many libraries are built from it with -fvisibility=hidden.
#if defined(__GNUC__)
#define CLPOOL_ONE_FOR_ALL __attribute__((visibility("default")))
#else
#define CLPOOL_ONE_FOR_ALL
#endif

namespace clpool {

/// A call of libclpool failed. what() has the library's message, with the values and limits that matter.
class CLPOOL_ONE_FOR_ALL Error : public std::runtime_error {
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
class CLPOOL_ONE_FOR_ALL OutOfMemory : public Error {
 public:
  using Error::Error;
};

#if CLPOOL_HAS_EXCEPTIONS
/// Throws Error or OutOfMemory unless `status` is CLPOOL_SUCCESS.
inline void check(clpool_status status) {
  if (status == CLPOOL_ERROR_OUT_OF_MEMORY) {
    throw OutOfMemory(status);
  }
  if (status != CLPOOL_SUCCESS) {
    throw Error(status);
  }
}
#endif

/// The category of statuses as error codes: the value is a clpool_status.
class CLPOOL_ONE_FOR_ALL ErrorCategory final : public std::error_category {
 public:
  const char* name() const noexcept override { return "clpool"; }
  std::string message(int status) const override { return clpool_status_string(status); }
  std::error_condition default_error_condition(int status) const noexcept override {
    switch (status) {
      case CLPOOL_ERROR_INVALID_VALUE:
        return std::errc::invalid_argument;
      case CLPOOL_ERROR_OUT_OF_MEMORY:
      case CLPOOL_ERROR_OUT_OF_HOST_MEMORY:
        return std::errc::not_enough_memory;
      case CLPOOL_ERROR_NOT_SUPPORTED:
        return std::errc::not_supported;
      case CLPOOL_ERROR_IO:
        return std::errc::io_error;
      case CLPOOL_ERROR_WOULD_BLOCK:
        return std::errc::operation_would_block;
      default:
        return std::error_condition(status, *this);
    }
  }
};

CLPOOL_ONE_FOR_ALL inline const std::error_category& error_category() noexcept {
  static const ErrorCategory* const category = new ErrorCategory;  // never destroyed: nothing runs at exit
  return *category;
}

inline std::error_code make_error_code(clpool_status status) noexcept {
  return std::error_code(status, error_category());
}

inline namespace CLPOOL_WITH_OR_WITHOUT_EXCEPTIONS {

/// Last parameter of every function that can fail: left out, failures are exceptions; a std::error_code there
/// receives them instead, and success too.
class OnError {
 public:
#if CLPOOL_HAS_EXCEPTIONS
  OnError() noexcept = default;
#else
#if defined(__has_cpp_attribute)
#if __has_cpp_attribute(gnu::error)
  [[gnu::error("without exceptions, give a std::error_code as the last argument")]]
#endif
#endif
  OnError() noexcept;
#endif
  OnError(std::error_code& code) noexcept : code_(&code) {}
  /// True for CLPOOL_SUCCESS.
  bool operator()(clpool_status status) const {
#if CLPOOL_HAS_EXCEPTIONS
    if (code_ == nullptr) {
      check(status);
      return true;
    }
#endif
    *code_ = status == CLPOOL_SUCCESS ? std::error_code() : make_error_code(status);
    return status == CLPOOL_SUCCESS;
  }

 private:
  std::error_code* code_ = nullptr;
};

}  // namespace CLPOOL_WITH_OR_WITHOUT_EXCEPTIONS

namespace detail {

inline namespace CLPOOL_WITH_OR_WITHOUT_EXCEPTIONS {

/// For callbacks, which C calls: false if `function` threw, which is then kept in `exception` unless that is null.
template <typename Function>
bool without_exceptions(Function&& function, std::exception_ptr* exception = nullptr) noexcept {
#if CLPOOL_HAS_EXCEPTIONS
  try {
    std::forward<Function>(function)();
  } catch (...) {
    if (exception != nullptr) {
      *exception = std::current_exception();
    }
    return false;
  }
#else
  static_cast<void>(exception);
  std::forward<Function>(function)();
#endif
  return true;
}

/// For callbacks whose callers in the library catch what is thrown, and put its what() into their message: being out of
/// memory alone, as std::bad_alloc and OutOfMemory say it, becomes a status.
template <typename Function>
clpool_status without_out_of_memory(Function&& function) {
#if CLPOOL_HAS_EXCEPTIONS
  try {
    std::forward<Function>(function)();
  } catch (const std::bad_alloc&) {
    return CLPOOL_ERROR_OUT_OF_MEMORY;
  } catch (const OutOfMemory&) {
    return CLPOOL_ERROR_OUT_OF_MEMORY;
  }
#else
  std::forward<Function>(function)();
#endif
  return CLPOOL_SUCCESS;
}

}  // namespace CLPOOL_WITH_OR_WITHOUT_EXCEPTIONS

/// The text that `write(text, capacity, &needed)` writes, however long; empty where that fails.
template <typename Write>
std::string text_of(OnError error, Write&& write) {
  std::string text;
  std::size_t needed = 1;
  while (text.size() < needed) {  // what is described may grow between two calls
    text.resize(needed);
    if (!error(write(&text[0], text.size(), &needed))) {
      return std::string();
    }
  }
  text.resize(needed - 1);
  return text;
}

}  // namespace detail

}  // namespace clpool

#endif
