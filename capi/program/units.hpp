// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Numbers as people read them.
#pragma once

#include <cstdint>
#include <string>

namespace clpool::program {

/// Bytes with a binary unit: "512 B", "167.7 MiB".
std::string human_bytes(std::uint64_t bytes);

/// Picoseconds as "123 ns", "1.23 µs", "4.56 ms".
std::string human_time(std::uint64_t picoseconds);

/// Digits in groups of three: "152,460".
std::string human_count(std::uint64_t count);

}  // namespace clpool::program
