// Enumeration of OpenCL's platforms and devices.
#include "device_choice.hpp"

#include <clpool/device.h>

#include <algorithm>

#include "failure.hpp"

namespace clpool::program {
namespace {

std::string text_of(cl_device_id device, cl_device_info info) {
  std::size_t size = 0;
  if (clGetDeviceInfo(device, info, 0, nullptr, &size) != CL_SUCCESS || size == 0) {
    return "?";
  }
  std::string text(size, '\0');
  check_cl(clGetDeviceInfo(device, info, size, text.data(), nullptr), "clGetDeviceInfo");
  return text.c_str();  // up to the terminating zero
}

std::string text_of(cl_platform_id platform, cl_platform_info info) {
  std::size_t size = 0;
  if (clGetPlatformInfo(platform, info, 0, nullptr, &size) != CL_SUCCESS || size == 0) {
    return "?";
  }
  std::string text(size, '\0');
  check_cl(clGetPlatformInfo(platform, info, size, text.data(), nullptr), "clGetPlatformInfo");
  return text.c_str();
}

std::uint64_t number_of(cl_device_id device, cl_device_info info) {
  cl_ulong number = 0;
  check_cl(clGetDeviceInfo(device, info, sizeof number, &number, nullptr), "clGetDeviceInfo");
  return number;
}

Device describe(cl_platform_id platform, cl_device_id id) {
  Device device;
  device.platform = platform;
  device.id = id;
  device.type = number_of(id, CL_DEVICE_TYPE);
  device.name = text_of(id, CL_DEVICE_NAME);
  device.vendor = text_of(id, CL_DEVICE_VENDOR);
  device.version = text_of(id, CL_DEVICE_VERSION);
  device.platform_name = text_of(platform, CL_PLATFORM_NAME);
  device.memory = number_of(id, CL_DEVICE_GLOBAL_MEM_SIZE);
  device.largest = number_of(id, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  return device;
}

std::vector<cl_device_id> devices_of(cl_platform_id platform) {
  cl_uint count = 0;
  const cl_int code = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count);
  if (code != CL_SUCCESS || count == 0) {
    return {};  // a platform whose devices are absent or broken must not hide the others
  }
  std::vector<cl_device_id> ids(count);
  check_cl(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, ids.data(), nullptr), "clGetDeviceIDs");
  return ids;
}

}  // namespace

std::vector<Device> list_devices() {
  cl_uint count = 0;
  if (clGetPlatformIDs(0, nullptr, &count) != CL_SUCCESS || count == 0) {
    return {};
  }
  std::vector<cl_platform_id> platforms(count);
  check_cl(clGetPlatformIDs(count, platforms.data(), nullptr), "clGetPlatformIDs");
  std::vector<Device> devices;
  for (std::size_t p = 0; p < platforms.size(); ++p) {
    const std::vector<cl_device_id> ids = devices_of(platforms[p]);
    for (std::size_t d = 0; d < ids.size(); ++d) {
      devices.push_back(describe(platforms[p], ids[d]));
      devices.back().platform_index = p;
      devices.back().index_in_platform = d;
    }
  }
  return devices;
}

std::size_t choose_device(const std::vector<Device>& devices, const std::string& selector) {
  if (devices.empty()) {
    throw Failure(ExitCode::device_failed, "no OpenCL device found (is a driver or PoCL installed?)");
  }
  clpool_device_options options = CLPOOL_DEVICE_OPTIONS_INIT;
  options.selector = selector.c_str();
  cl_device_id chosen = nullptr;
  const clpool_status status = clpool_device_choose(&options, &chosen);
  if (status == CLPOOL_ERROR_NOT_FOUND) {
    throw Failure(ExitCode::bad_input, clpool_last_error_message());
  }
  check(status);
  const auto found = std::find_if(devices.begin(), devices.end(),
                                  [chosen](const Device& device) { return device.id == chosen; });
  if (found == devices.end()) {
    throw Failure(ExitCode::device_failed, "the chosen device is gone from OpenCL's list");
  }
  return static_cast<std::size_t>(found - devices.begin());
}

const char* type_name(const Device& device) {
  if ((device.type & CL_DEVICE_TYPE_GPU) != 0) {
    return "GPU";
  }
  if ((device.type & CL_DEVICE_TYPE_ACCELERATOR) != 0) {
    return "accelerator";
  }
  return (device.type & CL_DEVICE_TYPE_CPU) != 0 ? "CPU" : "other";
}

}  // namespace clpool::program
