// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Who made a device, by its exact vendor id or vendor text and not by a part of a name ("ati" is in
// "Corporation").
#pragma once

#include <CL/cl.h>

#include <string_view>

namespace clpool::core::device {

/// PCI vendor ids as CL_DEVICE_VENDOR_ID reports them.
namespace vendor_id {
inline constexpr cl_uint amd = 0x1002;
inline constexpr cl_uint intel = 0x8086;
inline constexpr cl_uint nvidia = 0x10DE;
inline constexpr cl_uint arm = 0x13B5;
inline constexpr cl_uint qualcomm = 0x5143;
inline constexpr cl_uint imagination = 0x1010;
inline constexpr cl_uint apple = 0x1027F00;  // Apple's own GPUs under macOS
}  // namespace vendor_id

enum class Maker { unknown, nvidia, amd, intel, arm, qualcomm, apple, imagination };

/// By the id; where a driver puts a product number there (Mali, Adreno), by the whole vendor text.
constexpr Maker maker_of(cl_uint id, std::string_view vendor) noexcept {
  switch (id) {
    case vendor_id::nvidia:
      return Maker::nvidia;
    case vendor_id::amd:
      return Maker::amd;
    case vendor_id::intel:
      return Maker::intel;
    case vendor_id::arm:
      return Maker::arm;
    case vendor_id::qualcomm:
      return Maker::qualcomm;
    case vendor_id::imagination:
      return Maker::imagination;
    case vendor_id::apple:
      return Maker::apple;
    default:
      break;
  }
  if (vendor == "ARM") {
    return Maker::arm;
  }
  if (vendor == "QUALCOMM" || vendor == "Qualcomm") {
    return Maker::qualcomm;
  }
  return vendor == "Apple" ? Maker::apple : Maker::unknown;
}

}  // namespace clpool::core::device
