// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// A library that hides all its symbols but these two, as many are built.
#pragma once

#include <system_error>

#define CLPOOL_HIDING_API __attribute__((visibility("default")))

CLPOOL_HIDING_API std::error_code io_error_of_library();
CLPOOL_HIDING_API void throw_in_library();
