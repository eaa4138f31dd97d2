// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Choice of the tests' device. Independent of the library's own choice, which is under test itself.
#include "support/opencl.hpp"

#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace clpool::test {
namespace {

std::string lower(std::string text) {
  for (char& letter : text) {
    letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  return text;
}

/// An empty wish takes all, a number the entry with that index, any other text those whose name has it.
bool matches(const std::string& wish, std::size_t index, const std::string& name) {
  if (wish.empty()) {
    return true;
  }
  char* end = nullptr;
  const unsigned long number = std::strtoul(wish.c_str(), &end, 10);
  return *end == '\0' ? number == index : lower(name).find(lower(wish)) != std::string::npos;
}

std::string name_of(cl_platform_id platform) {
  char name[256] = "";
  clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name, name, nullptr);
  return name;
}

std::string name_of(cl_device_id device) {
  char name[256] = "";
  clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, nullptr);
  return name;
}

void choose(cl_platform_id& chosen_platform, cl_device_id& chosen_device) {
  const char* variable = std::getenv("CLPOOL_TEST");
  const std::string wish =
      variable == nullptr ? "" : std::string(variable).substr(0, std::string(variable).find(';'));
  const std::size_t separator = wish.find_first_of(":=");
  const std::string platform_wish = wish.substr(0, separator);
  std::string device_wish = separator == std::string::npos ? "" : wish.substr(separator + 1);
  device_wish = device_wish.substr(0, device_wish.find(','));

  cl_uint count = 0;
  clGetPlatformIDs(0, nullptr, &count);
  std::vector<cl_platform_id> platforms(count);
  clGetPlatformIDs(count, platforms.data(), nullptr);
  for (std::size_t p = 0; p < platforms.size(); ++p) {
    if (!matches(platform_wish, p, name_of(platforms[p]))) {
      continue;
    }
    cl_uint device_count = 0;
    clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 0, nullptr, &device_count);
    std::vector<cl_device_id> devices(device_count);
    clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, device_count, devices.data(), nullptr);
    for (std::size_t d = 0; d < devices.size(); ++d) {
      if (matches(device_wish, d, name_of(devices[d]))) {
        chosen_platform = platforms[p];
        chosen_device = devices[d];
        return;
      }
    }
  }
}

cl_command_queue make_queue(cl_context context, cl_device_id device, cl_command_queue_properties properties) {
  cl_int code = CL_SUCCESS;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  return clCreateCommandQueue(context, device, properties, &code);  // works on every version
#pragma GCC diagnostic pop
}

/// With CLPOOL_TEST_CONTEXT=shared, the process's context, which stays and is lent to one object at a time: on NVIDIA a
/// context takes longer than most tests, and the address space grows by each that was released.
cl_context lent = nullptr;
bool is_lent = false;

cl_context make_context(cl_device_id device) {
  const char* variable = std::getenv("CLPOOL_TEST_CONTEXT");
  const bool shared = variable != nullptr && std::strcmp(variable, "shared") == 0 && !is_lent;
  if (shared && lent != nullptr) {
    is_lent = true;
    clRetainContext(lent);
    return lent;
  }
  cl_int code = CL_SUCCESS;
  cl_context made = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &code);
  if (shared && made != nullptr) {
    is_lent = true;
    clRetainContext(made);
    lent = made;
  }
  return made;
}

}  // namespace

cl_int finish(cl_command_queue queue) {
  cl_event marker = nullptr;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  const cl_int code = clEnqueueMarker(queue, &marker);  // works on every version
#pragma GCC diagnostic pop
  if (code != CL_SUCCESS) {
    return code;
  }
  clWaitForEvents(1, &marker);
  clReleaseEvent(marker);
  return clFinish(queue);
}

OpenCl::OpenCl(cl_command_queue_properties properties) {
  choose(platform, device);
  if (device == nullptr) {
    return;
  }
  context = make_context(device);
  if (context != nullptr) {
    queue = make_queue(context, device, properties);
  }
}

OpenCl::~OpenCl() {
  for (int i = 0; i < other_count_; ++i) {
    clReleaseCommandQueue(others_[i]);
  }
  if (queue != nullptr) {
    finish(queue);
    clReleaseCommandQueue(queue);
  }
  if (context != nullptr) {
    is_lent = is_lent && context != lent;
    clReleaseContext(context);
  }
}

cl_command_queue OpenCl::another_queue(cl_command_queue_properties properties) {
  if (other_count_ == most_queues) {
    return nullptr;
  }
  return others_[other_count_++] = make_queue(context, device, properties);
}

bool OpenCl::has_version(int major, int minor) const {
  char text[256] = "";
  clGetDeviceInfo(device, CL_DEVICE_VERSION, sizeof text, text, nullptr);
  int found_major = 0;
  int found_minor = 0;
  std::sscanf(text, "OpenCL %d.%d", &found_major, &found_minor);
  return found_major > major || (found_major == major && found_minor >= minor);
}

bool OpenCl::is_on(const char* name) const {
  return name_of(platform) == name;
}

}  // namespace clpool::test
