// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Mode `worker`: one thread a device, which ends with the process and never keeps it from ending.
#pragma once

#include "objects.hpp"

namespace stub {

/// Starts the device's thread if the mode has one and it is not there yet.
void start_worker(Device& device);

}  // namespace stub
