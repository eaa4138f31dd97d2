// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What the environment says about which device to use: variables, PyCUDA's files, and ranks on a cluster
// node. All of it is ignored in set-uid programs.
#pragma once

#include <string>

#include "base/status.hpp"

namespace clpool::core::device {

/// Value of a variable; null if it is unset, empty, or the program is set-uid.
const char* environment(const char* name) noexcept;

/// A device number from CUDA_DEVICE or, without it, from ~/.cuda-device or ~/.cuda_device.
struct NumberedDevice {
  std::string origin;  ///< variable or file that said it; empty: nothing did
  long long index = 0;
};

/// Into a new one. BAD_FORMAT where what is there is not a number of 0 or more.
Status read_cuda_device(NumberedDevice& numbered);

/// Into a new one: this process's rank among those of its node (OMPI_COMM_WORLD_LOCAL_RANK, SLURM_LOCALID,
/// MPI_LOCALRANKID); `origin` stays empty when no launcher says.
Status read_local_rank(NumberedDevice& numbered);

}  // namespace clpool::core::device
