// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What the shims of the device headers share: models and answers.
#pragma once

#include "clpool/answer.h"
#include "device/answer.hpp"
#include "device/limits.hpp"
#include "shim.hpp"

namespace clpool::capi {

using namespace core;

static_assert(CLPOOL_MODEL_CURRENT == static_cast<int>(device::Model::current));
static_assert(CLPOOL_MODEL_PYOPENCL == static_cast<int>(device::Model::pyopencl));
static_assert(CLPOOL_MODEL_PYCUDA_2014 == static_cast<int>(device::Model::pycuda_2014));
static_assert(CLPOOL_SOURCE_NONE == static_cast<int>(device::Source::none));
static_assert(CLPOOL_SOURCE_QUERY == static_cast<int>(device::Source::query));
static_assert(CLPOOL_SOURCE_KERNEL_QUERY == static_cast<int>(device::Source::kernel_query));
static_assert(CLPOOL_SOURCE_TABLE == static_cast<int>(device::Source::table));
static_assert(CLPOOL_SOURCE_GUESS == static_cast<int>(device::Source::guess));
static_assert(CLPOOL_SOURCE_NOT_APPLICABLE == static_cast<int>(device::Source::not_applicable));

inline Status to_model(std::uint32_t number, device::Model& model, const char* function) noexcept {
  if (number > CLPOOL_MODEL_PYCUDA_2014) {
    return fail(Status::invalid_value, "%s: model is %u, valid are 0 to %d", function, number,
                CLPOOL_MODEL_PYCUDA_2014);
  }
  model = static_cast<device::Model>(number);
  return Status::success;
}

/// Sets the caller's answer to its empty value, for the case of a failure.
inline Status begin_answer(clpool_answer* target, const char* function) noexcept {
  const clpool_answer empty = CLPOOL_ANSWER_INIT;
  return begin_result(empty, target, function, "answer");
}

inline Status write_answer(const device::Answer& source, clpool_answer* target,
                           const char* function) noexcept {
  const clpool_answer answer = {sizeof(clpool_answer), static_cast<std::uint32_t>(source.source),
                                source.value, source.basis, source.note};
  return write_result(answer, target, function);
}

}  // namespace clpool::capi
