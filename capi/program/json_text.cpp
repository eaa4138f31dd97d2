// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The dump, and what it leaves as it is.
#include "json_text.hpp"

#include <clpool/status.h>
#include <fmt/format.h>

namespace clpool::program {

nlohmann::ordered_json json_head() {
  constexpr int schema = 1;
  return {{"clpool", clpool_version_string()}, {"schema", schema}};
}

std::string json_text(const nlohmann::ordered_json& json) {
  const std::string dumped = json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  std::string text;
  text.reserve(dumped.size() + 1);
  for (const char character : dumped) {
    // Outside of strings JSON has none of these.
    const bool is_escaped = character == '<' || character == '>' || character == '&' || character == '\x7f';
    text +=
        is_escaped ? fmt::format("\\u{:04x}", static_cast<unsigned>(character)) : std::string(1, character);
  }
  return text + "\n";
}

}  // namespace clpool::program
