// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Shims of clpool/pool.h that show a pool's memory: the visitor and the JSON text.
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "base/reported.hpp"
#include "base/utf8.hpp"
#include "clpool/pool.h"
#include "handles.hpp"
#include "shim.hpp"

using clpool::capi::guarded;
using clpool::capi::require;
using clpool::capi::to_core;
using clpool::core::Pool;
using clpool::core::PoolStretch;
using clpool::core::Status;
using clpool::core::StrategyKind;
using clpool::core::Thrown;
using clpool::core::utf8_character;

static_assert(CLPOOL_STRETCH_ACTIVE == static_cast<int>(PoolStretch::State::active));
static_assert(CLPOOL_STRETCH_FREE == static_cast<int>(PoolStretch::State::free));
static_assert(CLPOOL_STRETCH_CACHED == static_cast<int>(PoolStretch::State::cached));
static_assert(CLPOOL_STRETCH_PENDING == static_cast<int>(PoolStretch::State::pending));

namespace {

const char* state_name(PoolStretch::State state) noexcept {
  switch (state) {
    case PoolStretch::State::active:
      return "active";
    case PoolStretch::State::free:
      return "free";
    case PoolStretch::State::cached:
      return "cached";
    case PoolStretch::State::pending:
      return "pending";
  }
  return "unknown";
}

/// What ends a string, a tag or a line: in JSON, and in a page of HTML that the JSON is put into.
bool must_be_escaped(std::string_view character) noexcept {
  constexpr std::string_view ends_lines_of_scripts[] = {"\xE2\x80\xA8", "\xE2\x80\xA9"};
  const auto byte = static_cast<unsigned char>(character[0]);
  return byte < 0x20 || byte == 0x7f ||
         std::string_view("\"\\<>&").find(character) != std::string_view::npos ||
         character == ends_lines_of_scripts[0] || character == ends_lines_of_scripts[1];
}

/// As a string of JSON. Bytes that are no UTF-8 become U+FFFD, which says so.
void add_text(std::string& json, std::string_view text) {
  json += '"';
  while (!text.empty()) {
    const std::size_t length = utf8_character(text);
    const std::string_view character = text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
    if (length != 0 && !must_be_escaped(character)) {
      json += character;
      continue;
    }
    const unsigned number = length == 0   ? 0xFFFDu
                            : length == 3 ? 0x2000u | (static_cast<unsigned char>(character[2]) & 0x3Fu)
                                          : static_cast<unsigned char>(character[0]);
    char escape[8];
    std::snprintf(escape, sizeof escape, "\\u%04x", number);
    json += escape;
  }
  json += '"';
}

void add_number(std::string& json, const char* name, std::uint64_t number, bool first = false) {
  json += first ? "\"" : ", \"";
  json += name;
  json += "\": ";
  json += std::to_string(number);
}

void add_statistics(std::string& json, clpool_pool* pool) {
  clpool_pool_stats stats = CLPOOL_POOL_STATS_INIT;
  static_cast<void>(clpool_pool_statistics(pool, &stats));
  const std::pair<const char*, std::uint64_t> numbers[] = {
#define CLPOOL_STATISTIC(name) {#name, stats.name},
#include "pool/statistics.inc"
  };
  json += "{";
  for (const auto& [name, number] : numbers) {
    add_number(json, name, number, name == numbers[0].first);
  }
  json += "}";
}

/// The blocks of all chunks, each chunk with its size.
std::string chunks_of(Pool& pool) {
  std::string json = "[";
  std::string blocks;
  std::uint64_t chunk = 0;
  std::uint64_t size = 0;
  const auto close_chunk = [&] {
    if (size != 0) {
      json += json.size() > 1 ? ", {" : "{";
      add_number(json, "size", size, true);
      json += ", \"blocks\": [" + blocks + "]}";
    }
    blocks.clear();
    size = 0;
  };
  pool.visit([&](const PoolStretch& stretch) {
    if (stretch.chunk != chunk) {
      close_chunk();
      chunk = stretch.chunk;
    }
    blocks += blocks.empty() ? "{" : ", {";
    add_number(blocks, "offset", stretch.offset, true);
    add_number(blocks, "size", stretch.size);
    blocks += std::string(", \"state\": \"") + state_name(stretch.state) + "\"";
    if (stretch.state == PoolStretch::State::active) {
      add_number(blocks, "requested", stretch.requested);
      add_number(blocks, "tag", stretch.tag);
    }
    blocks += "}";
    size += stretch.size;
    return true;
  });
  close_chunk();
  return json + "]";
}

/// CALLBACK if the visitor stops the picture, or throws.
Status show(clpool_pool_visitor visitor, void* user, const clpool_pool_stretch& stretch) noexcept {
  std::int32_t answer = 0;
  if (const Thrown thrown([&] { answer = visitor(user, &stretch); }); thrown) {
    return fail(Status::callback, "clpool_pool_visit: the visitor threw%s", thrown.text());
  }
  return answer == 0 ? Status::success
                     : fail(Status::callback, "clpool_pool_visit: the visitor stopped it with %d", answer);
}

}  // namespace

clpool_status clpool_pool_visit(clpool_pool* pool, clpool_pool_visitor visitor, void* user) noexcept {
  return guarded([&]() -> Status {
    CLPOOL_TRY(require(pool, "clpool_pool_visit", "pool"));
    CLPOOL_TRY(to_core(pool)->require_own_process("the pool"));
    if (visitor == nullptr) {
      return fail(Status::invalid_value, "clpool_pool_visit: visitor is NULL");
    }
    Status status = Status::success;
    to_core(pool)->visit([&](const PoolStretch& stretch) {
      const clpool_pool_stretch shown{static_cast<uint32_t>(sizeof(clpool_pool_stretch)),
                                      static_cast<uint32_t>(stretch.state),
                                      stretch.chunk,
                                      stretch.offset,
                                      stretch.size,
                                      stretch.requested,
                                      stretch.tag};
      status = show(visitor, user, shown);
      return status == Status::success;
    });
    return status;
  });
}

clpool_status clpool_pool_dump_json(clpool_pool* pool, char* buffer, size_t capacity,
                                    size_t* needed_or_null) noexcept {
  return guarded([&] {
    clpool::capi::clear(needed_or_null);
    if (buffer == nullptr && capacity != 0) {
      return fail(Status::invalid_value, "clpool_pool_dump_json: capacity is %zu, but buffer is NULL",
                  capacity);
    }
    if (capacity != 0) {
      buffer[0] = '\0';
    }
    CLPOOL_TRY(require(pool, "clpool_pool_dump_json", "pool"));
    CLPOOL_TRY(to_core(pool)->require_own_process("the pool"));
    Pool& object = *to_core(pool);
    std::string json = R"({"schema": "clpool-pool-1", "name": )";
    add_text(json, object.options().name);
    json += R"(, "strategy": ")";
    json += object.options().strategy == StrategyKind::binned ? "binned" : "coalescing";
    json += R"(", "statistics": )";
    add_statistics(json, pool);
    json += R"(, "chunks": )" + chunks_of(object) + "}";
    if (needed_or_null != nullptr) {
      *needed_or_null = json.size() + 1;
    }
    if (capacity != 0) {
      const std::size_t length = json.size() < capacity ? json.size() : capacity - 1;
      std::memcpy(buffer, json.data(), length);
      buffer[length] = '\0';
    }
    return Status::success;
  });
}
