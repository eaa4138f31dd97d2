// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Shims of clpool/characterize.h.
#include "clpool/characterize.h"

#include "bank.hpp"
#include "device/identity.hpp"
#include "device/local_memory.hpp"
#include "device/performance.hpp"
#include "device/simd.hpp"
#include "device/support.hpp"
#include "models.hpp"
#include "text.hpp"

using namespace clpool::core;
namespace capi = clpool::capi;

namespace {

/// What most questions share: `ask(identity, model, answer)` on a device that was identified.
template <typename Ask>
clpool_status answer_question(cl_device_id id, std::uint32_t model_number, clpool_answer* result,
                              const char* function, Ask&& ask) noexcept {
  return capi::guarded([&] {
    CLPOOL_TRY(capi::begin_answer(result, function));
    CLPOOL_TRY(capi::require(id, function, "device"));
    device::Model model{};
    device::Identity identity;
    device::Answer answer;
    CLPOOL_TRY(capi::to_model(model_number, model, function));
    CLPOOL_TRY(device::identify(id, identity));
    CLPOOL_TRY(ask(identity, model, answer));
    return capi::write_answer(answer, result, function);
  });
}

device::Answer version_answer(device::Source source, std::uint32_t major, std::uint32_t minor,
                              const char* basis, const char* note) noexcept {
  return {std::int64_t{major} * 100 + minor, source, basis, note};
}

}  // namespace

clpool_status clpool_characterize_fast_build_options(cl_device_id id, uint32_t model_number, char* text,
                                                     size_t capacity, size_t* needed) noexcept {
  constexpr const char* function = "clpool_characterize_fast_build_options";
  return capi::guarded([&] {
    CLPOOL_TRY(capi::begin_output(text, capacity, needed, function));
    CLPOOL_TRY(capi::require(id, function, "device"));
    device::Model model{};
    device::Identity identity;
    CLPOOL_TRY(capi::to_model(model_number, model, function));
    CLPOOL_TRY(device::identify(id, identity));
    capi::write_text(device::fast_build_options(identity, model), text, capacity, needed);
    return Status::success;
  });
}

clpool_status clpool_characterize_amd_double_support(cl_device_id id, clpool_answer* result) noexcept {
  return answer_question(id, CLPOOL_MODEL_CURRENT, result, "clpool_characterize_amd_double_support",
                         [](const device::Identity& identity, device::Model, device::Answer& answer) {
                           answer = device::amd_double_support(identity);
                           return Status::success;
                         });
}

clpool_status clpool_characterize_double_support(cl_device_id id, uint32_t model_number,
                                                 clpool_answer* result) noexcept {
  return answer_question(id, model_number, result, "clpool_characterize_double_support",
                         [](const device::Identity& identity, device::Model model, device::Answer& answer) {
                           answer = device::double_support(identity, model);
                           return Status::success;
                         });
}

clpool_status clpool_characterize_local_access_granularity(cl_device_id id, uint32_t model,
                                                           clpool_answer* result) noexcept {
  return answer_question(id, model, result, "clpool_characterize_local_access_granularity",
                         device::local_access_granularity);
}

clpool_status clpool_characterize_local_access_work_items(cl_device_id id, uint32_t model,
                                                          clpool_answer* result) noexcept {
  return answer_question(id, model, result, "clpool_characterize_local_access_work_items",
                         device::local_access_work_items);
}

clpool_status clpool_characterize_local_bank_count(cl_device_id id, uint32_t model,
                                                   clpool_answer* result) noexcept {
  return answer_question(id, model, result, "clpool_characterize_local_bank_count", device::local_bank_count);
}

clpool_status clpool_characterize_simd_group_size(cl_device_id id, uint32_t model,
                                                  clpool_answer* result) noexcept {
  return answer_question(id, model, result, "clpool_characterize_simd_group_size", device::simd_group_size);
}

clpool_status clpool_characterize_simd_group_size_of_kernel(cl_device_id id, cl_kernel kernel,
                                                            clpool_answer* result) noexcept {
  constexpr const char* function = "clpool_characterize_simd_group_size_of_kernel";
  return answer_question(id, CLPOOL_MODEL_CURRENT, result, function,
                         [&](const device::Identity& identity, device::Model, device::Answer& answer) {
                           CLPOOL_TRY(capi::require(kernel, function, "kernel"));
                           return device::simd_group_size_of_kernel(identity, kernel, answer);
                         });
}

clpool_status clpool_characterize_source_build_cache(cl_device_id id, clpool_answer* result) noexcept {
  return answer_question(id, CLPOOL_MODEL_CURRENT, result, "clpool_characterize_source_build_cache",
                         [](const device::Identity& identity, device::Model, device::Answer& answer) {
                           answer = device::source_build_cache(identity);
                           return Status::success;
                         });
}

clpool_status clpool_characterize_sub_groups(cl_device_id id, clpool_answer* result) noexcept {
  return answer_question(id, CLPOOL_MODEL_CURRENT, result, "clpool_characterize_sub_groups",
                         [](const device::Identity& identity, device::Model, device::Answer& answer) {
                           return device::sub_groups(identity, answer);
                         });
}

clpool_status clpool_characterize_simd_group_sizes(cl_device_id id, uint32_t* sizes, size_t capacity,
                                                   size_t* count, clpool_answer* result) noexcept {
  constexpr const char* function = "clpool_characterize_simd_group_sizes";
  return capi::guarded([&] {
    capi::clear(count);
    CLPOOL_TRY(capi::begin_answer(result, function));
    CLPOOL_TRY(capi::begin_output(sizes, capacity, count, function));
    CLPOOL_TRY(capi::require(id, function, "device"));
    device::Identity identity;
    std::vector<std::uint32_t> list;
    device::Answer answer;
    CLPOOL_TRY(device::identify(id, identity));
    CLPOOL_TRY(device::simd_group_sizes(identity, list, answer));
    std::copy_n(list.begin(), std::min(list.size(), capacity), sizes);
    *count = list.size();
    return capi::write_answer(answer, result, function);
  });
}

clpool_status clpool_characterize_work_group_size_multiple(cl_device_id id, cl_context context_or_null,
                                                           uint32_t model_number,
                                                           clpool_answer* result) noexcept {
  return answer_question(id, model_number, result, "clpool_characterize_work_group_size_multiple",
                         [&](const device::Identity& identity, device::Model model, device::Answer& answer) {
                           return device::group_size_multiple(identity, context_or_null, model, answer);
                         });
}

clpool_status clpool_characterize_struct_argument_bug(cl_device_id id, cl_context context_or_null,
                                                      clpool_answer* result) noexcept {
  return answer_question(id, CLPOOL_MODEL_CURRENT, result, "clpool_characterize_struct_argument_bug",
                         [&](const device::Identity& identity, device::Model, device::Answer& answer) {
                           return device::struct_argument_bug(identity, context_or_null, answer);
                         });
}

clpool_status clpool_characterize_compute_capability(cl_device_id id, uint32_t* major, uint32_t* minor,
                                                     clpool_answer* result) noexcept {
  constexpr const char* function = "clpool_characterize_compute_capability";
  capi::clear(major, minor);
  return answer_question(id, CLPOOL_MODEL_CURRENT, result, function,
                         [&](const device::Identity& identity, device::Model, device::Answer& answer) {
                           CLPOOL_TRY(capi::clear_result(major, function, "major"));
                           CLPOOL_TRY(capi::clear_result(minor, function, "minor"));
                           const bool found = device::compute_capability(identity, *major, *minor);
                           answer =
                               found ? version_answer(device::Source::query, *major, *minor,
                                                      "CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV, …_MINOR_NV", "")
                                     : version_answer(device::Source::not_applicable, 0, 0, "",
                                                      "only NVIDIA's devices have one");
                           return Status::success;
                         });
}

clpool_status clpool_characterize_pocl_version(cl_platform_id platform, uint32_t* major, uint32_t* minor,
                                               clpool_answer* result) noexcept {
  constexpr const char* function = "clpool_characterize_pocl_version";
  capi::clear(major, minor);
  return capi::guarded([&] {
    CLPOOL_TRY(capi::begin_answer(result, function));
    CLPOOL_TRY(capi::clear_result(major, function, "major"));
    CLPOOL_TRY(capi::clear_result(minor, function, "minor"));
    CLPOOL_TRY(capi::require(platform, function, "platform"));
    std::string name;
    std::string version;
    CLPOOL_TRY(cl::query_text(platform, CL_PLATFORM_NAME, name));
    CLPOOL_TRY(cl::query_text(platform, CL_PLATFORM_VERSION, version));
    const device::PoclVersion pocl = device::pocl_version(name, version);
    if (!pocl.is_pocl) {
      return capi::write_answer(
          {0, device::Source::not_applicable, "CL_PLATFORM_NAME", "the platform is not PoCL"}, result,
          function);
    }
    if (!pocl.is_known) {
      return capi::write_answer(
          {0, device::Source::none, "CL_PLATFORM_VERSION", "the version text cannot be read"}, result,
          function);
    }
    *major = static_cast<std::uint32_t>(pocl.version.major);
    *minor = static_cast<std::uint32_t>(pocl.version.minor);
    return capi::write_answer(
        version_answer(device::Source::query, *major, *minor, "CL_PLATFORM_VERSION", ""), result, function);
  });
}

clpool_status clpool_characterize_svm(cl_device_id id, uint32_t kind, uint32_t model_number,
                                      clpool_answer* result) noexcept {
  return answer_question(id, model_number, result, "clpool_characterize_svm",
                         [&](const device::Identity& identity, device::Model model, device::Answer& answer) {
                           return device::svm_support(identity, static_cast<device::Svm>(kind), model,
                                                      answer);
                         });
}

clpool_status clpool_characterize_usable_local_memory(cl_device_id id, int32_t argument_count,
                                                      clpool_answer* result) noexcept {
  return answer_question(id, CLPOOL_MODEL_CURRENT, result, "clpool_characterize_usable_local_memory",
                         [&](const device::Identity& identity, device::Model, device::Answer& answer) {
                           return device::usable_local_memory(identity, argument_count, answer);
                         });
}

clpool_status clpool_characterize_usable_local_memory_of_kernel(cl_device_id id, cl_kernel kernel,
                                                                clpool_answer* result) noexcept {
  constexpr const char* function = "clpool_characterize_usable_local_memory_of_kernel";
  return answer_question(id, CLPOOL_MODEL_CURRENT, result, function,
                         [&](const device::Identity& identity, device::Model, device::Answer& answer) {
                           CLPOOL_TRY(capi::require(kernel, function, "kernel"));
                           return device::usable_local_memory_of_kernel(identity, kernel, answer);
                         });
}

clpool_status clpool_characterize_local_access_conflicts(cl_device_id id, uint32_t model_number,
                                                         size_t item_size, const size_t* shape, size_t rank,
                                                         const size_t* stored_shape_or_null,
                                                         size_t stored_rank, clpool_answer* result,
                                                         char* text, size_t capacity,
                                                         size_t* needed) noexcept {
  constexpr const char* function = "clpool_characterize_local_access_conflicts";
  capi::clear(needed);
  if (text != nullptr && capacity != 0) {
    text[0] = '\0';
  }
  return answer_question(
      id, model_number, result, function,
      [&](const device::Identity& identity, device::Model model, device::Answer& answer) {
        std::size_t unused = 0;
        std::size_t* length = needed != nullptr ? needed : &unused;
        CLPOOL_TRY(capi::begin_output(text, capacity, length, function));
        device::BankAccess access;
        CLPOOL_TRY(
            capi::to_access(item_size, shape, rank, stored_shape_or_null, stored_rank, access, function));
        device::BankConflict conflict;
        CLPOOL_TRY(device::local_access_conflicts(identity, model, access, conflict, answer));
        capi::write_text(conflict.text, text, capacity, length);
        return Status::success;
      });
}

void clpool_performance_options_init(clpool_performance_options* options) noexcept {
  clpool::capi::initialize<clpool_performance_options>(options, CLPOOL_PERFORMANCE_OPTIONS_INIT);
}

void clpool_performance_init(clpool_performance* performance) noexcept {
  clpool::capi::initialize<clpool_performance>(performance, CLPOOL_PERFORMANCE_INIT);
}

clpool_status clpool_characterize_performance(cl_context context, cl_device_id id,
                                              const clpool_performance_options* options_or_null,
                                              clpool_performance* performance) noexcept {
  constexpr const char* function = "clpool_characterize_performance";
  return capi::guarded([&] {
    clpool_performance result = CLPOOL_PERFORMANCE_INIT;
    CLPOOL_TRY(capi::begin_result(result, performance, function, "performance"));
    CLPOOL_TRY(capi::require(context, function, "context"));
    CLPOOL_TRY(capi::require(id, function, "device"));
    clpool_performance_options options = CLPOOL_PERFORMANCE_OPTIONS_INIT;
    if (options_or_null != nullptr) {
      CLPOOL_TRY(capi::read_options(options_or_null, options, function));
      CLPOOL_TRY(capi::require_zero(options.reserved, function));
    }
    device::Performance figures;
    CLPOOL_TRY(device::measure_performance(
        context, id, {options.repetitions, options.warm_ups, options.transfer_bytes, options.least_ns},
        figures));
    result.write_latency_ns = figures.write_latency_ns;
    result.read_latency_ns = figures.read_latency_ns;
    result.copy_latency_ns = figures.copy_latency_ns;
    result.write_bandwidth = figures.write_bandwidth;
    result.read_bandwidth = figures.read_bandwidth;
    result.copy_bandwidth = figures.copy_bandwidth;
    result.empty_kernel_ns = figures.empty_kernel_ns;
    result.kernel_round_trip_ns = figures.kernel_round_trip_ns;
    result.profiling_overhead_ns = figures.profiling_overhead_ns;
    result.transfer_bytes = figures.transfer_bytes;
    return capi::write_result(result, performance, function);
  });
}
