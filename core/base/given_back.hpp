// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// How often anything of this process gave memory back to a driver: who was refused some, and waits, asks again
// when that has changed.
#pragma once

#include <atomic>
#include <cstdint>

namespace clpool::core {

inline constinit std::atomic<std::uint64_t> given_back_count{0};

inline void note_given_back() noexcept {
  given_back_count.fetch_add(1, std::memory_order_relaxed);
}
inline std::uint64_t given_back() noexcept {
  return given_back_count.load(std::memory_order_relaxed);
}

/// Says so when it goes, after everything that was made later.
struct NoteGivenBack {
  NoteGivenBack() noexcept = default;
  NoteGivenBack(const NoteGivenBack&) = delete;
  NoteGivenBack& operator=(const NoteGivenBack&) = delete;
  ~NoteGivenBack() { note_given_back(); }
};

}  // namespace clpool::core
