// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Shims of clpool/sampler.h.
#include "clpool/sampler.h"

#include "memory/sampler.hpp"

#include "shim.hpp"

using clpool::capi::clear_result;
using clpool::capi::guarded;
using clpool::capi::require;
using clpool::core::Status;

clpool_status clpool_sampler_create(cl_context context, int32_t normalized, cl_addressing_mode addressing,
                                    cl_filter_mode filter, cl_sampler* out) noexcept {
  return guarded([&]() -> Status {
    CLPOOL_TRY(clear_result(out, "clpool_sampler_create", "out"));
    CLPOOL_TRY(require(context, "clpool_sampler_create", "context"));
    return clpool::core::create_sampler(context, normalized != 0, addressing, filter, *out);
  });
}

clpool_status clpool_sampler_create_with_properties(cl_context context, const cl_bitfield* properties_or_null,
                                                    cl_sampler* out) noexcept {
  return guarded([&]() -> Status {
    CLPOOL_TRY(clear_result(out, "clpool_sampler_create_with_properties", "out"));
    CLPOOL_TRY(require(context, "clpool_sampler_create_with_properties", "context"));
    return clpool::core::create_sampler(context, properties_or_null, *out);
  });
}
