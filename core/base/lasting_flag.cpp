// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Storage of flags: recycled, never returned to the host's allocator.
#include "base/lasting_flag.hpp"

namespace clpool::core {

constinit Recycler<LastingFlag::Storage> LastingFlag::storages_;

}  // namespace clpool::core
