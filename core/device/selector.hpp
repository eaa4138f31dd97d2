// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The texts by which users name devices, and what they match. Pure: works on a catalog, which may be made up.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.hpp"
#include "device/catalog.hpp"

namespace clpool::core::device {

/// One entry "PLATFORM" or "PLATFORM:DEVICE[,DEVICE…]". Each identifier is an index (negative ones count from
/// the end) or a part of "name vendor", in any case; the first match wins.
struct Selector {
  std::string platform;              ///< never empty
  std::vector<std::string> devices;  ///< empty: all of the platform's
};

/// Where a text came from, for messages: "CLPOOL_TEST", "PYOPENCL_CTX", …
struct Origin {
  const char* name;
};

/// Entries separated by ';' with ':' or '=' between platform and devices. BAD_FORMAT for anything
/// else.
Status parse_selectors(std::string_view text, Origin origin, std::vector<Selector>& selectors);

/// Answers "PLATFORM[:DEVICE[,DEVICE…]]" as PYOPENCL_CTX has them: an empty answer means the first; a third
/// answer is BAD_FORMAT.
Status parse_answers(std::string_view text, Origin origin, Selector& selector);

using DeviceList = std::vector<const DeviceEntry*>;

/// Devices of one entry, in the entry's order. NOT_FOUND, with what there is, where an identifier matches
/// nothing.
Status select_devices(const Catalog& catalog, const Selector& selector, Origin origin, DeviceList& devices);

/// What CLPOOL_DEVICE may say: "gpu", "accelerator" or "cpu"; an entry as above; or else a part of the name
/// of a device of any platform.
Status select_by_text(const Catalog& catalog, std::string_view text, Origin origin, DeviceList& devices);

/// Kind of a device as users think of it: 0 GPU, 1 accelerator, 2 CPU, 3 anything else. What calls itself
/// several things, such as a simulator, counts as the CPU that it runs on.
int kind_of(const DeviceEntry& device) noexcept;

/// Where by_preference() has a device, from 0: devices of one rank are as good as each other.
int rank_of(const DeviceEntry& device) noexcept;

/// All available devices, best first: GPUs with memory of their own, other GPUs, accelerators, CPUs, others;
/// in the loader's order within each.
DeviceList by_preference(const Catalog& catalog);

/// What there is, by platform: for messages.
std::string names_of_all(const Catalog& catalog);

/// Reads a whole decimal number; false for anything else.
bool parse_index(std::string_view text, long long& value) noexcept;

}  // namespace clpool::core::device
