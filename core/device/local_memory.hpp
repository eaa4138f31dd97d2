// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Local memory: its banks, how many work items it serves at a time, how much of it is usable.
#pragma once

#include <CL/cl.h>

#include "base/status.hpp"
#include "device/answer.hpp"
#include "device/bank_model.hpp"
#include "device/identity.hpp"

namespace clpool::core::device {

/// Bytes that one bank gives at a time. Where local memory is ordinary cached memory (CPUs, Mali), this and
/// the next two are Source::not_applicable.
Status local_access_granularity(const Identity& device, Model model, Answer& answer);

/// Banks. PyOpenCL's model: NOT_SUPPORTED for CPUs without local memory of their own, where it raises.
Status local_bank_count(const Identity& device, Model model, Answer& answer);

/// Work items whose accesses are served together.
Status local_access_work_items(const Identity& device, Model model, Answer& answer);

/// Bytes of a work-group's local memory that a kernel with `argument_count` arguments (-1: unknown) can use.
Status usable_local_memory(const Identity& device, std::int64_t argument_count, Answer& answer);

/// The same for a kernel that is there, less what it takes itself.
Status usable_local_memory_of_kernel(const Identity& device, cl_kernel kernel, Answer& answer);

/// The bank model with this device's figures. `answer`: the multiplicity (1: free of conflicts) and how far
/// to trust it.
Status local_access_conflicts(const Identity& device, Model model, const BankAccess& access,
                              BankConflict& conflict, Answer& answer);

}  // namespace clpool::core::device
