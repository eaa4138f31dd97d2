// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Fifo: a list in the order of arrival, linked by what is in it. Whoever has it keeps others out.
#pragma once

#include <cstdint>

namespace clpool::core {

/// The link is `Link* next` of `Link`, which is T or a base of it.
template <typename T, typename Link = T>
struct Fifo {
  Link* first = nullptr;
  Link* last = nullptr;
  std::uint64_t count = 0;
  bool empty() const noexcept { return first == nullptr; }
  /// The first of which `test` is true, or null.
  template <typename Test>
  Link* find_if(Test&& test) const {
    Link* item = first;
    while (item != nullptr && !test(*item)) {
      item = item->next;
    }
    return item;
  }
  void add(T& item) noexcept {
    item.next = nullptr;
    (last != nullptr ? last->next : first) = &item;
    last = &item;
    ++count;
  }
  /// Puts all of another list before what is in this one, and leaves that empty.
  void add_before(Fifo& others) noexcept {
    if (!others.empty()) {
      others.last->next = first;
      first = others.first;
      last = last != nullptr ? last : others.last;
      count += others.count;
      others = {};
    }
  }
  T* take() noexcept {
    Link* const taken = first;
    if (taken != nullptr) {
      first = taken->next;
      last = first != nullptr ? last : nullptr;
      --count;
    }
    return static_cast<T*>(taken);
  }
  /// Takes out what stands behind `previous`, or first where that is null.
  void remove(const Link& item, Link* previous) noexcept {
    (previous != nullptr ? previous->next : first) = item.next;
    last = last == &item ? previous : last;
    --count;
  }
};

}  // namespace clpool::core
