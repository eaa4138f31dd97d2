// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Version, extensions, capabilities.
#include "device_profile.hpp"

#include <algorithm>
#include <sstream>
#include <vector>

#include "state.hpp"

namespace stub {
namespace {

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> words;
  std::stringstream stream(text);
  for (std::string word; std::getline(stream, word, '+');) {
    words.push_back(word);
  }
  return words;
}

std::vector<std::string> extensions() {
  const Options& options = state().options;
  std::vector<std::string> list = {"cl_khr_icd", "cl_khr_fp64", "cl_khr_byte_addressable_store",
                                   "cl_khr_global_int32_base_atomics", "cl_khr_local_int32_base_atomics"};
  if (options.images) {
    list.push_back("cl_khr_image2d_from_buffer");
  }
  if (options.nvidia) {
    list.push_back("cl_nv_device_attribute_query");
  }
  for (const std::string& name : split(options.with)) {
    list.push_back(name);
  }
  for (const std::string& name : split(options.without)) {
    list.erase(std::remove(list.begin(), list.end(), name), list.end());
  }
  return list;
}

}  // namespace

cl_device_type device_type() {
  const std::string& type = state().options.type;
  if (type == "cpu") {
    return CL_DEVICE_TYPE_CPU;
  }
  return type == "accelerator" ? CL_DEVICE_TYPE_ACCELERATOR : CL_DEVICE_TYPE_GPU;
}

std::string version_text() {
  const Version version = state().options.version;
  return "OpenCL " + std::to_string(version.major) + '.' + std::to_string(version.minor);
}

cl_version numeric_version() {
  const Version version = state().options.version;
  return CL_MAKE_VERSION(static_cast<cl_uint>(version.major), static_cast<cl_uint>(version.minor), 0);
}

std::string extension_list() {
  std::string text;
  for (const std::string& name : extensions()) {
    text += (text.empty() ? "" : " ") + name;
  }
  return text;
}

bool has_extension(const std::string& name) {
  const std::vector<std::string> list = extensions();
  return std::find(list.begin(), list.end(), name) != list.end();
}

cl_device_svm_capabilities svm_capabilities() {
  cl_device_svm_capabilities capabilities = 0;
  const Svm svm = state().options.svm;
  if (svm >= Svm::coarse) {
    capabilities |= CL_DEVICE_SVM_COARSE_GRAIN_BUFFER;
  }
  if (svm >= Svm::fine) {
    capabilities |= CL_DEVICE_SVM_FINE_GRAIN_BUFFER;
  }
  if (svm >= Svm::atomics) {
    capabilities |= CL_DEVICE_SVM_ATOMICS;
  }
  if (svm == Svm::system) {
    capabilities |= CL_DEVICE_SVM_FINE_GRAIN_SYSTEM;
  }
  return capabilities;
}

}  // namespace stub
