// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What the functions that take a clpool_pool_options have in common.
#pragma once

#include <cstddef>

#include "clpool/pool.h"

namespace clpool::capi {

/// The smallest struct_size that was ever valid.
inline constexpr std::size_t oldest_pool_options = offsetof(clpool_pool_options, wait_ns);

}  // namespace clpool::capi
