// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Reading of variables and PyCUDA's files.
#include "device/environment.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "device/selector.hpp"

namespace clpool::core::device {
namespace {

Status take_number(const std::string& origin, const std::string& text, NumberedDevice& numbered) {
  if (!parse_index(text, numbered.index) || numbered.index < 0) {
    return fail(Status::bad_format, "%s: '%s' is not a device number (0, 1, …)", origin.c_str(),
                text.c_str());
  }
  numbered.origin = origin;
  return Status::success;
}

}  // namespace

const char* environment(const char* name) noexcept {
  const char* value = ::secure_getenv(name);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

Status read_cuda_device(NumberedDevice& numbered) {
  if (const char* value = environment("CUDA_DEVICE")) {
    return take_number("CUDA_DEVICE", value, numbered);
  }
  const char* home = environment("HOME");
  if (home == nullptr) {
    return Status::success;
  }
  for (const char* name : {"/.cuda-device", "/.cuda_device"}) {
    const std::filesystem::path path = std::string(home) + name;
    std::error_code none;
    if (!std::filesystem::is_regular_file(path, none)) {  // opening a pipe would wait for somebody who writes
      continue;
    }
    std::ifstream file(path);
    std::string line;
    if (file && std::getline(file, line)) {
      return take_number(std::string("~") + name, line, numbered);
    }
  }
  return Status::success;
}

Status read_local_rank(NumberedDevice& numbered) {
  for (const char* name : {"OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID", "MPI_LOCALRANKID"}) {
    if (const char* value = environment(name)) {
      return take_number(name, value, numbered);
    }
  }
  return Status::success;
}

}  // namespace clpool::core::device
