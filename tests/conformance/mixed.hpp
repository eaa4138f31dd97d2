// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What the two files of the mixed program say to each other: mixed_with.cpp has exceptions, mixed_without.cpp has none.
#pragma once

#include <system_error>

#include "clpool/clpool.hpp"

/// The status of calls that fail, made in the file without exceptions; 0 if one of them is not told by its code.
int fail_without_exceptions(std::error_code& code);
/// One reading of `trace`, made in the file without exceptions.
clpool_trace_stats read_without_exceptions(const clpool::Trace& trace, std::error_code& code);
/// Sets a receiver of messages in the file without exceptions, and no receiver again.
void receive_without_exceptions();
