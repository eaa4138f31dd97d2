// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The wrapped queries. A fake device and its platform have the object's own address.
#include "support/fake_device.hpp"

#include <algorithm>

namespace clpool::test {
namespace {

std::set<const void*>& fakes() {
  static auto& set = *new std::set<const void*>;
  return set;
}

FakeDevice* find(const void* handle) {
  return fakes().count(handle) != 0 ? static_cast<FakeDevice*>(const_cast<void*>(handle)) : nullptr;
}

const char* pretended_version = nullptr;
const char* pretended_extension = nullptr;
const char* pretended_function = nullptr;
void* pretended_address = nullptr;
const char* pretended_platform = nullptr;

}  // namespace

PretendedPlatform::PretendedPlatform(const char* name) {
  pretended_platform = name;
}

PretendedPlatform::~PretendedPlatform() {
  pretended_platform = nullptr;
}

PretendedVersion::PretendedVersion(const char* version) {
  pretended_version = version;
}

PretendedVersion::~PretendedVersion() {
  pretended_version = nullptr;
}

PretendedExtension::PretendedExtension(const char* extension, const char* function, void* address) {
  pretended_extension = extension;
  pretended_function = function;
  pretended_address = address;
}

PretendedExtension::~PretendedExtension() {
  pretended_extension = nullptr;
  pretended_function = nullptr;
}

void* find_pretended(const char* function) {
  return pretended_function != nullptr && std::strcmp(function, pretended_function) == 0 ? pretended_address
                                                                                         : nullptr;
}

bool answer_pretended(cl_uint query, std::size_t size, void* target, std::size_t* needed) {
  const char* const text = query == CL_DEVICE_VERSION      ? pretended_version
                           : query == CL_DEVICE_EXTENSIONS ? pretended_extension
                           : query == CL_PLATFORM_NAME     ? pretended_platform
                                                           : nullptr;
  if (text == nullptr) {
    return false;
  }
  const std::size_t length = std::strlen(text) + 1;
  if (needed != nullptr) {
    *needed = length;
  }
  if (target != nullptr) {
    std::memcpy(target, text, std::min(size, length));
  }
  return true;
}

FakeDevice::FakeDevice(const char* name, const char* vendor, cl_uint vendor_id) {
  fakes().insert(this);
  text(CL_DEVICE_NAME, name).text(CL_DEVICE_VENDOR, vendor).value(CL_DEVICE_VENDOR_ID, vendor_id);
  type(CL_DEVICE_TYPE_GPU).version("OpenCL 1.2 fake").extensions("cl_khr_fp64");
  value(CL_DEVICE_PLATFORM, reinterpret_cast<cl_platform_id>(this));
  value<cl_device_local_mem_type>(CL_DEVICE_LOCAL_MEM_TYPE, CL_LOCAL)
      .value<cl_ulong>(CL_DEVICE_LOCAL_MEM_SIZE, 49152);
  value<std::size_t>(CL_DEVICE_MAX_WORK_GROUP_SIZE, 1024);
  platform("Fake", vendor, "OpenCL 1.2 fake");
}

FakeDevice::~FakeDevice() {
  fakes().erase(this);
}

FakeDevice& FakeDevice::text(cl_uint query, const char* value) {
  return bytes(query, value, std::strlen(value) + 1);
}

FakeDevice& FakeDevice::bytes(cl_uint query, const void* value, std::size_t size) {
  const auto* begin = static_cast<const unsigned char*>(value);
  answers_[query].assign(begin, begin + size);
  return *this;
}

FakeDevice& FakeDevice::platform(const char* name, const char* vendor, const char* platform_version) {
  return text(CL_PLATFORM_NAME, name)
      .text(CL_PLATFORM_VENDOR, vendor)
      .text(CL_PLATFORM_VERSION, platform_version);
}

cl_device_id FakeDevice::id() const {
  return reinterpret_cast<cl_device_id>(const_cast<FakeDevice*>(this));
}

cl_int FakeDevice::answer(cl_uint query, std::size_t size, void* target, std::size_t* needed) {
  asked_.insert(query);
  const auto found = answers_.find(query);
  if (found == answers_.end()) {
    return CL_INVALID_VALUE;
  }
  if (needed != nullptr) {
    *needed = found->second.size();
  }
  if (target != nullptr) {
    if (size < found->second.size()) {
      return CL_INVALID_VALUE;
    }
    std::memcpy(target, found->second.data(), found->second.size());
  }
  return CL_SUCCESS;
}

}  // namespace clpool::test

extern "C" {

using clpool::test::find;

cl_int __real_clGetDeviceInfo(cl_device_id, cl_device_info, std::size_t, void*, std::size_t*);
cl_int __real_clGetPlatformInfo(cl_platform_id, cl_platform_info, std::size_t, void*, std::size_t*);
cl_context __real_clCreateContext(const cl_context_properties*, cl_uint, const cl_device_id*,
                                  void(CL_CALLBACK*)(const char*, const void*, std::size_t, void*), void*,
                                  cl_int*);

void* __real_clGetExtensionFunctionAddressForPlatform(cl_platform_id, const char*);
void* __wrap_clGetExtensionFunctionAddressForPlatform(cl_platform_id platform, const char* function) {
  void* const pretended = clpool::test::find_pretended(function);
  return pretended != nullptr ? pretended
                              : __real_clGetExtensionFunctionAddressForPlatform(platform, function);
}

cl_int __wrap_clGetDeviceInfo(cl_device_id device, cl_device_info query, std::size_t size, void* target,
                              std::size_t* needed) {
  auto* fake = find(device);
  if (fake == nullptr && clpool::test::answer_pretended(query, size, target, needed)) {
    return CL_SUCCESS;
  }
  return fake != nullptr ? fake->answer(query, size, target, needed)
                         : __real_clGetDeviceInfo(device, query, size, target, needed);
}

cl_int __wrap_clGetPlatformInfo(cl_platform_id platform, cl_platform_info query, std::size_t size,
                                void* target, std::size_t* needed) {
  auto* fake = find(platform);
  if (fake == nullptr && clpool::test::answer_pretended(query, size, target, needed)) {
    return CL_SUCCESS;
  }
  return fake != nullptr ? fake->answer(query, size, target, needed)
                         : __real_clGetPlatformInfo(platform, query, size, target, needed);
}

cl_context __wrap_clCreateContext(const cl_context_properties* properties, cl_uint count,
                                  const cl_device_id* devices,
                                  void(CL_CALLBACK* notify)(const char*, const void*, std::size_t, void*),
                                  void* user, cl_int* code) {
  if (count > 0 && find(devices[0]) != nullptr) {
    *code = CL_DEVICE_NOT_AVAILABLE;
    return nullptr;
  }
  return __real_clCreateContext(properties, count, devices, notify, user, code);
}

}  // extern "C"
