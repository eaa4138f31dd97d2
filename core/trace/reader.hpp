// Reads allocation logs in RMM's format from memory. Where the bytes come from is the caller's business.
#pragma once

#include <string_view>

#include "base/status.hpp"
#include "trace/log.hpp"

namespace clpool::core {

/// Reads `text`: a header line "Thread,Time,Action,Pointer,Size,Stream", possibly with further columns, and
/// one row per event. Blank lines are skipped, lines may end in CRLF. Blocks may be left live at the end.
/// BAD_FORMAT with "<name>:<line>: <reason>" for anything that is not a possible course of events; then `log`
/// is in no particular state. May throw std::bad_alloc.
Status read_trace(std::string_view text, std::string_view name, TraceLog& log);

/// The same for an uncompressed file. IO if it cannot be read, NOT_SUPPORTED if it is gzip.
Status read_trace_file(const char* path, TraceLog& log);

}  // namespace clpool::core
