// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Support questions, mostly answered by one query each.
#include "device/support.hpp"

#include "device/probe.hpp"

namespace clpool::core::device {
namespace {

constexpr const char* extensions_query = "CL_DEVICE_EXTENSIONS";

bool begins_with(const std::string& text, const char* beginning) {
  return text.rfind(beginning, 0) == 0;
}

/// PyOpenCL's gate: the platform's version, for PoCL its own.
bool pyopencl_allows_svm(const Identity& device) {
  const PoclVersion pocl = pocl_version(device.platform_name, device.platform_version);
  if (pocl.is_pocl) {
    return pocl.is_known && pocl.version >= cl::Version{1, 0};
  }
  cl::Version platform;
  return cl::parse_version(device.platform_version, platform) == Status::success &&
         platform >= cl::Version{2, 0};
}

/// Bits of CL_DEVICE_SVM_CAPABILITIES that make up a kind; 0 for an unknown one.
cl_bitfield bits_of(Svm kind) noexcept {
  switch (kind) {
    case Svm::coarse_buffer:
      return CL_DEVICE_SVM_COARSE_GRAIN_BUFFER;
    case Svm::fine_buffer:
      return CL_DEVICE_SVM_FINE_GRAIN_BUFFER;
    case Svm::fine_system:
      return CL_DEVICE_SVM_FINE_GRAIN_SYSTEM;
    case Svm::fine_buffer_atomics:
      return CL_DEVICE_SVM_FINE_GRAIN_BUFFER | CL_DEVICE_SVM_ATOMICS;
    case Svm::fine_system_atomics:
      return CL_DEVICE_SVM_FINE_GRAIN_SYSTEM | CL_DEVICE_SVM_ATOMICS;
  }
  return 0;
}

}  // namespace

std::string fast_build_options(const Identity& device, Model model) {
  std::string options = "-cl-mad-enable -cl-fast-relaxed-math -cl-no-signed-zeros";
  if (model != Model::current &&
      (begins_with(device.vendor, "Advanced Micro") || begins_with(device.vendor, "NVIDIA"))) {
    options += " -cl-strict-aliasing";
  }
  return options;
}

Answer double_support(const Identity& device, Model model) {
  const bool listed = device.has("cl_khr_fp64");
  if (model != Model::current || listed) {
    return {listed ? 1 : 0, Source::query, extensions_query, ""};
  }
  if (device.version >= cl::Version{1, 2} && ask(device, CL_DEVICE_DOUBLE_FP_CONFIG) != 0) {
    return {1, Source::query, "CL_DEVICE_DOUBLE_FP_CONFIG", "cl_khr_fp64 is not listed"};
  }
  const bool amd = device.has("cl_amd_fp64");
  return {amd ? 1 : 0, Source::query, extensions_query, amd ? "cl_amd_fp64: basic operations only" : ""};
}

Answer amd_double_support(const Identity& device) {
  return {device.has("cl_amd_fp64") ? 1 : 0, Source::query, extensions_query, ""};
}

Status svm_support(const Identity& device, Svm kind, Model model, Answer& answer) {
  const cl_bitfield bits = bits_of(kind);
  if (bits == 0) {
    return fail(Status::invalid_value, "%u is not a kind of SVM, valid are 1 to 5",
                static_cast<unsigned>(kind));
  }
  // A device before 2.0 does not know the query: that means none.
  const bool may_ask =
      model == Model::current ? device.version >= cl::Version{2, 0} : pyopencl_allows_svm(device);
  const cl_ulong has = may_ask ? ask(device, CL_DEVICE_SVM_CAPABILITIES) : 0;
  answer = {(has & bits) == bits ? 1 : 0, Source::query,
            may_ask ? "CL_DEVICE_SVM_CAPABILITIES" : "OpenCL version", ""};
  return Status::success;
}

Status struct_argument_bug(const Identity& device, cl_context context_or_null, Answer& answer) {
  answer = {0, Source::table, "platform", ""};
  if (device.platform_name == "Apple" && (device.type & CL_DEVICE_TYPE_CPU) != 0) {
    answer.value = 1;
    return Status::success;
  }
  const PoclVersion pocl = pocl_version(device.platform_name, device.platform_version);
  if (!pocl.is_pocl) {
    return Status::success;
  }
  const cl::Version version = pocl.is_known ? pocl.version : cl::Version{0, 14};
  if (!pocl.is_known) {
    answer.note = "the version of PoCL cannot be read, 0.14 is assumed";
  }
  if (version <= cl::Version{0, 13}) {
    answer.value = 2;
    return Status::success;
  }
  if (version > cl::Version{0, 14}) {
    return Status::success;
  }
  cl_uint arguments = 0;
  CLPOOL_TRY(probe_struct_arguments(device.id, context_or_null, arguments));
  answer.value = arguments == 2 ? 2 : 0;
  answer.source = Source::kernel_query;
  answer.basis = "CL_KERNEL_NUM_ARGS";
  return Status::success;
}

Answer source_build_cache(const Identity& device) {
  cl_uint major = 0;
  cl_uint minor = 0;
  if (device.platform_name == "Portable Computing Language" || compute_capability(device, major, minor)) {
    return {1, Source::table, "platform", ""};
  }
  if (device.platform_name == "AMD Accelerated Parallel Processing") {
    return {0, Source::table, "platform", ""};
  }
  return {-1, Source::none, "", "not known for this platform"};
}

}  // namespace clpool::core::device
