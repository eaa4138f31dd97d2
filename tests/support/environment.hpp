// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Environment variables for the time of one test.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>

namespace clpool::test {

/// Sets a variable (null: unsets it) and restores it in the end.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) {
      before_ = before;
    }
    set(value);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { set(before_ ? before_->c_str() : nullptr); }

 private:
  void set(const char* value) {
    if (value != nullptr) {
      ::setenv(name_, value, 1);
    } else {
      ::unsetenv(name_);
    }
  }
  const char* name_;
  std::optional<std::string> before_;
};

/// Hides everything that bears on the choice of a device, with an empty home.
class NoDeviceVariables {
 private:
  Variable variables_[9] = {
      {"CLPOOL_DEVICE", nullptr}, {"CLPOOL_TEST", nullptr},     {"PYOPENCL_TEST", nullptr},
      {"PYOPENCL_CTX", nullptr},  {"CUDA_DEVICE", nullptr},     {"OMPI_COMM_WORLD_LOCAL_RANK", nullptr},
      {"SLURM_LOCALID", nullptr}, {"MPI_LOCALRANKID", nullptr}, {"HOME", nullptr}};
};

}  // namespace clpool::test
