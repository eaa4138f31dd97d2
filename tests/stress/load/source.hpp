// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// A custom allocator of host memory, or of numbers without memory, that fails now and then, each time in
// another way. It ends itself when nothing uses it any more, and then must have everything back.
#pragma once

#include <atomic>
#include <cstdint>

#include "handles.hpp"

namespace clpool::load {

class Source {
 public:
  /// One call in `failing_of` fails; 0: none.
  static Allocator make(bool has_memory, std::uint32_t failing_of, std::uint64_t seed);

  /// Sources that have not been ended, and the bytes that all of them have given out.
  static std::int64_t living();
  static std::int64_t bytes();

 private:
  Source(bool has_memory, std::uint32_t failing_of, std::uint64_t seed)
      : has_memory_(has_memory), failing_of_(failing_of), calls_(seed) {}
  clpool_status take(std::uint64_t size, std::uint64_t alignment, std::uint64_t& chunk);
  void give_back(std::uint64_t chunk, std::uint64_t size);

  const bool has_memory_;
  const std::uint32_t failing_of_;
  std::atomic<std::uint64_t> calls_;
  std::atomic<std::uint64_t> next_{1 << 20};
  std::atomic<std::int64_t> bytes_{0};
};

}  // namespace clpool::load
