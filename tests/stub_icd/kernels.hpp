// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Kernels by name: host functions stand for what a compiler would make.
#pragma once

#include "objects.hpp"

namespace stub {

struct KernelFunction {
  stub_kernel_function function = nullptr;
  void* user = nullptr;
};

/// What a test defined under this name, else the built-in function; `function` is null for an unknown name.
KernelFunction find_kernel(const std::string& name);

/// Forgets what tests defined.
void forget_kernels();

/// The built-in functions: what the tests and examples of the library use.
stub_kernel_function find_built_in(const std::string& name);

/// Reads the kernels of a source. False if it is broken; `log` says why.
bool compile(const std::string& source, std::vector<KernelPlan>& kernels, std::string& log);

}  // namespace stub
