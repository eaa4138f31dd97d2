// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
#include "transcripts/transcript.hpp"

#include <algorithm>
#include <cstdio>

#include "stub_icd/stub.h"

namespace clpool::transcripts {
namespace {

constexpr std::uint64_t operations_of_a_picture = 8;

struct Figure {
  const char* name;
  std::uint64_t clpool_pool_stats::*value;
  bool is_told;  ///< at the end, too
};

constexpr Figure figures[] = {
    {"allocations", &clpool_pool_stats::allocations, true},
    {"hits", &clpool_pool_stats::hits, true},
    {"misses", &clpool_pool_stats::misses, false},
    {"out-of-memory", &clpool_pool_stats::out_of_memory_events, true},
    {"chunks", &clpool_pool_stats::driver_allocations, true},
    {"given-back", &clpool_pool_stats::driver_releases, true},
    {"peak-managed", &clpool_pool_stats::peak_managed_bytes, true},
    {"peak-active", &clpool_pool_stats::peak_active_bytes, true},
    {"managed", &clpool_pool_stats::managed_bytes, false},
    {"active", &clpool_pool_stats::active_bytes, false},
    {"active-blocks", &clpool_pool_stats::active_blocks, false},
    {"held", &clpool_pool_stats::held_bytes, false},
    {"held-blocks", &clpool_pool_stats::held_blocks, false},
    {"largest-free", &clpool_pool_stats::largest_free_bytes, false},
    {"reserved", &clpool_pool_stats::reserved_bytes, false},
    {"cached", &clpool_pool_stats::cached_bytes, false},
    {"pending", &clpool_pool_stats::pending_bytes, false},
    {"living-chunks", &clpool_pool_stats::chunks, false},
    {"fragmentation", &clpool_pool_stats::fragmentation_ppm, false},
    {"sub-buffers", &clpool_pool_stats::sub_buffers_created, false},
};

std::string told(const char* name, std::uint64_t value) {
  return value != 0 ? std::string(" ") + name + '=' + std::to_string(value) : "";
}

}  // namespace

Transcript::Transcript(bool prints)
    : prints_(prints), calls_(stub_read_calls(nullptr, nullptr, 0)), names_(calls_.size()) {
  stub_reset();  // what the loader has called is no part of it
  clpool_set_message_callback(&Transcript::receive, this);
}

Transcript::~Transcript() {
  clpool_set_message_callback(nullptr, nullptr);
}

void Transcript::receive(void* user, std::int32_t severity, const char* text) {
  auto& self = *static_cast<Transcript*>(user);
  self.messages_ += " [" + std::to_string(severity) + ' ' + self.without_what_differs(text) + ']';
}

std::string Transcript::without_what_differs(std::string_view text) const {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    result += text[at];
    if (text.substr(0, at + 1).ends_with("0x")) {
      at = std::min(text.find_first_not_of("0123456789abcdef", at + 1), text.size()) - 1;
    }
  }
  for (std::size_t at = 0; !hidden_.empty() && (at = result.find(hidden_, at)) != std::string::npos;) {
    result.erase(at, hidden_.size());
  }
  return result;
}

void Transcript::note(std::string_view what) {
  std::string text = std::to_string(++operations_) + ": " + without_what_differs(what) + messages_;
  messages_.clear();
  if (std::string error = without_what_differs(clpool_last_error_message()); error != error_) {
    text += " (" + error + ')';
    error_ = std::move(error);
  }
  if (const std::uint64_t total = stub_calls(nullptr); total != total_calls_) {
    total_calls_ = total;
    stub_read_calls(calls_.data(), names_.data(), calls_.size());
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      text += told(names_[i], calls_[i]);
    }
  }
  for (const char each : text) {
    digest_ = (digest_ ^ static_cast<unsigned char>(each)) * 0x100000001b3;
  }
  if (prints_) {
    std::puts(text.c_str());
  }
}

void Transcript::note(const Pool& pool, std::string_view what) {
  stats_ = pool.statistics();
  std::string text(what);
  for (const Figure& figure : figures) {
    text += told(figure.name, stats_.*figure.value);
  }
  if (operations_ % operations_of_a_picture == 0) {
    text += ' ' + pool.dump_json();
  }
  note(text);
}

std::string Transcript::line() const {
  std::string text = told("operations", operations_);
  for (const Figure& figure : figures) {
    text += figure.is_told ? told(figure.name, stats_.*figure.value) : "";
  }
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    text += told(names_[i], calls_[i]);
  }
  char digest[32];
  std::snprintf(digest, sizeof digest, " %016llx", static_cast<unsigned long long>(digest_));
  return text + digest;
}

}  // namespace clpool::transcripts
