// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The one status type of the library, and the per-thread record of the last failure. Nothing here allocates,
// so that an out-of-memory error can always be reported. The numbers are pinned: they are those of the C ABI
// (clpool/status.h), where static assertions hold the two lists together.
#pragma once

#include <cstdint>

#include "base/cl_names.hpp"

namespace clpool::core {

enum class [[nodiscard]] Status : std::int32_t{
    success = 0,       invalid_value = 1,      invalid_operation = 2,
    out_of_memory = 3, out_of_host_memory = 4, not_supported = 5,
    opencl = 6,        callback = 7,           io = 8,
    bad_format = 9,    not_found = 10,         would_block = 11,
    internal = 12,
};

/// Short English text of a status; never null.
const char* status_text(Status status) noexcept;

/// Records `status` with a printf-formatted message for the calling thread and returns `status`, so that a
/// failing function ends in `return fail(...)`. Texts name the wrong value and the limit that it broke.
[[gnu::cold, gnu::format(printf, 2, 3)]] Status fail(Status status, const char* format, ...) noexcept;

/// The same for a failing OpenCL call: `code` is kept for last_cl_error() and named in the text
/// ("<routine>: <what> (<CODE NAME>, <code>)"). Out-of-memory codes (-4, -5, -6) give Status::out_of_memory.
[[gnu::cold, gnu::format(printf, 3, 4)]] Status fail_cl(cl_int code, const char* routine, const char* format,
                                                        ...) noexcept;

/// fail() for a failure behind which another one is, whose OpenCL code is kept for last_cl_error().
[[gnu::cold, gnu::format(printf, 3, 4)]] Status fail_behind(Status status, cl_int code, const char* format,
                                                            ...) noexcept;

/// Text of the calling thread's last failure, "" before the first; valid until that thread's next failure.
const char* last_error_message() noexcept;

/// OpenCL code of the calling thread's last failure, CL_SUCCESS when it did not come from OpenCL.
cl_int last_cl_error() noexcept;
/// How many receivers of messages the calling thread is in (see message.hpp): kept here, where a byte of its storage is left.
std::uint8_t& messages_within() noexcept;

/// The status of the calling thread's last failure, success when it was forgotten.
Status last_status() noexcept;

/// Forgets the calling thread's last failure.
void clear_last_error() noexcept;

/// An address that only the calling thread has, as long as it lives.
const void* mark_of_this_thread() noexcept;

/// Keeps the calling thread's last failure from being replaced by what fails as long as it lives: for work
/// that is done by the way, whose failures go to messages.
class KeptError {
 public:
  KeptError() noexcept;
  KeptError(const KeptError&) = delete;
  KeptError& operator=(const KeptError&) = delete;
  ~KeptError();

 private:
  char text_[1024];
  cl_int code_;
  Status status_;
  bool is_lost_;
};

/// Name of an OpenCL error code such as "CL_INVALID_VALUE"; "CL_<unknown>" for codes not in the
/// specification.
const char* cl_error_name(cl_int code) noexcept;

/// True for the three codes that mean "out of memory": CL_MEM_OBJECT_ALLOCATION_FAILURE (-4),
/// CL_OUT_OF_RESOURCES (-5), CL_OUT_OF_HOST_MEMORY (-6).
constexpr bool is_cl_out_of_memory(cl_int code) noexcept {
  return code == -4 || code == -5 || code == -6;
}

/// The status of a failure with an OpenCL code.
constexpr Status status_of_cl(cl_int code) noexcept {
  return is_cl_out_of_memory(code) ? Status::out_of_memory : Status::opencl;
}

}  // namespace clpool::core

/// Returns from the enclosing function when `expression` (of type Status) did not succeed.
#define CLPOOL_TRY(expression)                                         \
  do {                                                                 \
    if (const ::clpool::core::Status clpool_try_status = (expression); \
        clpool_try_status != ::clpool::core::Status::success) {        \
      return clpool_try_status;                                        \
    }                                                                  \
  } while (false)
