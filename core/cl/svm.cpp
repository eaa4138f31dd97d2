// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Capability queries of shared virtual memory.
#include "cl/svm.hpp"

#include <string>

#include "cl/info.hpp"

namespace clpool::core::cl {
namespace {

std::string names_of(cl_device_svm_capabilities capabilities) {
  constexpr struct {
    cl_device_svm_capabilities bit;
    const char* name;
  } known[] = {{CL_DEVICE_SVM_COARSE_GRAIN_BUFFER, "CL_DEVICE_SVM_COARSE_GRAIN_BUFFER"},
               {CL_DEVICE_SVM_FINE_GRAIN_BUFFER, "CL_DEVICE_SVM_FINE_GRAIN_BUFFER"},
               {CL_DEVICE_SVM_FINE_GRAIN_SYSTEM, "CL_DEVICE_SVM_FINE_GRAIN_SYSTEM"},
               {CL_DEVICE_SVM_ATOMICS, "CL_DEVICE_SVM_ATOMICS"}};
  std::string names;
  for (const auto& entry : known) {
    if ((capabilities & entry.bit) != 0) {
      names += (names.empty() ? "" : " + ") + std::string(entry.name);
    }
  }
  return names;
}

}  // namespace

Status svm_capabilities(cl_device_id device, cl_device_svm_capabilities& capabilities) {
  capabilities = 0;
  Version version;
  CLPOOL_TRY(device_version(device, version));
  return version < Version{2, 0} ? Status::success : query(device, CL_DEVICE_SVM_CAPABILITIES, capabilities);
}

Status require_svm(const std::vector<cl_device_id>& devices, cl_device_svm_capabilities needed,
                   const char* feature) {
  cl_device_svm_capabilities found = 0;
  for (cl_device_id device : devices) {
    cl_device_svm_capabilities capabilities = 0;
    CLPOOL_TRY(svm_capabilities(device, capabilities));
    if ((capabilities & needed) == needed) {
      return Status::success;
    }
    found |= capabilities;
  }
  return fail(Status::not_supported,
              "%s needs OpenCL 2.0 and %s (0x%llX in CL_DEVICE_SVM_CAPABILITIES); the device has 0x%llX",
              feature, names_of(needed).c_str(), static_cast<unsigned long long>(needed),
              static_cast<unsigned long long>(found));
}

cl_device_svm_capabilities svm_capabilities_for(cl_svm_mem_flags flags) noexcept {
  cl_device_svm_capabilities needed = CL_DEVICE_SVM_COARSE_GRAIN_BUFFER;
  if ((flags & CL_MEM_SVM_FINE_GRAIN_BUFFER) != 0) {
    needed |= CL_DEVICE_SVM_FINE_GRAIN_BUFFER;
  }
  if ((flags & CL_MEM_SVM_ATOMICS) != 0) {
    needed |= CL_DEVICE_SVM_ATOMICS;
  }
  return needed;
}

}  // namespace clpool::core::cl
