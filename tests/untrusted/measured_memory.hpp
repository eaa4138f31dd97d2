// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The bytes that the program and the library have from operator new.
#pragma once

#include <cstdint>

namespace clpool::test::measured_memory {

/// Bytes that are allocated now.
std::uint64_t live();
/// The most that were at a time, since the last restart().
std::uint64_t peak();
void restart();

}  // namespace clpool::test::measured_memory
