// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Shims of clpool/device.h.
#include "clpool/device.h"

#include "cl/info.hpp"
#include "device/catalog.hpp"
#include "device/choice.hpp"
#include "device/device_facts.hpp"
#include "shim.hpp"
#include "text.hpp"

namespace {

using clpool::core::fail;
using clpool::core::Status;
using namespace clpool::core::device;

Status to_core(const clpool_device_options* options_or_null, ChoiceOptions& result, const char* function) {
  if (options_or_null == nullptr) {
    return Status::success;
  }
  clpool_device_options options = CLPOOL_DEVICE_OPTIONS_INIT;
  CLPOOL_TRY(clpool::capi::read_options(options_or_null, options, function));
  constexpr std::uint32_t known = CLPOOL_DEVICE_IGNORE_ENVIRONMENT | CLPOOL_DEVICE_BY_RANK;
  if ((options.flags & ~known) != 0) {
    return fail(Status::invalid_value, "%s: flags are 0x%X, known are 0x%X", function, options.flags, known);
  }
  result.selector = options.selector;
  result.types = options.types;
  result.ignore_environment = (options.flags & CLPOOL_DEVICE_IGNORE_ENVIRONMENT) != 0;
  result.by_rank = (options.flags & CLPOOL_DEVICE_BY_RANK) != 0;
  return Status::success;
}

void write_devices(const DeviceList& list, cl_device_id* devices, std::size_t capacity, std::size_t* count) {
  for (std::size_t i = 0; i < list.size() && i < capacity; ++i) {
    devices[i] = list[i]->id;
  }
  *count = list.size();
}

}  // namespace

void clpool_device_options_init(clpool_device_options* options) noexcept {
  clpool::capi::initialize<clpool_device_options>(options, CLPOOL_DEVICE_OPTIONS_INIT);
}

clpool_status clpool_device_choose(const clpool_device_options* options_or_null, cl_device_id* out) noexcept {
  return clpool::capi::guarded([&] {
    CLPOOL_TRY(clpool::capi::clear_result(out, "clpool_device_choose", "out"));
    ChoiceOptions options;
    CLPOOL_TRY(to_core(options_or_null, options, "clpool_device_choose"));
    Catalog catalog;
    Choice choice;
    CLPOOL_TRY(read_catalog(catalog));
    CLPOOL_TRY(choose(catalog, options, choice));
    *out = choice.devices.front()->id;
    return Status::success;
  });
}

clpool_status clpool_device_list(const clpool_device_options* options_or_null, cl_device_id* devices,
                                 size_t capacity, size_t* count) noexcept {
  return clpool::capi::guarded([&] {
    CLPOOL_TRY(clpool::capi::begin_output(devices, capacity, count, "clpool_device_list"));
    ChoiceOptions options;
    CLPOOL_TRY(to_core(options_or_null, options, "clpool_device_list"));
    Catalog catalog;
    Choice choice;
    CLPOOL_TRY(read_catalog(catalog));
    CLPOOL_TRY(choose(catalog, options, choice));
    write_devices(choice.devices, devices, capacity, count);
    return Status::success;
  });
}

clpool_status clpool_device_list_for_tests(cl_device_id* devices, size_t capacity, size_t* count) noexcept {
  return clpool::capi::guarded([&] {
    CLPOOL_TRY(clpool::capi::begin_output(devices, capacity, count, "clpool_device_list_for_tests"));
    Catalog catalog;
    DeviceList list;
    CLPOOL_TRY(read_catalog(catalog));
    CLPOOL_TRY(choose_for_tests(catalog, list));
    write_devices(list, devices, capacity, count);
    return Status::success;
  });
}

clpool_status clpool_device_describe(cl_device_id device, char* text, size_t capacity,
                                     size_t* needed) noexcept {
  return clpool::capi::guarded([&] {
    CLPOOL_TRY(clpool::capi::begin_output(text, capacity, needed, "clpool_device_describe"));
    CLPOOL_TRY(clpool::capi::require(device, "clpool_device_describe", "device"));
    std::string name;
    CLPOOL_TRY(clpool::core::cl::query_text(device, CL_DEVICE_NAME, name));
    DeviceEntry entry;
    read_device(device, entry);
    clpool::capi::write_text(describe(entry), text, capacity, needed);
    return Status::success;
  });
}

void clpool_device_facts_init(clpool_device_facts* facts) noexcept {
  clpool::capi::initialize<clpool_device_facts>(facts, CLPOOL_DEVICE_FACTS_INIT);
}

clpool_status clpool_device_read_facts(cl_device_id device, clpool_device_facts* facts) noexcept {
  constexpr const char* function = __func__;
  return clpool::capi::guarded([&] {
    clpool_device_facts result = CLPOOL_DEVICE_FACTS_INIT;
    CLPOOL_TRY(clpool::capi::begin_result(result, facts, function, "facts"));
    CLPOOL_TRY(clpool::capi::require(device, function, "device"));
    DeviceFacts found;
    CLPOOL_TRY(read_device_facts(device, found));
    result.platform_index = found.platform_index;
    result.device_index = found.device_index;
    result.compute_units = found.compute_units;
    result.type = found.type;
    result.memory_bytes = found.memory_bytes;
    result.largest_allocation_bytes = found.largest_allocation_bytes;
    result.local_memory_bytes = found.local_memory_bytes;
    result.alignment = found.alignment;
    result.svm_capabilities = found.svm_capabilities;
    result.version_major = found.version_major;
    result.version_minor = found.version_minor;
    result.has_unified_memory = found.has_unified_memory ? 1 : 0;
    result.has_out_of_order_queues = found.has_out_of_order_queues ? 1 : 0;
    clpool::capi::write_field(found.name, result.name);
    clpool::capi::write_field(found.vendor, result.vendor);
    clpool::capi::write_field(found.platform, result.platform);
    clpool::capi::write_field(found.version, result.version);
    clpool::capi::write_field(found.driver_version, result.driver_version);
    return clpool::capi::write_result(result, facts, function);
  });
}

clpool_status clpool_context_create_default(const clpool_device_options* options_or_null,
                                            cl_device_id* device, cl_context* context,
                                            cl_command_queue* queue) noexcept {
  constexpr const char* function = "clpool_context_create_default";
  return clpool::capi::guarded([&] {
    clpool::capi::clear(device, context, queue);
    CLPOOL_TRY(clpool::capi::clear_result(context, function, "context"));
    CLPOOL_TRY(clpool::capi::clear_result(queue, function, "queue"));
    ChoiceOptions options;
    CLPOOL_TRY(to_core(options_or_null, options, function));
    Catalog catalog;
    DefaultContext result;
    CLPOOL_TRY(read_catalog(catalog));
    CLPOOL_TRY(create_default_context(catalog, options, result));
    if (device != nullptr) {
      *device = result.device;
    }
    *context = result.context.detach();
    // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): clear_result() has looked
    *queue = result.queue.detach();
    return Status::success;
  });
}
