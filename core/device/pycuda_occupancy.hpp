// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// PyCUDA's OccupancyRecord, bit for bit.
#pragma once

#include "device/occupancy.hpp"

namespace clpool::core::device {

/// Answer of PyCUDA 2014.1 … HEAD for limits made with Model::pyopencl or pycuda_2014.
Status compute_pycuda_occupancy(const Limits& limits, const OccupancyRequest& request,
                                OccupancyResult& result) noexcept;

}  // namespace clpool::core::device
