// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Bytes as a program over a pool on the fake driver in mode `manual`: the first choose the memory, the queues
// and the limits, then follow operations, some of which say which command runs next. Every block is written
// by its owner and read by later commands; a block that is handed out too early shows as a wrong byte.
#include "fuzz/pool_program.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  clpool::fuzz::Input input(data, std::min<std::size_t>(size, 1024));
  clpool::fuzz::PoolProgram::run(input);
  return 0;
}
