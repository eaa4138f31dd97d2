// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Decorator: writes what passes through an allocator to an allocation log.
#pragma once

#include "allocator/allocator.hpp"

namespace clpool::core {

/// The log at `path` is replaced if it exists; see TraceWriter::create() for what can fail.
Status make_trace_allocator(Allocator& inner, const char* path, Reference<Allocator>& result);

}  // namespace clpool::core
