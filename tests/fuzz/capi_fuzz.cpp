// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Bytes as calls of the C API with whatever arguments: the first chooses the device, then two say which
// function, and what follows are its arguments. Nothing crashes, leaks or breaks the rules of results.
#include "fuzz/capi_world.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  clpool::fuzz::Input input(data, std::min<std::size_t>(size, 1024));
  clpool::fuzz::run_calls(input);
  return 0;
}
