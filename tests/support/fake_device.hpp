// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Devices that are not there: answers of clGetDeviceInfo and clGetPlatformInfo as a test gives them, and a
// record of what was asked. A fake device cannot have a context, so that questions to a kernel fail. Works in
// programs that link the core statically (linker option --wrap).
#pragma once

#include <CL/cl.h>

#include <cstring>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace clpool::test {

class FakeDevice {
 public:
  /// A GPU with OpenCL 1.2 and local memory of 48 KiB of its own.
  FakeDevice(const char* name, const char* vendor, cl_uint vendor_id);
  FakeDevice(const FakeDevice&) = delete;
  FakeDevice& operator=(const FakeDevice&) = delete;
  ~FakeDevice();

  FakeDevice& text(cl_uint query, const char* value);
  template <typename T>
  FakeDevice& value(cl_uint query, T answer) {
    return bytes(query, &answer, sizeof answer);
  }
  FakeDevice& type(cl_device_type kind) { return value(CL_DEVICE_TYPE, kind); }
  FakeDevice& version(const char* device_version) { return text(CL_DEVICE_VERSION, device_version); }
  FakeDevice& extensions(const char* list) { return text(CL_DEVICE_EXTENSIONS, list); }
  /// Of the device's platform.
  FakeDevice& platform(const char* name, const char* vendor, const char* platform_version);

  cl_device_id id() const;
  bool was_asked(cl_uint query) const { return asked_.count(query) != 0; }

  /// Of clGet…Info: CL_INVALID_VALUE for what has no answer.
  cl_int answer(cl_uint query, std::size_t size, void* target, std::size_t* needed);

 private:
  FakeDevice& bytes(cl_uint query, const void* value, std::size_t size);
  std::map<cl_uint, std::vector<unsigned char>> answers_;
  std::set<cl_uint> asked_;
};

/// As long as it lives, every real device says that it has this version, such as "OpenCL 1.1 pretended": for
/// what the library does on older ones.
class PretendedVersion {
 public:
  explicit PretendedVersion(const char* version);
  PretendedVersion(const PretendedVersion&) = delete;
  PretendedVersion& operator=(const PretendedVersion&) = delete;
  ~PretendedVersion();
};

/// As long as it lives, every real device has this extension alone, and its platform this function.
class PretendedExtension {
 public:
  PretendedExtension(const char* extension, const char* function, void* address);
  PretendedExtension(const PretendedExtension&) = delete;
  PretendedExtension& operator=(const PretendedExtension&) = delete;
  ~PretendedExtension();
};

/// As long as it lives, every real platform has this name: for what the library does on drivers with a bug.
class PretendedPlatform {
 public:
  explicit PretendedPlatform(const char* name);
  PretendedPlatform(const PretendedPlatform&) = delete;
  PretendedPlatform& operator=(const PretendedPlatform&) = delete;
  ~PretendedPlatform();
};

}  // namespace clpool::test
