// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Parsing and matching of device names.
#include "device/selector.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace clpool::core::device {
namespace {

std::string_view trimmed(std::string_view text) noexcept {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; };
  while (!text.empty() && is_blank(text.front())) {
    text.remove_prefix(1);
  }
  while (!text.empty() && is_blank(text.back())) {
    text.remove_suffix(1);
  }
  return text;
}

std::vector<std::string> split(std::string_view text, std::string_view separators) {
  std::vector<std::string> parts;
  for (;;) {
    const std::size_t end = text.find_first_of(separators);
    parts.emplace_back(trimmed(text.substr(0, end)));
    if (end == std::string_view::npos) {
      return parts;
    }
    text.remove_prefix(end + 1);
  }
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

/// "0 'name', 1 'name'…" for messages.
template <typename Entries>
std::string names_of(const Entries& entries) {
  std::string text;
  std::size_t index = 0;
  for (const auto& entry : entries) {
    text += (index == 0 ? "" : ", ") + std::to_string(index) + " '" + entry.name + "'";
    ++index;
  }
  return text.empty() ? "none" : text;
}

/// Index of the entry that `identifier` names, or NOT_FOUND.
template <typename Entries>
Status find_entry(const Entries& entries, const std::string& identifier, Origin origin, const char* what,
                  std::size_t& found) {
  const auto count = static_cast<long long>(entries.size());
  long long index = 0;
  if (parse_index(identifier, index)) {
    const long long from_start = index < 0 ? index + count : index;
    if (from_start < 0 || from_start >= count) {
      return fail(Status::not_found, "%s: %s index %lld is out of range, there are %lld: %s", origin.name,
                  what, index, count, names_of(entries).c_str());
    }
    found = static_cast<std::size_t>(from_start);
    return Status::success;
  }
  const std::string wanted = lower_case(identifier);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (lower_case(entries[i].name + ' ' + entries[i].vendor).find(wanted) != std::string::npos) {
      found = i;
      return Status::success;
    }
  }
  return fail(Status::not_found, "%s: no %s matches '%s', there are: %s", origin.name, what,
              identifier.c_str(), names_of(entries).c_str());
}

Status parse_entry(const std::string& text, Origin origin, Selector& selector) {
  const auto parts = split(text, ":=");
  if (parts.size() > 2 || parts[0].empty()) {
    return fail(Status::bad_format, "%s: '%s' is not PLATFORM or PLATFORM:DEVICE[,DEVICE…]", origin.name,
                text.c_str());
  }
  selector.platform = parts[0];
  if (parts.size() == 2) {
    selector.devices = split(parts[1], ",");
    if (std::any_of(selector.devices.begin(), selector.devices.end(),
                    [](const std::string& device) { return device.empty(); })) {
      return fail(Status::bad_format, "%s: '%s' has an empty device name", origin.name, text.c_str());
    }
  }
  return Status::success;
}

DeviceList of_kind(const Catalog& catalog, int kind) {
  DeviceList devices = by_preference(catalog);
  std::erase_if(devices, [kind](const DeviceEntry* device) { return kind_of(*device) != kind; });
  return devices;
}

}  // namespace

bool parse_index(std::string_view text, long long& value) noexcept {
  text = trimmed(text);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

Status parse_selectors(std::string_view text, Origin origin, std::vector<Selector>& selectors) {
  for (const std::string& entry : split(text, ";")) {
    if (!entry.empty()) {
      CLPOOL_TRY(parse_entry(entry, origin, selectors.emplace_back()));
    }
  }
  return Status::success;
}

Status parse_answers(std::string_view text, Origin origin, Selector& selector) {
  const auto answers = split(text, ":");
  if (answers.size() > 2) {
    return fail(Status::bad_format, "%s: '%s' has %zu answers, platform and devices are asked for",
                origin.name, std::string(text).c_str(), answers.size());
  }
  selector.platform = answers[0].empty() ? "0" : answers[0];
  const std::string devices = answers.size() == 2 ? answers[1] : "";
  selector.devices = split(devices, ",");
  for (std::string& device : selector.devices) {
    device = device.empty() ? "0" : device;
  }
  return Status::success;
}

Status select_devices(const Catalog& catalog, const Selector& selector, Origin origin, DeviceList& devices) {
  std::size_t platform_index = 0;
  CLPOOL_TRY(find_entry(catalog, selector.platform, origin, "platform", platform_index));
  const PlatformEntry& platform = catalog[platform_index];
  if (selector.devices.empty()) {
    for (const DeviceEntry& device : platform.devices) {
      devices.push_back(&device);
    }
    return Status::success;
  }
  for (const std::string& identifier : selector.devices) {
    std::size_t index = 0;
    CLPOOL_TRY(find_entry(platform.devices, identifier, origin, "device", index));
    devices.push_back(&platform.devices[index]);
  }
  return Status::success;
}

std::string names_of_all(const Catalog& catalog) {
  std::string all;
  for (const PlatformEntry& platform : catalog) {
    all += (all.empty() ? "'" : "; '") + platform.name + "' with " + names_of(platform.devices);
  }
  return all.empty() ? "none" : all;
}

Status select_by_text(const Catalog& catalog, std::string_view text, Origin origin, DeviceList& devices) {
  constexpr std::string_view kinds[] = {"gpu", "accelerator", "cpu"};
  const std::string wanted = lower_case(trimmed(text));
  if (const auto* const kind = std::find(std::begin(kinds), std::end(kinds), wanted);
      kind != std::end(kinds)) {
    devices = of_kind(catalog, static_cast<int>(kind - std::begin(kinds)));
    return devices.empty() ? fail(Status::not_found, "%s: there is no device of kind '%s', there are: %s",
                                  origin.name, wanted.c_str(), names_of_all(catalog).c_str())
                           : Status::success;
  }
  Selector selector;
  CLPOOL_TRY(parse_entry(std::string(trimmed(text)), origin, selector));
  const Status status = select_devices(catalog, selector, origin, devices);
  long long index = 0;
  if (status == Status::success || !selector.devices.empty() || parse_index(wanted, index)) {
    return status;
  }
  for (const DeviceEntry* device : by_preference(catalog)) {
    if (lower_case(device->name).find(wanted) != std::string::npos) {
      devices = {device};
      return Status::success;
    }
  }
  return fail(Status::not_found, "%s: no platform or device matches '%s', there are: %s", origin.name,
              std::string(text).c_str(), names_of_all(catalog).c_str());
}

int kind_of(const DeviceEntry& device) noexcept {
  if ((device.type & CL_DEVICE_TYPE_CPU) != 0) {
    return 2;
  }
  if ((device.type & CL_DEVICE_TYPE_GPU) != 0) {
    return 0;
  }
  return (device.type & CL_DEVICE_TYPE_ACCELERATOR) != 0 ? 1 : 3;
}

int rank_of(const DeviceEntry& device) noexcept {
  return 2 * kind_of(device) + (device.shares_host_memory ? 1 : 0);
}

DeviceList by_preference(const Catalog& catalog) {
  DeviceList devices;
  for (const PlatformEntry& platform : catalog) {
    for (const DeviceEntry& device : platform.devices) {
      if (device.available) {
        devices.push_back(&device);
      }
    }
  }
  std::stable_sort(devices.begin(), devices.end(),
                   [](const DeviceEntry* a, const DeviceEntry* b) { return rank_of(*a) < rank_of(*b); });
  return devices;
}

}  // namespace clpool::core::device
