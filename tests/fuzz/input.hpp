// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What the drivers on the fake driver share: bytes as numbers, and a check that ends the process as libFuzzer
// wants it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace clpool::fuzz {

inline void require(bool holds, const char* what) {
  if (!holds) {
    std::fprintf(stderr, "broken: %s\n", what);
    std::abort();
  }
}

/// The bytes of an input, taken one after the other; beyond the end they are 0.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) noexcept : data_(data), size_(size) {}

  bool empty() const noexcept { return at_ >= size_; }
  std::uint8_t byte() noexcept { return empty() ? std::uint8_t{0} : data_[at_++]; }
  std::uint16_t two() noexcept {
    const std::uint8_t low = byte();
    return static_cast<std::uint16_t>(low | byte() << 8);
  }
  std::uint64_t eight() noexcept {
    std::uint64_t value = 0;
    for (int i = 0; i < 8; ++i) {
      value |= std::uint64_t{byte()} << 8 * i;
    }
    return value;
  }
  std::size_t below(std::size_t limit) noexcept { return limit < 2 ? 0 : byte() % limit; }
  /// As many bytes as the next one says.
  std::string text() {
    std::string result;
    for (std::size_t left = byte(); left > 0 && !empty(); --left) {
      result += static_cast<char>(byte());
    }
    return result;
  }
  std::string_view rest() noexcept {
    const std::size_t from = std::min(at_, size_);
    at_ = size_;
    return {reinterpret_cast<const char*>(data_ + from), size_ - from};
  }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
  std::size_t at_ = 0;
};

}  // namespace clpool::fuzz
