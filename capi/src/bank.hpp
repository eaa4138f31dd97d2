// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The array arguments that bank conflicts are asked with.
#pragma once

#include "device/bank_model.hpp"
#include "shim.hpp"

namespace clpool::capi {

using namespace core;

inline Status to_access(std::size_t item_size, const std::size_t* shape, std::size_t rank,
                        const std::size_t* stored_or_null, std::size_t stored_rank,
                        device::BankAccess& access, const char* function) noexcept {
  if (shape == nullptr && rank != 0) {
    return fail(Status::invalid_value, "%s: shape is NULL but has %zu axes", function, rank);
  }
  access.item_size = item_size;
  access.shape = {shape, rank};
  access.stored = stored_or_null != nullptr ? std::span(stored_or_null, stored_rank) : access.shape;
  return Status::success;
}

}  // namespace clpool::capi
