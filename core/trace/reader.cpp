// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Rows to events: splits lines and fields, follows which blocks are live, and refuses what cannot have
// happened.
#include "trace/reader.hpp"

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <unordered_map>
#include <unordered_set>

#include "base/line.hpp"
#include "trace/fields.hpp"

namespace clpool::core {
namespace {

constexpr std::string_view header_start = "Thread,Time,Action,Pointer,Size,Stream";
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";  ///< of UTF-8; some editors put it first
constexpr std::size_t column_count = 6;
constexpr std::array<const char*, column_count> column_names = {"Thread",  "Time", "Action",
                                                                "Pointer", "Size", "Stream"};
constexpr std::size_t shortest_row = std::string_view("0,0,free,0,0,0\n").size();

/// A piece of the input that is fit for a message: short, and without control characters.
class Shown {
 public:
  explicit Shown(std::string_view text) noexcept {
    const std::size_t length = std::min(text.size(), limit);
    for (std::size_t i = 0; i < length; ++i) {
      text_[i] = text[i] >= ' ' && text[i] <= '~' ? text[i] : '?';
    }
    if (text.size() > limit) {
      std::memcpy(text_ + limit, "...", 4);
    }
  }
  const char* c_str() const noexcept { return text_; }

 private:
  static constexpr std::size_t limit = 60;
  char text_[limit + 4] = {};
};

class Reader {
 public:
  Reader(std::string_view text, std::string_view name, TraceLog& log) : rest_(text), log_(log) {
    log_.name = name;
    const std::size_t lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
    log_.events.reserve(std::min(lines, text.size() / shortest_row));  // lines may be blank
  }

  Status run() {
    CLPOOL_TRY(read_header());
    std::string_view line;
    while (next_line(line)) {
      if (line.size() > longest_trace_line) {
        return too_long();
      }
      if (!line.empty()) {
        CLPOOL_TRY(read_row(line));
      }
    }
    finish();
    return Status::success;
  }

 private:
  /// Takes the next line off the input, without its end. False at the end of the input.
  bool next_line(std::string_view& line) noexcept {
    if (rest_.empty()) {
      return false;
    }
    const std::size_t end = rest_.find('\n');
    line = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    if (line.ends_with('\r')) {
      line.remove_suffix(1);
    }
    ++line_number_;
    return true;
  }

  [[gnu::cold, gnu::format(printf, 2, 3)]] Status malformed(const char* format, ...) const noexcept {
    char reason[512];
    va_list arguments;
    va_start(arguments, format);
    format_line(reason, sizeof reason, format, arguments);
    va_end(arguments);
    return fail(Status::bad_format, "%s:%llu: %s", log_.name.c_str(),
                static_cast<unsigned long long>(line_number_), reason);
  }

  Status too_long() const noexcept {
    return malformed("the line is longer than %zu bytes, the most that are read", longest_trace_line);
  }

  Status read_header() {
    std::string_view line;
    while (line.empty()) {
      if (!next_line(line)) {
        return fail(Status::bad_format, "%s: no header line '%s': the log is empty", log_.name.c_str(),
                    header_start.data());
      }
    }
    if (line.size() > longest_trace_line) {
      return too_long();
    }
    line.remove_prefix(line.starts_with(byte_order_mark) ? byte_order_mark.size() : 0);
    const bool matches = line.starts_with(header_start) &&
                         (line.size() == header_start.size() || line[header_start.size()] == ',');
    if (!matches) {
      return malformed("the first line is '%s', a log begins with '%s'", Shown(line).c_str(),
                       header_start.data());
    }
    columns_in_header_ = 1 + static_cast<std::size_t>(std::count(line.begin(), line.end(), ','));
    return Status::success;
  }

  Status read_row(std::string_view line) {
    const std::size_t columns = 1 + static_cast<std::size_t>(std::count(line.begin(), line.end(), ','));
    if (columns != columns_in_header_) {
      const char* where =
          rest_.empty() && columns < columns_in_header_ ? "truncated: the last row" : "the row";
      return malformed("%s has %zu fields, the header has %zu", where, columns, columns_in_header_);
    }
    std::array<std::string_view, column_count> fields;
    for (std::string_view& field : fields) {
      const std::size_t end = line.find(',');
      field = line.substr(0, end);
      line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
    }
    TraceEvent event;
    event.line = line_number_;
    const std::array<FieldError, column_count> errors = {
        parse_decimal(fields[0], event.thread), parse_time(fields[1], event.time_us),
        parse_action(fields[2], event.action),  parse_pointer(fields[3], event.pointer),
        parse_decimal(fields[4], event.size),   parse_stream(fields[5], event.stream)};
    for (std::size_t i = 0; i < column_count; ++i) {
      if (errors[i] != nullptr) {
        return malformed("%s '%s' %s", column_names[i], Shown(fields[i]).c_str(), errors[i]);
      }
    }
    CLPOOL_TRY(apply(event));
    threads_.insert(event.thread);
    log_.events.push_back(event);
    return Status::success;
  }

  Status apply(TraceEvent& event) {
    switch (event.action) {
      case TraceAction::allocate:
        return apply_allocate(event);
      case TraceAction::release:
        return apply_release(event);
      case TraceAction::allocate_failure:
        ++log_.figures.allocate_failures;
        return Status::success;
    }
    return malformed("unknown action %u", static_cast<unsigned>(event.action));
  }

  Status apply_allocate(TraceEvent& event) {
    TraceFigures& figures = log_.figures;
    if (event.pointer == 0 && event.size > 0) {
      return malformed("allocate of %llu bytes gave a null pointer",
                       static_cast<unsigned long long>(event.size));
    }
    if (event.size > UINT64_MAX - figures.final_live_bytes) {
      return malformed("allocate of %llu bytes: with the %llu bytes that are live the sum overflows 64 bits",
                       static_cast<unsigned long long>(event.size),
                       static_cast<unsigned long long>(figures.final_live_bytes));
    }
    ++figures.allocations;
    sizes_.insert(event.size);
    figures.largest_bytes = std::max(figures.largest_bytes, event.size);
    if (event.pointer == 0) {
      return Status::success;  // nothing was made, so there is no block to follow
    }
    const auto [entry, is_new] = live_.try_emplace(event.pointer);
    if (!is_new) {
      return malformed("allocate gave 0x%llx, which is live since line %llu",
                       static_cast<unsigned long long>(event.pointer),
                       static_cast<unsigned long long>(entry->second.line));
    }
    event.slot = take_slot();
    entry->second = {event.size, event.line, event.slot};
    figures.final_live_bytes += event.size;
    figures.peak_live_bytes = std::max(figures.peak_live_bytes, figures.final_live_bytes);
    return Status::success;
  }

  Status apply_release(TraceEvent& event) {
    TraceFigures& figures = log_.figures;
    ++figures.releases;
    if (event.pointer == 0 && event.size == 0) {
      return Status::success;
    }
    const auto entry = live_.find(event.pointer);
    if (entry == live_.end()) {
      return malformed("free of 0x%llx, which is not live", static_cast<unsigned long long>(event.pointer));
    }
    const Block& block = entry->second;
    if (block.size != event.size) {
      return malformed(
          "free of 0x%llx with %llu bytes, line %llu allocated it with %llu bytes",
          static_cast<unsigned long long>(event.pointer), static_cast<unsigned long long>(event.size),
          static_cast<unsigned long long>(block.line), static_cast<unsigned long long>(block.size));
    }
    event.slot = block.slot;
    free_slots_.push_back(block.slot);
    figures.final_live_bytes -= block.size;
    live_.erase(entry);
    return Status::success;
  }

  /// The slot that was given up last, so that a replay touches as little memory as can be.
  std::uint64_t take_slot() {
    if (free_slots_.empty()) {
      return log_.slot_count++;
    }
    const std::uint64_t slot = free_slots_.back();
    free_slots_.pop_back();
    return slot;
  }

  void finish() noexcept {
    log_.figures.threads = threads_.size();
    log_.figures.distinct_sizes = sizes_.size();
    log_.figures.peak_live_blocks = log_.slot_count;
    log_.figures.final_live_blocks = live_.size();
  }

  struct Block {
    std::uint64_t size = 0;
    std::uint64_t line = 0;
    std::uint64_t slot = 0;
  };

  std::string_view rest_;
  TraceLog& log_;
  std::uint64_t line_number_ = 0;
  std::size_t columns_in_header_ = 0;
  std::unordered_map<std::uint64_t, Block> live_;
  std::vector<std::uint64_t> free_slots_;
  std::unordered_set<std::uint64_t> sizes_;
  std::unordered_set<std::uint64_t> threads_;
};

}  // namespace

Status read_trace(std::string_view text, std::string_view name, TraceLog& log) {
  return Reader(text, name, log).run();
}

}  // namespace clpool::core
