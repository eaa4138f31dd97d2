// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The two bank models: both walk the work items of each axis order, and differ in what they count.
#include "device/bank_model.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

namespace clpool::core::device {
namespace {

constexpr std::uint32_t most_work_items = 4096;
constexpr std::size_t most_axes = 32;
constexpr std::uint32_t most_banks = 65536;
constexpr std::size_t most_item_bytes = 65536;
constexpr std::uint64_t most_words = std::uint64_t{1} << 18;  ///< of all items together: each is looked at

Status check(const BankMemory& memory, const BankAccess& access) noexcept {
  if (memory.granularity == 0 || memory.banks == 0 || memory.work_items == 0 ||
      memory.work_items > most_work_items || memory.banks > most_banks) {
    return fail(
        Status::invalid_value,
        "local memory with %u banks of %u bytes and %u work items: none may be 0, and there may be %u banks "
        "and %u work items",
        memory.banks, memory.granularity, memory.work_items, most_banks, most_work_items);
  }
  if (access.item_size == 0 || access.item_size > most_item_bytes) {
    return fail(Status::invalid_value, "the item size is %zu bytes, valid are 1 to %zu", access.item_size,
                most_item_bytes);
  }
  if (access.shape.size() != access.stored.size()) {
    return fail(Status::invalid_value,
                "the shape has %zu axes and the stored shape %zu: there must be as many", access.shape.size(),
                access.stored.size());
  }
  if (access.shape.size() > most_axes) {
    return fail(Status::invalid_value, "the shape has %zu axes, at most %zu are allowed", access.shape.size(),
                most_axes);
  }
  std::size_t bytes = access.item_size;
  for (std::size_t axis = 0; axis < access.shape.size(); ++axis) {
    const std::size_t extent = access.shape[axis];
    const std::size_t stored = access.stored[axis];
    if (extent == 0 || stored == 0) {
      return fail(Status::invalid_value, "axis %zu has extent %zu and stored extent %zu, neither may be 0",
                  axis, extent, stored);
    }
    if (memory.model == Model::current && stored < extent) {
      return fail(Status::invalid_value, "axis %zu has extent %zu, but only %zu are stored", axis, extent,
                  stored);
    }
    if (__builtin_mul_overflow(bytes, std::max(extent, stored), &bytes)) {
      return fail(Status::invalid_value, "the array has over %llu bytes, more than memory can",
                  static_cast<unsigned long long>(SIZE_MAX));
    }
  }
  return Status::success;
}

/// What one work item accesses.
struct Item {
  std::uint32_t number = 0;
  std::uint64_t address = 0;         ///< bytes from the start of the array
  std::vector<std::size_t> indices;  ///< fastest axis last
};

/// The work items that run along `first_axis` (counted from the right) and on; those beyond the array are
/// left out.
std::vector<Item> items_along(const BankMemory& memory, const BankAccess& access, std::size_t first_axis) {
  const std::size_t rank = access.shape.size();
  std::vector<Item> items;
  for (std::uint32_t number = 0; number < memory.work_items; ++number) {
    Item item{number, 0, std::vector<std::size_t>(rank)};
    std::size_t left_over = number;
    std::uint64_t stride = access.item_size;
    for (std::size_t axis = 0; axis < rank; ++axis) {
      const std::size_t position = rank - 1 - axis;
      if (axis >= first_axis) {
        item.indices[position] = left_over % access.shape[position];
        left_over /= access.shape[position];
        item.address += stride * item.indices[position];
      }
      stride *= access.stored[position];
    }
    if (left_over == 0) {
      items.push_back(std::move(item));
    }
  }
  return items;
}

/// "w.item 3 -> [0, 3]", PyOpenCL's words.
std::string text_of(const Item& item) {
  std::string text = "w.item " + std::to_string(item.number) + " -> [";
  for (std::size_t i = 0; i < item.indices.size(); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(item.indices[i]);
  }
  return text + "]";
}

std::string text_of(const std::vector<const Item*>& items) {
  std::string text;
  for (const Item* item : items) {
    text += (text.empty() ? "" : ", ") + text_of(*item);
  }
  return text;
}

/// Keeps the greater of two conflicts: by multiplicity, then by text (PyOpenCL's rule for ties).
void keep_greater(BankConflict& kept, BankConflict candidate) {
  if (candidate.multiplicity > kept.multiplicity ||
      (candidate.multiplicity == kept.multiplicity && candidate.text > kept.text)) {
    kept = std::move(candidate);
  }
}

std::string conflict_text(std::uint64_t multiplicity, std::size_t axis, const std::vector<const Item*>& items,
                          std::uint64_t bank) {
  return std::to_string(multiplicity) + "x conflict on axis " + std::to_string(axis) +
         " (from right, 0-based): " + text_of(items) + " access bank " + std::to_string(bank);
}

/// PyOpenCL: every work item on a bank counts, whatever word it reads.
void count_items(const BankMemory& memory, const std::vector<Item>& items, std::size_t axis,
                 BankConflict& worst) {
  std::map<std::uint64_t, std::vector<const Item*>> by_bank;
  for (const Item& item : items) {
    by_bank[item.address / memory.granularity % memory.banks].push_back(&item);
  }
  for (const auto& [bank, on_bank] : by_bank) {
    if (on_bank.size() > 1 && on_bank.size() >= worst.multiplicity) {
      keep_greater(worst, {on_bank.size(), static_cast<std::uint32_t>(axis), static_cast<std::uint32_t>(bank),
                           conflict_text(on_bank.size(), axis, on_bank, bank)});
    }
  }
}

/// Work items that one transaction serves: as many as all banks together have bytes for.
std::size_t items_of_transaction(const BankMemory& memory, std::size_t item_size) noexcept {
  const std::uint64_t bytes = std::uint64_t{memory.granularity} * memory.banks;
  return static_cast<std::size_t>(std::clamp<std::uint64_t>(bytes / item_size, 1, memory.work_items));
}

/// Bounds what count_words() does.
Status check_words(const BankMemory& memory, std::size_t item_size) noexcept {
  const std::uint64_t words = (item_size + memory.granularity - 1) / memory.granularity * memory.work_items;
  return words <= most_words
             ? Status::success
             : fail(Status::invalid_value,
                    "%u work items of %zu bytes access %llu words of %u bytes, at most %llu are allowed",
                    memory.work_items, item_size, static_cast<unsigned long long>(words), memory.granularity,
                    static_cast<unsigned long long>(most_words));
}

/// Distinct words of each bank within one transaction. Of banks with as many the first is told.
void count_words(const BankMemory& memory, std::span<const Item> items, std::size_t item_size,
                 std::size_t axis, BankConflict& worst) {
  struct Access {
    std::uint64_t bank;
    std::uint64_t word;
    const Item* item;  ///< the first that accesses the word
  };
  std::vector<Access> accesses;
  for (const Item& item : items) {
    const std::uint64_t last = (item.address + item_size - 1) / memory.granularity;
    for (std::uint64_t word = item.address / memory.granularity; word <= last; ++word) {
      accesses.push_back({word % memory.banks, word, &item});
    }
  }
  const auto place = [](const Access& access) { return std::pair(access.bank, access.word); };
  std::stable_sort(accesses.begin(), accesses.end(),
                   [&](const Access& a, const Access& b) { return place(a) < place(b); });
  accesses.erase(std::unique(accesses.begin(), accesses.end(),
                             [&](const Access& a, const Access& b) { return place(a) == place(b); }),
                 accesses.end());
  for (auto begin = accesses.cbegin(); begin != accesses.cend();) {
    const auto end = std::find_if(begin, accesses.cend(),
                                  [&](const Access& access) { return access.bank != begin->bank; });
    const auto words = static_cast<std::uint64_t>(end - begin);
    if (words > worst.multiplicity) {
      std::vector<const Item*> on_bank;
      std::transform(begin, end, std::back_inserter(on_bank),
                     [](const Access& access) { return access.item; });
      worst = {words, static_cast<std::uint32_t>(axis), static_cast<std::uint32_t>(begin->bank),
               conflict_text(words, axis, on_bank, begin->bank)};
    }
    begin = end;
  }
}

}  // namespace

Status bank_conflicts(const BankMemory& memory, const BankAccess& access, BankConflict& conflict) {
  conflict = {};
  CLPOOL_TRY(check(memory, access));
  const std::size_t per_transaction = items_of_transaction(memory, access.item_size);
  if (memory.model == Model::current) {
    if (per_transaction == 1) {
      return Status::success;  // one item, or a part of one, at a time
    }
    CLPOOL_TRY(check_words(memory, access.item_size));
  }
  for (std::size_t axis = 0; axis < access.shape.size(); ++axis) {
    const std::vector<Item> items = items_along(memory, access, axis);
    if (memory.model != Model::current) {
      count_items(memory, items, axis, conflict);
      continue;
    }
    for (std::size_t begin = 0; begin < items.size(); begin += per_transaction) {
      const std::size_t count = std::min(per_transaction, items.size() - begin);
      count_words(memory, std::span(items).subspan(begin, count), access.item_size, axis, conflict);
    }
  }
  return Status::success;
}

}  // namespace clpool::core::device
