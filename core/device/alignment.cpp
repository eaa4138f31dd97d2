// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// PyCUDA's alignment helpers, in integers: PyCUDA's floating-point division is exact only below 2^53.
#include <cinttypes>

#include "device/device_data.hpp"

namespace clpool::core::device {
namespace {

/// `unit`: a power of two.
Status round_up_to(std::uint64_t value, std::uint64_t unit, std::uint64_t& rounded) noexcept {
  const std::uint64_t rest = value & (unit - 1);
  if (rest == 0) {
    rounded = value;
    return Status::success;
  }
  if (__builtin_add_overflow(value, unit - rest, &rounded)) {
    return fail(Status::invalid_value,
                "%" PRIu64 " cannot be rounded up to a multiple of %" PRIu64 " in 64 bits", value, unit);
  }
  return Status::success;
}

}  // namespace

Status align_bytes(std::int64_t word_size, std::uint64_t& bytes) noexcept {
  switch (word_size) {
    case 4:
      bytes = 64;
      return Status::success;
    case 8:
    case 16:
      bytes = 128;
      return Status::success;
    default:
      bytes = 0;
      return fail(Status::invalid_value, "the word size is %" PRId64 " bytes, valid are 4, 8 and 16",
                  word_size);
  }
}

Status align(std::uint64_t bytes, std::int64_t word_size, std::uint64_t& aligned) noexcept {
  std::uint64_t unit = 0;
  CLPOOL_TRY(align_bytes(word_size, unit));
  return round_up_to(bytes, unit, aligned);
}

Status align_words(std::int64_t word_size, std::uint64_t& words) noexcept {
  std::uint64_t bytes = 0;
  CLPOOL_TRY(align_bytes(word_size, bytes));
  words = bytes / static_cast<std::uint64_t>(word_size);
  return Status::success;
}

Status align_elements(std::uint64_t elements, std::int64_t word_size, std::uint64_t& aligned) noexcept {
  std::uint64_t words = 0;
  CLPOOL_TRY(align_words(word_size, words));
  return round_up_to(elements, words, aligned);
}

Status coalesce(std::uint64_t threads, std::uint64_t& rounded) noexcept {
  return round_up_to(threads, 16, rounded);
}

Status valid_channel_count(std::int64_t size, std::uint32_t& channels) noexcept {
  channels = 0;
  if (size > 4) {
    return fail(Status::invalid_value, "%" PRId64 " channels are asked for, textures have at most 4", size);
  }
  channels = size <= 1 ? 1 : (size == 2 ? 2 : 4);
  return Status::success;
}

}  // namespace clpool::core::device
