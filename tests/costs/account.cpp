// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
#include "costs/account.hpp"

#include <cstdio>

#include "stub_icd/stub.h"

namespace clpool::costs {
namespace {

constexpr std::uint64_t operations_of_a_picture = 8;

/// Without what differs from process to process: handles and addresses.
std::string without_addresses(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    result += text[at];
    if (text.substr(0, at + 1).ends_with("0x")) {
      at = std::min(text.find_first_not_of("0123456789abcdef", at + 1), text.size()) - 1;
    }
  }
  return result;
}

std::string words(std::initializer_list<std::uint64_t> numbers) {
  std::string text;
  for (const std::uint64_t number : numbers) {
    text += std::to_string(number) + ' ';
  }
  return text;
}

std::string figures(const clpool_pool_stats& stats) {
  return words({stats.held_blocks,
                stats.active_blocks,
                stats.managed_bytes,
                stats.active_bytes,
                stats.held_bytes,
                stats.peak_managed_bytes,
                stats.peak_active_bytes,
                stats.driver_allocations,
                stats.driver_releases,
                stats.largest_free_bytes,
                stats.allocations,
                stats.hits,
                stats.misses,
                stats.out_of_memory_events,
                stats.reserved_bytes,
                stats.cached_bytes,
                stats.pending_bytes,
                stats.chunks,
                stats.fragmentation_ppm,
                stats.sub_buffers_created});
}

}  // namespace

Account::Account() {
  clpool_set_message_callback(&Account::receive, this);
}

Account::~Account() {
  clpool_set_message_callback(nullptr, nullptr);
}

void Account::receive(void* user, std::int32_t severity, const char* text) {
  static_cast<Account*>(user)->messages_ +=
      " [" + std::to_string(severity) + ' ' + without_addresses(text) + ']';
}

void Account::mix(std::string_view text) {
  for (const char each : text) {
    digest_ = (digest_ ^ static_cast<unsigned char>(each)) * 0x100000001b3;
  }
}

void Account::note(const Pool& pool) {
  stats_ = pool.statistics();
  std::string text = figures(stats_) + "| ";
  for (std::size_t i = 0; i < entry_points.size(); ++i) {
    calls_[i] = stub_calls(entry_points[i]);
    text += words({calls_[i]});
  }
  text += words({stub_calls(nullptr)}) + '|' + messages_;
  messages_.clear();
  const std::string error = without_addresses(clpool_last_error_message());
  if (error != error_) {
    text += " (" + error + ')';
    error_ = error;
  }
  if (++operations_ % operations_of_a_picture == 0) {
    mix(pool.dump_json());
  }
  mix(text);
  if (prints) {
    std::printf("%llu: %s\n", static_cast<unsigned long long>(operations_), text.c_str());
  }
}

std::string Account::line() const {
  std::string text = words({operations_, stats_.allocations, stats_.hits, stats_.out_of_memory_events,
                            stats_.driver_allocations, stats_.driver_releases, stats_.peak_managed_bytes,
                            stats_.peak_active_bytes});
  for (const std::uint64_t calls : calls_) {
    text += words({calls});
  }
  char digest[32];
  std::snprintf(digest, sizeof digest, "%016llx", static_cast<unsigned long long>(digest_));
  return text + digest;
}

std::string columns() {
  std::string text = "operations allocations hits out-of-memory chunks given-back peak-managed peak-active";
  for (const char* name : entry_points) {
    text += ' ';
    text += name;
  }
  return text + " digest";
}

}  // namespace clpool::costs
