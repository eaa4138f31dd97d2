// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Limits of a device that OpenCL offers, and PyCUDA's alignment helpers.
#pragma once

#include <CL/cl.h>

#include <cstdint>

#include "base/status.hpp"
#include "device/limits.hpp"

namespace clpool::core::device {

/// Limits of an OpenCL device: what it answers itself, completed from the table of its architecture. Any
/// valid device has an answer; `limits.source` and `limits.note` say how good it is. PyCUDA's models need
/// an NVIDIA device (NOT_SUPPORTED).
Status limits_of_device(cl_device_id device, Model model, Limits& limits);

/// Bytes that accesses of a word size are best aligned to: 64 for 4, 128 for 8 and 16; else INVALID_VALUE.
Status align_bytes(std::int64_t word_size, std::uint64_t& bytes) noexcept;

/// Rounds bytes up to a multiple of align_bytes(). Exact for all 64-bit values; INVALID_VALUE where the
/// result would not fit.
Status align(std::uint64_t bytes, std::int64_t word_size, std::uint64_t& aligned) noexcept;

/// Words in align_bytes().
Status align_words(std::int64_t word_size, std::uint64_t& words) noexcept;

/// Rounds a number of elements up to a multiple of align_words().
Status align_elements(std::uint64_t elements, std::int64_t word_size, std::uint64_t& aligned) noexcept;

/// Rounds a number of threads up to a multiple of 16.
Status coalesce(std::uint64_t threads, std::uint64_t& rounded) noexcept;

/// The smallest of 1, 2 and 4 channels that is at least `size`; INVALID_VALUE over 4.
Status valid_channel_count(std::int64_t size, std::uint32_t& channels) noexcept;

}  // namespace clpool::core::device
