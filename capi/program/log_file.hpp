// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The bytes of an allocation log, plain or gzip. Their meaning is the library's to read.
#pragma once

#include <cstdint>
#include <string>

namespace clpool::program {

/// The path, or "standard input" for "-".
std::string name_of_log(const std::string& path);

/// Reads a whole file, or standard input for "-"; gzip, also of several members, is decompressed. Throws
/// Failure (bad_input) for a file that cannot be read, is named .gz but is not gzip, is truncated or damaged,
/// or has more than `most_bytes` of text: that is found out before more is read or decompressed.
std::string read_log_file(const std::string& path, std::uint64_t most_bytes);

}  // namespace clpool::program
