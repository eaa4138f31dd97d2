// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Findings: what guard mode finds wrong in the program that uses the library, and how that is said. A finding
// is a message of severity error; a program that receives no messages gets a line on standard error. Every
// text begins with "guard: ".
#pragma once

#include <cstdint>

#include "base/message.hpp"

namespace clpool::core {

/// What the variable CLPOOL_GUARD asks for. Read once; ignored in set-uid programs.
enum class GuardMode : std::uint8_t {
  off,    ///< it is not set, empty or "0"
  on,     ///< anything else
  abort,  ///< "abort": the first finding ends the process
};
GuardMode guard_mode_of_environment() noexcept;

/// Says what was found; at most 100 lines of a process are printed. Does not return where CLPOOL_GUARD is
/// "abort". Must be called without any lock held.
[[gnu::cold, gnu::format(printf, 2, 3)]] void report_finding(const MessageSink& sink, const char* format,
                                                             ...) noexcept;

}  // namespace clpool::core
