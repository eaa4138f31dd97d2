// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// NVIDIA's multiprocessors by compute capability.
#pragma once

#include <cstdint>

#include "base/status.hpp"
#include "device/limits.hpp"

namespace clpool::core::device {

/// Limits of a compute capability. NOT_FOUND, with the known ones in the message, for any other.
Status nvidia_limits(std::int64_t major, std::int64_t minor, Model model, Limits& limits) noexcept;

/// The closest known compute capability that is not newer; for devices newer than the table.
/// NOT_FOUND for one older than 1.0.
Status nearest_nvidia_limits(std::int64_t major, std::int64_t minor, Model model, Limits& limits) noexcept;

/// PyCUDA's DeviceData from the attributes that it queries; `limits.model` says which
/// copy's rule.
void apply_pycuda_rules(Limits& limits) noexcept;

/// Registers are given to a warp of cc 2.x in units of 64, for some counts per thread of 128.
std::uint32_t fermi_register_unit(std::uint64_t registers_per_thread) noexcept;

}  // namespace clpool::core::device
