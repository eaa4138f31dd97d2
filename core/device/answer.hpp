// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// An answer about a device: a value, where it comes from, and how far to trust it. No question has an
// exception for an answer.
#pragma once

#include <cstdint>

#include "device/limits.hpp"

namespace clpool::core::device {

struct Answer {
  std::int64_t value = 0;
  Source source = Source::none;
  const char* basis = "";  ///< static text: the query, extension or table row
  const char* note = "";   ///< static text: what to beware of, "" for nothing
};

}  // namespace clpool::core::device
