// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Bytes as a program over the C++ layer: each operation once by exceptions or once by an error code, as the
// input has it. Memory has the content that the model says, both ways tell the same, and in the end nothing
// is left.
#include "fuzz/cpp_program.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  clpool::fuzz::Input input(data, std::min<std::size_t>(size, 1024));
  clpool::fuzz::CppProgram::run(input);
  return 0;
}
