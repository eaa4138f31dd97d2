// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Failures that the library answers otherwise than by passing them on, each with its reason.
#pragma once

#include <string>

#include "faults/sweep.hpp"

namespace clpool::test {

/// True where the library is right to go on, without a word; `profile` is the kind of device.
bool may_recover(const std::string& scenario, const std::string& profile, const Injection& injection);

/// True where a failure is right to become this status.
bool is_other_status(const std::string& scenario, const Injection& injection, clpool_status status);

/// True where another OpenCL error than that of the injection is right.
bool is_other_code(const Injection& injection, const Failure& failure);

/// True where something cannot be given back, and that is said.
bool may_leave_something(const Injection& injection, const World& world);

}  // namespace clpool::test
