// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The platform and the list of its devices.
#include <chrono>
#include <thread>

#include "api.hpp"
#include "device_profile.hpp"
#include "info.hpp"
#include "objects.hpp"

namespace stub {
namespace {

std::vector<cl_device_id> devices_of_type(cl_device_type type) {
  std::vector<cl_device_id> found;
  for (int i = 0; i < state().options.devices; ++i) {
    const bool is_default = i == 0 && (type & CL_DEVICE_TYPE_DEFAULT) != 0;
    if (is_default || (type & device_type()) != 0) {
      found.push_back(&device_at(i));
    }
  }
  return found;
}

void* function_of(const std::string& name) {
#define ENTRY(entry, major, minor)               \
  if (name == #entry) {                          \
    return reinterpret_cast<void*>(&api::entry); \
  }
#include "entry_points.def"
#undef ENTRY
  return nullptr;
}

cl_int give_platforms(Entry entry, cl_uint size, cl_platform_id* platforms, cl_uint* count) {
  return run(entry, [&](Call&) { give_ids<cl_platform_id>({&the_platform()}, size, platforms, count); });
}

/// How far the devices are made, which the first list of them does; under the state's lock.
enum class Readiness { none, beginning, ready };
Readiness readiness = Readiness::none;

/// What PoCL 3.1 does not protect: a thread that comes while another makes the devices finds none, or halves.
void make_ready(Call& call) {
  if (!state().options.begins_alone || readiness == Readiness::ready) {
    return;
  }
  if (readiness == Readiness::beginning) {
    die("devices are listed while another thread lists them for the first time: PoCL 3.1 crashes here");
  }
  readiness = Readiness::beginning;
  call.lock().unlock();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  call.lock().lock();
  readiness = Readiness::ready;
}

}  // namespace

namespace api {

cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint size, cl_platform_id* platforms, cl_uint* count) {
  return give_platforms(Entry::clIcdGetPlatformIDsKHR, size, platforms, count);
}

cl_int CL_API_CALL clGetPlatformIDs(cl_uint size, cl_platform_id* platforms, cl_uint* count) {
  return give_platforms(Entry::clGetPlatformIDs, size, platforms, count);
}

cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id platform, cl_platform_info name, size_t size, void* value,
                                     size_t* needed) {
  return run(Entry::clGetPlatformInfo, [&](Call&) {
    checked(platform, CL_INVALID_PLATFORM);
    const Answer answer(size, value, needed);
    switch (name) {
      case CL_PLATFORM_NAME:
        return answer.text(state().options.name);
      case CL_PLATFORM_VENDOR:
        return answer.text("The libclpool project");
      case CL_PLATFORM_PROFILE:
        return answer.text("FULL_PROFILE");
      case CL_PLATFORM_VERSION:
        return answer.text(version_text() + " clpool-stub");
      case CL_PLATFORM_EXTENSIONS:
        return answer.text("cl_khr_icd");
      case CL_PLATFORM_ICD_SUFFIX_KHR:
        return answer.text("CLPOOL");
      case CL_PLATFORM_HOST_TIMER_RESOLUTION:
        require(state().options.version >= Version{2, 1}, CL_INVALID_VALUE);
        return answer.value<cl_ulong>(1);
      case CL_PLATFORM_NUMERIC_VERSION:
        require(state().options.version >= Version{3, 0}, CL_INVALID_VALUE);
        return answer.value(numeric_version());
      case CL_PLATFORM_EXTENSIONS_WITH_VERSION: {
        require(state().options.version >= Version{3, 0}, CL_INVALID_VALUE);
        const cl_name_version icd = {CL_MAKE_VERSION(1, 0, 0), "cl_khr_icd"};
        return answer.value(icd);
      }
      default:
        refuse(CL_INVALID_VALUE);
    }
  });
}

cl_int CL_API_CALL clGetDeviceIDs(cl_platform_id platform, cl_device_type type, cl_uint size,
                                  cl_device_id* devices, cl_uint* count) {
  return run(Entry::clGetDeviceIDs, [&](Call& call) {
    checked(platform, CL_INVALID_PLATFORM);
    constexpr cl_device_type known = CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU |
                                     CL_DEVICE_TYPE_ACCELERATOR | CL_DEVICE_TYPE_CUSTOM;
    require(type == CL_DEVICE_TYPE_ALL || (type != 0 && (type & ~known) == 0), CL_INVALID_DEVICE_TYPE);
    make_ready(call);
    const std::vector<cl_device_id> found = devices_of_type(type);
    require(!found.empty(), CL_DEVICE_NOT_FOUND);
    give_ids(found, size, devices, count);
  });
}

void* CL_API_CALL clGetExtensionFunctionAddressForPlatform(cl_platform_id platform, const char* name) {
  return make(Entry::clGetExtensionFunctionAddressForPlatform, nullptr, [&](Call&) {
    checked(platform, CL_INVALID_PLATFORM);
    return name == nullptr ? nullptr : function_of(name);
  });
}

void* CL_API_CALL clGetExtensionFunctionAddress(const char* name) {
  return name == nullptr ? nullptr : function_of(name);
}

}  // namespace api
}  // namespace stub

/// The one symbol that an ICD loader looks for: it asks this for the others.
extern "C" STUB_API void* CL_API_CALL clGetExtensionFunctionAddress(const char* name) {
  return stub::api::clGetExtensionFunctionAddress(name);
}
