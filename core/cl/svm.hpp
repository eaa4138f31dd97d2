// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What a device can do with shared virtual memory.
#pragma once

#include <CL/cl.h>

#include <vector>

#include "base/status.hpp"

namespace clpool::core::cl {

/// CL_DEVICE_SVM_CAPABILITIES; 0 on devices before OpenCL 2.0.
Status svm_capabilities(cl_device_id device, cl_device_svm_capabilities& capabilities);

/// NOT_SUPPORTED, naming what is needed, unless one of `devices` has every capability of `needed`.
Status require_svm(const std::vector<cl_device_id>& devices, cl_device_svm_capabilities needed,
                   const char* feature);

/// The capabilities that clSVMAlloc needs for `flags`.
cl_device_svm_capabilities svm_capabilities_for(cl_svm_mem_flags flags) noexcept;

}  // namespace clpool::core::cl
