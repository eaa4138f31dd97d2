// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// AMD's compute units and Intel's sub-slices by the name of their architecture, as far as public tables go.
#pragma once

#include <string_view>

#include "base/status.hpp"
#include "device/limits.hpp"

namespace clpool::core::device {

/// AMD by compiler target: "gfx906", "gfx90a:sramecc+:xnack-", "gfx1100", … (GCN, CDNA, RDNA). `wave_size` 0:
/// the architecture's own (64 up to gfx9, 32 from gfx10 on), else 32 or 64. NOT_FOUND for other names.
Status amd_limits(std::string_view target, std::uint32_t wave_size, Limits& limits) noexcept;

/// Intel by "gen9", "gen11", "xe-lp", "xe-hpg", "xe-hpc", "xe2". `simd` is the sub-group size that the
/// compiler chose, 8, 16 or 32; 0: 16. NOT_FOUND for other names.
Status intel_limits(std::string_view architecture, std::uint32_t simd, Limits& limits) noexcept;

/// Intel by CL_DEVICE_IP_VERSION_INTEL (GFX IP: major << 22 | minor << 14); null where it is not known.
const char* intel_architecture(std::uint32_t ip_version) noexcept;

/// Any of them: "9.0" and "sm_90" (NVIDIA), "gfx…", Intel's names.
Status limits_of_architecture(std::string_view name, Model model, Limits& limits) noexcept;

}  // namespace clpool::core::device
