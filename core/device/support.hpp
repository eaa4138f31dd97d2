// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What a device supports, and what its compiler is to be told.
#pragma once

#include <CL/cl.h>

#include <string>

#include "base/status.hpp"
#include "device/answer.hpp"
#include "device/identity.hpp"

namespace clpool::core::device {

/// Options for fast and inaccurate arithmetic, separated by blanks. PyOpenCL's model adds
/// -cl-strict-aliasing, which OpenCL 1.1 deprecated.
std::string fast_build_options(const Identity& device, Model model);

/// 1: kernels can use double. Today's rule asks the device's double abilities too; PyOpenCL's only the
/// extension.
Answer double_support(const Identity& device, Model model);

/// 1: the device lists cl_amd_fp64.
Answer amd_double_support(const Identity& device);

/// Kinds of shared virtual memory; the numbers are those of clpool/characterize.h.
enum class Svm : std::uint32_t {
  coarse_buffer = 1,
  fine_buffer = 2,
  fine_system = 3,
  fine_buffer_atomics = 4,
  fine_system_atomics = 5,
};

/// 1: the device has this kind. PyOpenCL's model also asks for a platform of OpenCL 2.0 (PoCL 1.0).
Status svm_support(const Identity& device, Svm kind, Model model, Answer& answer);

/// 1: struct arguments are counted by their members. 0: no; 1: Apple; 2: PoCL.
Status struct_argument_bug(const Identity& device, cl_context context_or_null, Answer& answer);

/// 1: the driver keeps compiled programs; 0: it does not; -1: unknown.
Answer source_build_cache(const Identity& device);

}  // namespace clpool::core::device
