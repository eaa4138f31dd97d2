// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Shims of clpool/occupancy.h.
#include "clpool/occupancy.h"

#include "device/occupancy.hpp"
#include "device_data.hpp"
#include "models.hpp"
#include "text.hpp"

using namespace clpool::core;
namespace capi = clpool::capi;

namespace {

static_assert(CLPOOL_LIMITED_BY_WARPS == device::factor::warps);
static_assert(CLPOOL_LIMITED_BY_REGISTERS == device::factor::registers);
static_assert(CLPOOL_LIMITED_BY_LOCAL_MEMORY == device::factor::local);
static_assert(CLPOOL_LIMITED_BY_GROUPS == device::factor::groups);
static_assert(CLPOOL_LIMITED_BY_BARRIERS == device::factor::barriers);
static_assert(CLPOOL_OCCUPANCY_UNLIMITED == device::unlimited);

Status to_core(const clpool_occupancy_request* source, device::OccupancyRequest& request,
               const char* function) {
  CLPOOL_TRY(capi::require(source, function, "request"));
  clpool_occupancy_request numbers = CLPOOL_OCCUPANCY_REQUEST_INIT;
  CLPOOL_TRY(capi::read_options(source, numbers, function));
  constexpr std::uint32_t known = CLPOOL_OCCUPANCY_NO_OPT_IN | CLPOOL_OCCUPANCY_PARTITIONED_CACHE;
  if ((numbers.flags & ~known) != 0) {
    return fail(Status::invalid_value, "%s: flags are 0x%X, known are 0x%X", function, numbers.flags, known);
  }
  request = {.threads = numbers.threads,
             .registers_per_thread = numbers.registers_per_thread,
             .local_bytes = numbers.local_bytes,
             .carve_out_bytes = numbers.carve_out_bytes,
             .barriers = numbers.barriers,
             .opt_in = (numbers.flags & CLPOOL_OCCUPANCY_NO_OPT_IN) == 0,
             .partitioned_cache = (numbers.flags & CLPOOL_OCCUPANCY_PARTITIONED_CACHE) != 0};
  return Status::success;
}

clpool_occupancy to_c(const device::OccupancyResult& result) {
  clpool_occupancy c = CLPOOL_OCCUPANCY_INIT;
  c.groups_per_mp = result.groups_per_mp;
  c.warps_per_group = result.warps_per_group;
  c.warps_per_mp = result.warps_per_mp;
  c.max_warps_per_mp = result.max_warps_per_mp;
  c.limiting_factors = result.limiting_factors;
  c.limit_warps = result.limit_warps;
  c.limit_registers = result.limit_registers;
  c.limit_local_memory = result.limit_local;
  c.limit_groups = result.limit_groups;
  c.limit_barriers = result.limit_barriers;
  c.registers_per_group = result.registers_per_group;
  c.local_per_group = result.local_per_group;
  c.local_per_mp = result.local_per_mp;
  c.occupancy = result.occupancy;
  return c;
}

Status begin(clpool_occupancy* target, const char* function) {
  const clpool_occupancy empty = CLPOOL_OCCUPANCY_INIT;
  return capi::begin_result(empty, target, function, "occupancy");
}

}  // namespace

void clpool_occupancy_request_init(clpool_occupancy_request* request) noexcept {
  clpool::capi::initialize<clpool_occupancy_request>(request, CLPOOL_OCCUPANCY_REQUEST_INIT);
}

void clpool_occupancy_init(clpool_occupancy* occupancy) noexcept {
  clpool::capi::initialize<clpool_occupancy>(occupancy, CLPOOL_OCCUPANCY_INIT);
}

clpool_status clpool_occupancy_compute(const clpool_device_data* data, const clpool_occupancy_request* source,
                                       clpool_occupancy* occupancy) noexcept {
  constexpr const char* function = "clpool_occupancy_compute";
  return capi::guarded([&] {
    CLPOOL_TRY(begin(occupancy, function));
    CLPOOL_TRY(capi::require(data, function, "data"));
    device::OccupancyRequest request;
    device::OccupancyResult result;
    CLPOOL_TRY(to_core(source, request, function));
    CLPOOL_TRY(device::compute_occupancy(data->limits, request, result));
    return capi::write_result(to_c(result), occupancy, function);
  });
}

clpool_status clpool_occupancy_suggest(const clpool_device_data* data, const clpool_occupancy_request* source,
                                       uint32_t* sizes, size_t capacity, size_t* count,
                                       clpool_occupancy* best_or_null) noexcept {
  constexpr const char* function = "clpool_occupancy_suggest";
  return capi::guarded([&] {
    capi::clear(count);
    if (best_or_null != nullptr) {
      CLPOOL_TRY(begin(best_or_null, function));
    }
    CLPOOL_TRY(capi::begin_output(sizes, capacity, count, function));
    CLPOOL_TRY(capi::require(data, function, "data"));
    device::OccupancyRequest request;
    device::OccupancyResult best;
    std::vector<std::uint32_t> list;
    CLPOOL_TRY(to_core(source, request, function));
    CLPOOL_TRY(device::suggest_group_sizes(data->limits, request, list, best));
    std::copy_n(list.begin(), std::min(list.size(), capacity), sizes);
    *count = list.size();
    return best_or_null != nullptr ? capi::write_result(to_c(best), best_or_null, function) : Status::success;
  });
}

const char* clpool_occupancy_factor_name(uint32_t factor, uint32_t model) noexcept {
  if (model > CLPOOL_MODEL_PYCUDA_2014) {
    return "unknown";
  }
  const bool pycuda = model != CLPOOL_MODEL_CURRENT;
  switch (factor) {
    case CLPOOL_LIMITED_BY_WARPS:
      return "warps";
    case CLPOOL_LIMITED_BY_REGISTERS:
      return pycuda ? "regs" : "registers";
    case CLPOOL_LIMITED_BY_LOCAL_MEMORY:
      return pycuda ? "smem" : "local memory";
    case CLPOOL_LIMITED_BY_GROUPS:
      return pycuda ? "device" : "groups";
    case CLPOOL_LIMITED_BY_BARRIERS:
      return "barriers";
    default:
      return "unknown";
  }
}
