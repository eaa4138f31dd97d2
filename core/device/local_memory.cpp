// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Banks by vendor table and query, and PyOpenCL's rules.
#include "device/local_memory.hpp"

#include <algorithm>

#include "device/architectures.hpp"

namespace clpool::core::device {
namespace {

constexpr const char* pyopencl_guess = "PyOpenCL's model: wildly guessing";
constexpr const char* cached = "local memory is ordinary cached memory: it has no banks";

/// Local memory of its own, and not a part of global memory behind a cache.
bool has_banks(const Identity& device) {
  return ask(device, CL_DEVICE_LOCAL_MEM_TYPE) == CL_LOCAL;
}

Answer not_applicable() noexcept {
  return {0, Source::not_applicable, "CL_DEVICE_LOCAL_MEM_TYPE", cached};
}

/// PyOpenCL's figure for 16 or 32, which it warns about from cc 3.0 on and for all but NVIDIA.
Answer pyopencl_by_capability(const Identity& device) {
  cl_uint major = 0;
  cl_uint minor = 0;
  if (!compute_capability(device, major, minor)) {
    return {16, Source::guess, "", pyopencl_guess};
  }
  if (major < 3) {
    return {major < 2 ? 16 : 32, Source::table, "compute capability", ""};
  }
  return {32, Source::guess, "compute capability", pyopencl_guess};
}

Status pyopencl_bank_count(const Identity& device, Answer& answer) {
  const bool cpu = (device.type & CL_DEVICE_TYPE_CPU) != 0;
  if (cpu && ask(device, CL_DEVICE_LOCAL_MEM_TYPE) == CL_GLOBAL) {
    return fail(Status::not_supported, "PyOpenCL's model: asking for the bank count of '%s' is meaningless",
                device.name.c_str());
  }
  answer = pyopencl_by_capability(device);
  return Status::success;
}

/// LDS of AMD devices: (banks, work items at a time) by the target in the device's name.
std::uint32_t amd_access_width(const Identity& device) noexcept {
  Limits limits;
  return amd_limits(device.name, 0, limits) == Status::success ? limits.local_access_threads : 32;
}

Answer current_bank_count(const Identity& device) {
  cl_uint major = 0;
  cl_uint minor = 0;
  if (compute_capability(device, major, minor)) {
    return {major < 2 ? 16 : 32, Source::table, "compute capability", ""};
  }
  if (const cl_ulong banks = ask(device, extension::amd_attributes, token::amd_local_mem_banks)) {
    return {static_cast<std::int64_t>(banks), Source::query, "CL_DEVICE_LOCAL_MEM_BANKS_AMD", ""};
  }
  switch (device.maker) {
    case Maker::nvidia:
      return {32, Source::table, "NVIDIA", "the device does not tell its compute capability"};
    case Maker::amd:
      return {amd_access_width(device), Source::table, "AMD", "RDNA work-group processors have 2 x 32"};
    case Maker::intel:
      return {16, Source::table, "Intel", "64 bytes per clock; depends on the device"};
    default:
      return {32, Source::guess, "", "not published for this device"};
  }
}

Answer current_work_items(const Identity& device, const Answer& banks) {
  if (device.maker == Maker::amd) {
    return {amd_access_width(device), Source::table, "AMD", "LDS serves a wave of 64 in two steps"};
  }
  return banks;  // one work item for each bank
}

}  // namespace

Status local_access_granularity(const Identity& device, Model model, Answer& answer) {
  if (model != Model::current) {
    answer = {4, Source::table, "constant", ""};
    return Status::success;
  }
  if (!has_banks(device)) {
    answer = not_applicable();
    return Status::success;
  }
  cl_uint major = 0;
  cl_uint minor = 0;
  if (compute_capability(device, major, minor) && major == 3) {
    answer = {8, Source::table, "compute capability", "4 in the mode of 4-byte banks"};
    return Status::success;
  }
  const bool known =
      device.maker == Maker::nvidia || device.maker == Maker::amd || device.maker == Maker::intel;
  answer = {4, known ? Source::table : Source::guess, known ? "vendor" : "",
            known ? "" : "not published for this device"};
  return Status::success;
}

Status local_bank_count(const Identity& device, Model model, Answer& answer) {
  if (model != Model::current) {
    return pyopencl_bank_count(device, answer);
  }
  answer = has_banks(device) ? current_bank_count(device) : not_applicable();
  return Status::success;
}

Status local_access_work_items(const Identity& device, Model model, Answer& answer) {
  if (model == Model::current) {
    answer = has_banks(device) ? current_work_items(device, current_bank_count(device)) : not_applicable();
    return Status::success;
  }
  const bool only_cpu = (device.type & CL_DEVICE_TYPE_CPU) != 0 && (device.type & CL_DEVICE_TYPE_GPU) == 0;
  answer = only_cpu ? Answer{1, Source::table, "CPU", ""} : pyopencl_by_capability(device);
  return Status::success;
}

Status usable_local_memory(const Identity& device, std::int64_t argument_count, Answer& answer) {
  if (argument_count < -1 || argument_count > 65536) {
    return fail(Status::invalid_value,
                "the kernel has %lld arguments, valid are 0 to 65536, or -1 for unknown",
                static_cast<long long>(argument_count));
  }
  const auto size = static_cast<std::int64_t>(ask(device, CL_DEVICE_LOCAL_MEM_SIZE));
  answer = {size, Source::query, "CL_DEVICE_LOCAL_MEM_SIZE", ""};
  cl_uint major = 0;
  cl_uint minor = 0;
  if (compute_capability(device, major, minor) && major < 2) {
    // Arguments are passed in local memory there: 4 bytes each, up to 256 bytes.
    answer.value -= argument_count < 0 ? 256 : 4 * argument_count;
    answer.source = Source::table;
    answer.note = "kernel arguments of compute capabilities 1.x are in local memory";
  }
  return Status::success;
}

Status usable_local_memory_of_kernel(const Identity& device, cl_kernel kernel, Answer& answer) {
  cl_uint argument_count = 0;
  cl_int code = clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof argument_count, &argument_count, nullptr);
  cl_ulong used = 0;
  if (code == CL_SUCCESS) {
    code = clGetKernelWorkGroupInfo(kernel, device.id, CL_KERNEL_LOCAL_MEM_SIZE, sizeof used, &used, nullptr);
  }
  if (code != CL_SUCCESS) {
    return fail_cl(code, "clGetKernelWorkGroupInfo", "the kernel does not tell its local memory");
  }
  CLPOOL_TRY(usable_local_memory(device, argument_count, answer));
  answer.value = std::max<std::int64_t>(0, answer.value - static_cast<std::int64_t>(used));
  answer.source = Source::kernel_query;
  answer.basis = "CL_DEVICE_LOCAL_MEM_SIZE less CL_KERNEL_LOCAL_MEM_SIZE";
  return Status::success;
}

Status local_access_conflicts(const Identity& device, Model model, const BankAccess& access,
                              BankConflict& conflict, Answer& answer) {
  Answer granularity;
  Answer banks;
  Answer work_items;
  CLPOOL_TRY(local_access_granularity(device, model, granularity));
  CLPOOL_TRY(local_access_work_items(device, model, work_items));
  CLPOOL_TRY(local_bank_count(device, model, banks));
  BankMemory memory{model, static_cast<std::uint32_t>(granularity.value),
                    static_cast<std::uint32_t>(work_items.value), static_cast<std::uint32_t>(banks.value)};
  const bool no_banks = banks.source == Source::not_applicable;
  if (no_banks) {
    memory = {model, 4, 1, 1};  // one access at a time cannot conflict; the shapes are checked all the same
  }
  CLPOOL_TRY(bank_conflicts(memory, access, conflict));
  answer = banks;
  answer.value = static_cast<std::int64_t>(conflict.multiplicity);
  if (no_banks) {
    conflict = {};
    answer.value = 1;
  } else if (model != Model::current && access.item_size != memory.granularity) {
    answer.source = Source::guess;
    answer.note = "PyOpenCL's model: local conflict info might be inaccurate for this item size";
  }
  return Status::success;
}

}  // namespace clpool::core::device
