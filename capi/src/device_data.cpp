// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Shims of clpool/device_data.h.
#include "device_data.hpp"

#include <algorithm>

#include "device/architectures.hpp"
#include "device/device_data.hpp"
#include "device/nvidia.hpp"
#include "device/occupancy.hpp"
#include "models.hpp"

using namespace clpool::core;
namespace capi = clpool::capi;

namespace {

static_assert(CLPOOL_MAX_CARVE_OUTS == device::max_carve_outs);
static_assert(CLPOOL_DEVICE_VENDOR_NVIDIA == static_cast<int>(device::Vendor::nvidia));
static_assert(CLPOOL_DEVICE_VENDOR_AMD == static_cast<int>(device::Vendor::amd));
static_assert(CLPOOL_DEVICE_VENDOR_INTEL == static_cast<int>(device::Vendor::intel));
static_assert(CLPOOL_REGISTERS_BY_GROUP == static_cast<int>(device::RegisterAllocation::group));

/// Calls `visit(C field, core field)` for all plain numbers.
template <typename C, typename Core, typename Visit>
void visit_numbers(C& c, Core& core, Visit&& visit) {
  visit(c.compute_major, core.compute_major);
  visit(c.compute_minor, core.compute_minor);
  visit(c.warp_size, core.warp_size);
  visit(c.max_threads_per_group, core.max_threads_per_group);
  visit(c.max_warps_per_mp, core.max_warps_per_mp);
  visit(c.max_groups_per_mp, core.max_groups_per_mp);
  visit(c.max_lone_warp_groups_per_mp, core.max_lone_warp_groups_per_mp);
  visit(c.registers_per_mp, core.registers_per_mp);
  visit(c.registers_per_group, core.registers_per_group);
  visit(c.max_registers_per_thread, core.max_registers_per_thread);
  visit(c.register_unit, core.register_unit);
  visit(c.register_lanes, core.register_lanes);
  visit(c.warp_granularity, core.warp_granularity);
  visit(c.sub_partitions, core.sub_partitions);
  visit(c.min_sub_partitions_check, core.min_sub_partitions_check);
  visit(c.barriers_per_mp, core.barriers_per_mp);
  visit(c.local_access_threads, core.local_access_threads);
  visit(c.local_carve_out_count, core.carve_out_count);
  visit(c.local_per_mp, core.local_per_mp);
  visit(c.local_per_group, core.local_per_group);
  visit(c.local_per_group_opt_in, core.local_per_group_opt_in);
  visit(c.local_unit, core.local_unit);
  visit(c.local_reserved, core.local_reserved);
}

void to_c(const device::Limits& core, clpool_device_limits& c) {
  visit_numbers(c, core, [](auto& target, const auto& source) { target = source; });
  c.model = static_cast<std::uint32_t>(core.model);
  c.vendor = static_cast<std::uint32_t>(core.vendor);
  c.register_allocation = static_cast<std::uint32_t>(core.register_allocation);
  c.partitioned_cache = core.partitioned_cache ? 1 : 0;
  c.source = static_cast<std::uint32_t>(core.source);
  c.note = core.note;
  std::copy(core.carve_outs.begin(), core.carve_outs.end(), c.local_carve_outs);
}

Status to_core(const clpool_device_limits& c, device::Limits& core, const char* function) {
  CLPOOL_TRY(capi::to_model(c.model, core.model, function));
  if (c.vendor > CLPOOL_DEVICE_VENDOR_INTEL || c.register_allocation > CLPOOL_REGISTERS_BY_GROUP ||
      c.partitioned_cache > 1) {
    return fail(Status::invalid_value,
                "%s: vendor is %u (0 to %d), register_allocation %u (0 or 1), partitioned_cache %u (0 or 1)",
                function, c.vendor, CLPOOL_DEVICE_VENDOR_INTEL, c.register_allocation, c.partitioned_cache);
  }
  visit_numbers(c, core, [](const auto& source, auto& target) { target = source; });
  core.vendor = static_cast<device::Vendor>(c.vendor);
  core.register_allocation = static_cast<device::RegisterAllocation>(c.register_allocation);
  core.partitioned_cache = c.partitioned_cache != 0;
  std::copy(std::begin(c.local_carve_outs), std::end(c.local_carve_outs), core.carve_outs.begin());
  core.source = device::Source::query;
  core.note = "as given";
  return device::check_limits(core);
}

/// What the create functions share: `find(model, limits)`, then the object.
template <typename Find>
clpool_status create(std::uint32_t model_number, clpool_device_data** out, const char* function,
                     Find&& find) noexcept {
  return capi::guarded([&] {
    CLPOOL_TRY(capi::begin_object(out, function));
    device::Model model{};
    device::Limits limits;
    CLPOOL_TRY(capi::to_model(model_number, model, function));
    CLPOOL_TRY(find(model, limits));
    *out = new clpool_device_data(limits);
    return Status::success;
  });
}

}  // namespace

void clpool_device_limits_init(clpool_device_limits* limits) noexcept {
  clpool::capi::initialize<clpool_device_limits>(limits, CLPOOL_DEVICE_LIMITS_INIT);
}

clpool_status clpool_device_data_create_from_device(cl_device_id id, uint32_t model_number,
                                                    clpool_device_data** out) noexcept {
  constexpr const char* function = "clpool_device_data_create_from_device";
  return create(model_number, out, function, [&](device::Model model, device::Limits& limits) {
    CLPOOL_TRY(capi::require(id, function, "device"));
    return device::limits_of_device(id, model, limits);
  });
}

clpool_status clpool_device_data_create_from_compute_capability(int32_t major, int32_t minor,
                                                                uint32_t model_number,
                                                                clpool_device_data** out) noexcept {
  return create(model_number, out, "clpool_device_data_create_from_compute_capability",
                [&](device::Model model, device::Limits& limits) {
                  return device::nvidia_limits(major, minor, model, limits);
                });
}

clpool_status clpool_device_data_create_from_architecture(const char* name, uint32_t model_number,
                                                          clpool_device_data** out) noexcept {
  constexpr const char* function = "clpool_device_data_create_from_architecture";
  return create(model_number, out, function, [&](device::Model model, device::Limits& limits) {
    CLPOOL_TRY(capi::require(name, function, "name"));
    return device::limits_of_architecture(name, model, limits);
  });
}

clpool_status clpool_device_data_create_from_limits(const clpool_device_limits* source,
                                                    clpool_device_data** out) noexcept {
  constexpr const char* function = "clpool_device_data_create_from_limits";
  return create(CLPOOL_MODEL_CURRENT, out, function, [&](device::Model, device::Limits& limits) {
    CLPOOL_TRY(capi::require(source, function, "limits"));
    clpool_device_limits numbers = CLPOOL_DEVICE_LIMITS_INIT;
    CLPOOL_TRY(capi::read_options(source, numbers, function));
    return to_core(numbers, limits, function);
  });
}

clpool_status clpool_device_data_limits(const clpool_device_data* data,
                                        clpool_device_limits* limits) noexcept {
  constexpr const char* function = "clpool_device_data_limits";
  return capi::guarded([&] {
    clpool_device_limits result = CLPOOL_DEVICE_LIMITS_INIT;
    CLPOOL_TRY(capi::begin_result(result, limits, function, "limits"));
    CLPOOL_TRY(capi::require(data, function, "data"));
    to_c(data->limits, result);
    return capi::write_result(result, limits, function);
  });
}

clpool_status clpool_device_data_retain(clpool_device_data* data) noexcept {
  return capi::guarded([&] {
    CLPOOL_TRY(capi::require(data, "clpool_device_data_retain", "data"));
    data->retain();
    return Status::success;
  });
}

clpool_status clpool_device_data_release(clpool_device_data* data) noexcept {
  if (data != nullptr) {
    data->release();
  }
  clpool::core::finish_later_releases();
  return CLPOOL_SUCCESS;
}

clpool_status clpool_device_data_release_later(clpool_device_data* data) noexcept {
  if (data != nullptr) {
    data->release_later();
  }
  return CLPOOL_SUCCESS;
}

clpool_status clpool_align_bytes(int32_t word_size, uint64_t* bytes) noexcept {
  return capi::guarded([&] {
    CLPOOL_TRY(capi::clear_result(bytes, "clpool_align_bytes", "bytes"));
    return device::align_bytes(word_size, *bytes);
  });
}

clpool_status clpool_align(uint64_t bytes, int32_t word_size, uint64_t* aligned) noexcept {
  return capi::guarded([&] {
    CLPOOL_TRY(capi::clear_result(aligned, "clpool_align", "aligned"));
    return device::align(bytes, word_size, *aligned);
  });
}

clpool_status clpool_align_words(int32_t word_size, uint64_t* words) noexcept {
  return capi::guarded([&] {
    CLPOOL_TRY(capi::clear_result(words, "clpool_align_words", "words"));
    return device::align_words(word_size, *words);
  });
}

clpool_status clpool_align_elements(uint64_t elements, int32_t word_size, uint64_t* aligned) noexcept {
  return capi::guarded([&] {
    CLPOOL_TRY(capi::clear_result(aligned, "clpool_align_elements", "aligned"));
    return device::align_elements(elements, word_size, *aligned);
  });
}

clpool_status clpool_coalesce_threads(uint64_t threads, uint64_t* rounded) noexcept {
  return capi::guarded([&] {
    CLPOOL_TRY(capi::clear_result(rounded, "clpool_coalesce_threads", "rounded"));
    return device::coalesce(threads, *rounded);
  });
}

clpool_status clpool_valid_channel_count(int32_t size, uint32_t* channels) noexcept {
  return capi::guarded([&] {
    CLPOOL_TRY(capi::clear_result(channels, "clpool_valid_channel_count", "channels"));
    return device::valid_channel_count(size, *channels);
  });
}
