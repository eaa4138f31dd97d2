// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The object behind clpool_device_data.
#pragma once

#include "base/reference.hpp"
#include "clpool/device_data.h"
#include "device/limits.hpp"

struct clpool_device_data final : clpool::core::Shared {
  explicit clpool_device_data(const clpool::core::device::Limits& numbers) : limits(numbers) {}
  const clpool::core::device::Limits limits;
};
