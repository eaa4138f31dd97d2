// Shims of clpool/device.h.
#include "clpool/device.h"

#include "cl/info.hpp"
#include "device/catalog.hpp"
#include "device/choice.hpp"
#include "shim.hpp"
#include "text.hpp"

namespace {

using clpool::core::fail;
using clpool::core::Status;
using namespace clpool::core::device;

constexpr std::size_t oldest_options = sizeof(clpool_device_options);

Status to_core(const clpool_device_options* options_or_null, ChoiceOptions& result, const char* function) {
  if (options_or_null == nullptr) {
    return Status::success;
  }
  clpool_device_options options = CLPOOL_DEVICE_OPTIONS_INIT;
  CLPOOL_TRY(clpool::capi::read_options(options_or_null, oldest_options, options, function));
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
  if (options != nullptr) {
    *options = CLPOOL_DEVICE_OPTIONS_INIT;
  }
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

clpool_status clpool_context_create_default(const clpool_device_options* options_or_null,
                                            cl_device_id* device, cl_context* context,
                                            cl_command_queue* queue) noexcept {
  constexpr const char* function = "clpool_context_create_default";
  return clpool::capi::guarded([&] {
    if (device != nullptr) {
      *device = nullptr;
    }
    if (queue != nullptr) {
      *queue = nullptr;  // whatever is wrong with the others
    }
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
    *queue = result.queue.detach();
    return Status::success;
  });
}
