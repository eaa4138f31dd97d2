// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What the number means that a function of the user returns, and what lies behind it: the failure of the call of the
// library that it passes on. And what such a function throws.
#pragma once

#include <exception>

#include "base/line.hpp"
#include "base/status.hpp"

namespace clpool::core {

/// Made before the function is called, asked after it has failed.
class Reported {
 public:
  Reported() noexcept { clear_last_error(); }

  /// Of a number that is not 0: out of memory for that status and OpenCL's codes -4, -5 and -6; `opencl` for other
  /// negative numbers, which are OpenCL's codes; `callback` for all others.
  static Status status_of(std::int32_t number) noexcept {
    if (number < 0) {
      return status_of_cl(number);
    }
    return number == static_cast<std::int32_t>(Status::out_of_memory) ? Status::out_of_memory
                                                                      : Status::callback;
  }

  /// Looks what lies behind the number: nothing if the last failure is another one, that was dealt with.
  void look(std::int32_t number) noexcept {
    const bool is_behind =
        number == static_cast<std::int32_t>(last_status()) || (number < 0 && number == last_cl_error());
    code_ = number < 0 ? number : is_behind ? last_cl_error() : 0;
    write_line(text_, sizeof text_, "%s%s", is_behind ? ": " : "", is_behind ? last_error_message() : "");
  }
  cl_int code() const noexcept { return code_; }
  /// ": " and the text, or nothing.
  const char* text() const noexcept { return text_; }

 private:
  cl_int code_ = 0;
  char text_[768];
};

/// What a function of the user threw, if it did: what throws is caught where it is called.
class Thrown {
 public:
  /// Runs `call`, which is to do nothing but to call the function.
  template <typename Call>
  explicit Thrown(const Call& call) noexcept {
    try {
      call();
    } catch (const std::exception& exception) {
      is_thrown_ = true;
      write_line(text_, sizeof text_, ": %s", exception.what());
    } catch (...) {
      is_thrown_ = true;
    }
  }
  explicit operator bool() const noexcept { return is_thrown_; }
  /// ": " and the exception's text, or nothing where it has none.
  const char* text() const noexcept { return text_; }

 private:
  bool is_thrown_ = false;
  char text_[512] = "";
};

}  // namespace clpool::core
