// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The smallest struct_size that was ever valid, of every public struct that has one. Structs grow at their end:
// a number here ends with the field that was the last one when the struct was published, and stays. And the sizes
// that 1.0 has.
#pragma once

#include <cstddef>

#include "clpool/clpool.h"

namespace clpool::capi {

/// Bytes of a struct whose last field ends at `end`.
template <typename Struct>
constexpr std::size_t size_that_ends_at(std::size_t end) noexcept {
  return (end + alignof(Struct) - 1) / alignof(Struct) * alignof(Struct);
}

/// Only the structs below have one.
template <typename Struct>
inline constexpr std::size_t oldest_size = 0;

#define CLPOOL_OLDEST(type, last)                  \
  template <>                                      \
  inline constexpr std::size_t oldest_size<type> = \
      size_that_ends_at<type>(offsetof(type, last) + sizeof(type::last))

CLPOOL_OLDEST(clpool_allocator_ops, destroy);
CLPOOL_OLDEST(clpool_answer, note);
CLPOOL_OLDEST(clpool_bank_memory, reserved);
CLPOOL_OLDEST(clpool_box, target_slice_pitch);
CLPOOL_OLDEST(clpool_device_facts, driver_version);
CLPOOL_OLDEST(clpool_device_limits, note);
CLPOOL_OLDEST(clpool_device_options, selector);
CLPOOL_OLDEST(clpool_heap_stats, spaces);
CLPOOL_OLDEST(clpool_image_array, size);
CLPOOL_OLDEST(clpool_image_options, buffer);
CLPOOL_OLDEST(clpool_memo_ops, destroy);
CLPOOL_OLDEST(clpool_occupancy, occupancy);
CLPOOL_OLDEST(clpool_occupancy_request, barriers);
CLPOOL_OLDEST(clpool_performance, transfer_bytes);
CLPOOL_OLDEST(clpool_performance_options, least_ns);
CLPOOL_OLDEST(clpool_pool_callbacks, message);
CLPOOL_OLDEST(clpool_pool_stats, sub_buffers_created);
CLPOOL_OLDEST(clpool_trace_event, slot);
CLPOOL_OLDEST(clpool_trace_replay_options, user);
CLPOOL_OLDEST(clpool_trace_replay_result, ratio_ppm);
CLPOOL_OLDEST(clpool_trace_stats, final_live_blocks);
// What came before waiting and guard mode is enough.
template <>
inline constexpr std::size_t oldest_size<clpool_pool_options> = offsetof(clpool_pool_options, wait_ns);

#undef CLPOOL_OLDEST

/// The size that 1.0 has, which the functions clpool_…_init() write in all later versions, too.
template <typename Struct>
inline constexpr std::size_t first_release_size = oldest_size<Struct>;
template <>
inline constexpr std::size_t first_release_size<clpool_pool_options> = size_that_ends_at<clpool_pool_options>(
    offsetof(clpool_pool_options, reserved_2) + sizeof(clpool_pool_options::reserved_2));
template <>
inline constexpr std::size_t first_release_size<clpool_pool_callbacks> =
    size_that_ends_at<clpool_pool_callbacks>(offsetof(clpool_pool_callbacks, destroy) +
                                             sizeof(clpool_pool_callbacks::destroy));

}  // namespace clpool::capi
