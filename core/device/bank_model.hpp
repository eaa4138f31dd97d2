// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Which accesses to local memory fall on the same bank. Pure arithmetic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/status.hpp"
#include "device/limits.hpp"

namespace clpool::core::device {

/// Local memory as the model sees it.
struct BankMemory {
  Model model = Model::current;
  std::uint32_t granularity = 4;  ///< bytes that one bank gives at a time
  std::uint32_t work_items = 32;  ///< that access at a time
  std::uint32_t banks = 32;
};

/// An array in local memory, fastest axis last; work items run along its axes.
struct BankAccess {
  std::size_t item_size = 0;            ///< bytes
  std::span<const std::size_t> shape;   ///< items that are accessed
  std::span<const std::size_t> stored;  ///< items that are laid out, such as (32, 33) for (32, 32)
};

struct BankConflict {
  std::uint64_t multiplicity =
      1;                   ///< accesses that one bank has to serve one after the other; 1: no conflict
  std::uint32_t axis = 0;  ///< counted from the right, where work items run first in the worst case
  std::uint32_t bank = 0;
  std::string text;  ///< empty: no conflict
};

/// Model::current counts distinct words of one bank in each transaction: neighbours that share a word
/// do not conflict, wide items go in several transactions. PyOpenCL's models count work items.
/// INVALID_VALUE for shapes of different rank, an extent of 0, or figures of 0.
Status bank_conflicts(const BankMemory& memory, const BankAccess& access, BankConflict& conflict);

}  // namespace clpool::core::device
