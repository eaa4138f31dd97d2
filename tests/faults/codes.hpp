// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Which errors an OpenCL call may return.
#pragma once

#include <CL/cl.h>

#include <string>
#include <vector>

namespace clpool::test {

/// The codes that OpenCL 3.0 lists for an entry point, those of memory first; empty for one that cannot fail.
const std::vector<cl_int>& codes_of(const std::string& entry_point);

/// True for calls that the fake driver makes fail when any is to.
bool is_fallible(const std::string& entry_point);

}  // namespace clpool::test
