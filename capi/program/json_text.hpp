// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// JSON as text for files and pages, whatever is in its strings.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace clpool::program {

/// With a line's end. Names of files and devices need not be UTF-8, JSON must be: other bytes become U+FFFD.
/// What could end a script in a page of HTML is written as its number.
/// How a document begins: the library's version, and the number that changes when names or meanings do.
nlohmann::ordered_json json_head();

std::string json_text(const nlohmann::ordered_json& json);

}  // namespace clpool::program
