// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Reads allocation logs in RMM's format from memory. Where the bytes come from is the caller's business.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/status.hpp"
#include "trace/log.hpp"

namespace clpool::core {

/// Limits of what is read, so that no log takes memory without bound. A line beyond the first is BAD_FORMAT;
/// so is a file beyond the second. What reading takes at most is in proportion to the text: see README.md.
inline constexpr std::size_t longest_trace_line = 65536;
inline constexpr std::uint64_t largest_trace_file = std::uint64_t{1} << 30;

/// Reads `text`: a header line "Thread,Time,Action,Pointer,Size,Stream", possibly with further columns, and
/// one row per event. Blank lines are skipped, lines may end in CRLF. Blocks may be left live at the end.
/// BAD_FORMAT with "<name>:<line>: <reason>" for anything that is not a possible course of events; then `log`
/// is in no particular state. May throw std::bad_alloc.
Status read_trace(std::string_view text, std::string_view name, TraceLog& log);

/// The same for an uncompressed file of at most `most_bytes`. IO if it cannot be read, NOT_SUPPORTED if it is
/// gzip.
Status read_trace_file(const char* path, TraceLog& log, std::uint64_t most_bytes = largest_trace_file);

}  // namespace clpool::core
