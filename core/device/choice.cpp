// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The order of what decides on a device.
#include "device/choice.hpp"

#include <algorithm>
#include <cstdio>

#include "base/message.hpp"
#include "device/environment.hpp"
#include "device/vendor.hpp"

namespace clpool::core::device {
namespace {

Status select_all(const Catalog& catalog, std::string_view text, Origin origin, DeviceList& devices) {
  std::vector<Selector> selectors;
  CLPOOL_TRY(parse_selectors(text, origin, selectors));
  for (const Selector& selector : selectors) {
    CLPOOL_TRY(select_devices(catalog, selector, origin, devices));
  }
  return Status::success;
}

Status select_answers(const Catalog& catalog, std::string_view text, Origin origin, DeviceList& devices) {
  Selector selector;
  CLPOOL_TRY(parse_answers(text, origin, selector));
  return select_devices(catalog, selector, origin, devices);
}

/// CUDA numbers NVIDIA's devices only; where there are none, the number counts all devices, best first.
Status select_numbered(const Catalog& catalog, const NumberedDevice& numbered, DeviceList& devices) {
  DeviceList countable = by_preference(catalog);
  const auto is_nvidia = [](const DeviceEntry* device) { return device->vendor_id == vendor_id::nvidia; };
  if (std::any_of(countable.begin(), countable.end(), is_nvidia)) {
    std::erase_if(countable, [&](const DeviceEntry* device) { return !is_nvidia(device); });
  }
  if (numbered.index >= static_cast<long long>(countable.size())) {
    return fail(Status::not_found, "%s: device %lld is out of range, there are %zu", numbered.origin.c_str(),
                numbered.index, countable.size());
  }
  devices = {countable[static_cast<std::size_t>(numbered.index)]};
  return Status::success;
}

using Select = Status (*)(const Catalog&, std::string_view, Origin, DeviceList&);

/// Asks one variable; `tried` records it. Sets `decided` if the variable is set, whatever came of it.
Status ask_variable(const Catalog& catalog, const char* name, Select select, Choice& choice, bool& decided) {
  const char* value = environment(name);
  choice.tried += (choice.tried.empty() ? "" : ", ") + std::string(name);
  if (value == nullptr) {
    choice.tried += " (not set)";
    return Status::success;
  }
  choice.tried += std::string("='") + value + "'";
  decided = true;
  return select(catalog, value, {name}, choice.devices);
}

Status ask_environment(const Catalog& catalog, Choice& choice, bool& decided) {
  constexpr std::pair<const char*, Select> variables[] = {{"CLPOOL_DEVICE", select_by_text},
                                                          {"CLPOOL_TEST", select_all},
                                                          {"PYOPENCL_TEST", select_all},
                                                          {"PYOPENCL_CTX", select_answers}};
  for (const auto& [name, select] : variables) {
    CLPOOL_TRY(ask_variable(catalog, name, select, choice, decided));
    if (decided) {
      return Status::success;
    }
  }
  NumberedDevice numbered;
  CLPOOL_TRY(read_cuda_device(numbered));
  if (numbered.origin.empty()) {
    choice.tried += ", CUDA_DEVICE (not set), ~/.cuda-device and ~/.cuda_device (not there)";
    return Status::success;
  }
  choice.tried += ", " + numbered.origin + "=" + std::to_string(numbered.index);
  decided = true;
  return select_numbered(catalog, numbered, choice.devices);
}

/// Processes of one node go round the devices that are as good as the first.
Status apply_rank(Choice& choice, bool decided) {
  if (choice.devices.empty()) {
    return Status::success;
  }
  NumberedDevice rank;
  CLPOOL_TRY(read_local_rank(rank));
  if (rank.origin.empty()) {
    choice.tried += ", no launcher's rank is set";
    return Status::success;
  }
  DeviceList equals = choice.devices;
  if (!decided) {
    const int best = rank_of(*equals.front());
    std::erase_if(equals, [best](const DeviceEntry* device) { return rank_of(*device) != best; });
  }
  choice.tried += ", " + rank.origin + "=" + std::to_string(rank.index);
  choice.devices = {equals[static_cast<std::size_t>(rank.index) % equals.size()]};
  return Status::success;
}

Status ask(const Catalog& catalog, const ChoiceOptions& options, Choice& choice, bool& decided) {
  if (options.selector != nullptr && *options.selector != '\0') {
    choice.tried = std::string("selector '") + options.selector + "'";
    decided = true;
    return select_by_text(catalog, options.selector, {"selector"}, choice.devices);
  }
  if (!options.ignore_environment) {
    CLPOOL_TRY(ask_environment(catalog, choice, decided));
  }
  if (!decided) {
    choice.tried += std::string(choice.tried.empty() ? "" : ", ") + "GPUs before accelerators before CPUs";
    choice.devices = by_preference(catalog);
  }
  return Status::success;
}

std::string names_of(const DeviceList& devices) {
  std::string text;
  for (const DeviceEntry* device : devices) {
    text += (text.empty() ? "" : ", ") + describe(*device);
  }
  return text;
}

/// "CL_DEVICE_TYPE_CPU or CL_DEVICE_TYPE_GPU (0x6)".
std::string names_of_types(cl_device_type types) {
  constexpr std::pair<cl_device_type, const char*> names[] = {
      {CL_DEVICE_TYPE_DEFAULT, "CL_DEVICE_TYPE_DEFAULT"},
      {CL_DEVICE_TYPE_CPU, "CL_DEVICE_TYPE_CPU"},
      {CL_DEVICE_TYPE_GPU, "CL_DEVICE_TYPE_GPU"},
      {CL_DEVICE_TYPE_ACCELERATOR, "CL_DEVICE_TYPE_ACCELERATOR"},
      {CL_DEVICE_TYPE_CUSTOM, "CL_DEVICE_TYPE_CUSTOM"}};
  std::string text;
  for (const auto& [type, name] : names) {
    if ((types & type) != 0) {
      text += (text.empty() ? "" : " or ") + std::string(name);
    }
  }
  char number[24];
  std::snprintf(number, sizeof number, "0x%llX", static_cast<unsigned long long>(types));
  return text.empty() ? number : text + " (" + number + ")";
}

}  // namespace

Status choose(const Catalog& catalog, const ChoiceOptions& options, Choice& choice) {
  if (catalog.empty()) {
    return fail(Status::not_found, "there is no OpenCL platform: is an OpenCL driver (ICD) installed?");
  }
  bool decided = false;
  CLPOOL_TRY(ask(catalog, options, choice, decided));
  const cl_device_type types = options.types != 0 ? options.types : CL_DEVICE_TYPE_ALL;
  std::erase_if(choice.devices, [types](const DeviceEntry* device) { return (device->type & types) == 0; });
  if (options.by_rank) {
    CLPOOL_TRY(apply_rank(choice, decided));
  }
  if (choice.devices.empty()) {
    return fail(Status::not_found, "no device%s among %zu platforms; tried: %s; there are: %s",
                options.types == 0 ? "" : (" of type " + names_of_types(types)).c_str(), catalog.size(),
                choice.tried.c_str(), names_of_all(catalog).c_str());
  }
  send_message({}, Severity::trace, "device choice: %s; by: %s", names_of(choice.devices).c_str(),
               choice.tried.c_str());
  return Status::success;
}

Status choose_for_tests(const Catalog& catalog, DeviceList& devices) {
  for (const char* name : {"CLPOOL_TEST", "PYOPENCL_TEST"}) {
    if (const char* value = environment(name)) {
      return select_all(catalog, value, {name}, devices);
    }
  }
  for (const PlatformEntry& platform : catalog) {
    for (const DeviceEntry& device : platform.devices) {
      devices.push_back(&device);
    }
  }
  return Status::success;
}

Status create_default_context(const Catalog& catalog, const ChoiceOptions& options, DefaultContext& result) {
  Choice choice;
  CLPOOL_TRY(choose(catalog, options, choice));
  std::string failures;
  cl_int code = CL_SUCCESS;
  for (const DeviceEntry* device : choice.devices) {
    const cl_device_id id = device->id;
    cl::Context context = cl::Context::adopt(clCreateContext(nullptr, 1, &id, nullptr, nullptr, &code));
    if (code == CL_SUCCESS) {
      result.queue = cl::Queue::adopt(clCreateCommandQueue(context.get(), id, 0, &code));
    }
    if (code == CL_SUCCESS) {
      result.device = id;
      result.context = std::move(context);
      return Status::success;
    }
    failures += (failures.empty() ? "" : ", ") + describe(*device) + ": " + cl_error_name(code);
  }
  return fail_cl(code, "clCreateContext", "no context on any of %zu devices (%s); tried: %s",
                 choice.devices.size(), failures.c_str(), choice.tried.c_str());
}

}  // namespace clpool::core::device
