// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// AMD: waves per SIMD, vector registers and LDS by compiler target, as the LLVM AMDGPU backend documents
// them. Scalar registers are left out: since gfx8 they do not limit in practice.
#include <algorithm>
#include <charconv>
#include <string>

#include "device/architectures.hpp"

namespace clpool::core::device {
namespace {

/// "gfx90a:xnack-" is major 9, minor 0, stepping 0xA: the last two digits are hexadecimal, the rest decimal.
struct Target {
  std::uint32_t major = 0;
  std::uint32_t minor = 0;
  std::uint32_t stepping = 0;
  std::uint32_t number() const noexcept { return major << 8 | minor << 4 | stepping; }
};

bool parse_target(std::string_view text, Target& target) noexcept {
  text = text.substr(0, text.find(':'));
  if (text.substr(0, 3) != "gfx") {
    return false;
  }
  const auto parse = [](std::string_view digits, int base, std::uint32_t& value) {
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
    return error == std::errc() && end == digits.data() + digits.size();
  };
  const std::size_t tail = text.size() - 2;
  return parse(text.substr(3, tail - 3), 10, target.major) && parse(text.substr(tail, 1), 16, target.minor) &&
         parse(text.substr(tail + 1, 1), 16, target.stepping) && target.major >= 6 && target.major <= 12;
}

constexpr std::uint32_t gfx908 = 0x908;
constexpr std::uint32_t gfx90a = 0x90A;
constexpr std::uint32_t gfx940 = 0x940;
constexpr std::uint32_t gfx950 = 0x950;
constexpr std::uint32_t gfx1030 = 0xA30;
constexpr std::uint32_t gfx1100 = 0xB00;
constexpr std::uint32_t gfx1101 = 0xB01;
constexpr std::uint32_t gfx1151 = 0xB51;
constexpr std::uint32_t gfx1200 = 0xC00;

struct SimdUnit {
  std::uint32_t waves;      ///< resident at a time
  std::uint32_t registers;  ///< vector registers of one lane
  std::uint32_t unit;       ///< vector registers are given out in multiples of this
  std::uint32_t most;       ///< vector registers that one thread can have
};

SimdUnit simd_before_rdna(std::uint32_t number) noexcept {
  if (number == gfx90a || number >= gfx940) {
    return {8, 512, 8, 512};  // vector and accumulation registers are one file
  }
  return {10, 256, 4, 256};
}

SimdUnit simd_of_rdna(std::uint32_t number, bool wave32) noexcept {
  const bool large_file = number == gfx1100 || number == gfx1101 || number == gfx1151 || number >= gfx1200;
  const std::uint32_t half = wave32 ? 1 : 2;  // a wave of 64 takes two registers for one
  if (large_file) {
    return {16, 1536 / half, 24 / half, 256};
  }
  if (number >= gfx1030) {
    return {16, 1024 / half, 16 / half, 256};
  }
  return {20, 1024 / half, 8 / half, 256};
}

void set_local_memory(Limits& limits, std::uint32_t number) noexcept {
  const bool large = number == gfx950;
  limits.local_per_group = large ? 160 * 1024 : (number < 0x700 ? 32 * 1024 : 64 * 1024);
  limits.local_per_mp = large ? limits.local_per_group : std::uint64_t{64} * 1024;
  limits.local_unit = large ? 1280 : (number < 0x700 ? 256 : 512);
  limits.local_access_threads = large ? 64 : 32;
}

}  // namespace

Status amd_limits(std::string_view name, std::uint32_t wave_size, Limits& limits) noexcept {
  Target target;
  if (!parse_target(name, target)) {
    return fail(Status::not_found, "'%.*s' is not an AMD target such as gfx90a or gfx1100 (gfx6 to gfx12)",
                static_cast<int>(std::min<std::size_t>(name.size(), 64)), name.data());
  }
  const bool rdna = target.major >= 10;
  const std::uint32_t wave = wave_size != 0 ? wave_size : (rdna ? 32 : 64);
  if (wave != 64 && (wave != 32 || !rdna)) {
    return fail(Status::invalid_value, "a wave of %u threads is asked for, gfx%u has %s", wave, target.major,
                rdna ? "32 and 64" : "64");
  }
  const std::uint32_t number = target.number();
  const SimdUnit simd = rdna ? simd_of_rdna(number, wave == 32) : simd_before_rdna(number);
  const std::uint32_t simds = rdna ? 2 : 4;
  limits = {};
  limits.vendor = Vendor::amd;
  limits.compute_major = target.major;
  limits.compute_minor = target.minor;
  limits.warp_size = wave;
  limits.max_threads_per_group = 1024;
  limits.max_warps_per_mp = simd.waves * simds;
  limits.max_groups_per_mp = 16;
  limits.max_lone_warp_groups_per_mp = limits.max_warps_per_mp;
  limits.register_lanes = wave;
  limits.sub_partitions = simds;
  limits.registers_per_mp = simd.registers * wave * simds;
  limits.registers_per_group = limits.registers_per_mp;
  limits.max_registers_per_thread = simd.most;
  limits.register_unit = simd.unit * wave;
  set_local_memory(limits, number);
  limits.source = Source::table;
  limits.note = number == gfx908
                    ? "vector registers only: accumulation registers of gfx908 limit apart from them"
                    : "vector registers, LDS and wave slots by LLVM's tables; scalar registers left out";
  return Status::success;
}

}  // namespace clpool::core::device
