// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// GoogleTest over OpenCL devices: test suites that are repeated for every platform, device or context that
// CLPOOL_TEST (or PYOPENCL_TEST) names, by default for all. Needs C++17, GoogleTest and libclpool.
//
//   class Copy : public clpool::testing::ContextTest {};
//   TEST_P(Copy, KeepsEveryByte) { … context(), queue(), device() … }
//   CLPOOL_INSTANTIATE_ON_CONTEXTS(Copy);
//
// The variables' syntax is that of clpool/device.h. A variable that is malformed or names what there is not
// fails every test with the reason; where there is no device at all, tests are skipped.
#ifndef CLPOOL_TESTING_GTEST_HPP
#define CLPOOL_TESTING_GTEST_HPP

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <ostream>
#include <string>
#include <type_traits>
#include <vector>

#include "clpool/device.h"
#include "clpool/memo.h"
#include "clpool/status.h"

namespace clpool::testing {

/// A device to run tests on. Its name has no addresses, so that it is the same in every process.
struct TestDevice {
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  std::string platform_name;
  std::string device_name;
  std::string problem;  ///< why there is no device: the tests fail with it
};

inline std::ostream& operator<<(std::ostream& stream, const TestDevice& each) {
  return stream << (each.device == nullptr ? each.problem
                                           : each.device_name + " [" + each.platform_name + "]");
}

namespace detail {

template <typename Object, typename Query>
std::string text_of(Object object, cl_uint name, Query query) {
  size_t size = 0;
  if (query(object, name, 0, nullptr, &size) != CL_SUCCESS || size == 0) {
    return "unknown";
  }
  std::string text(size, '\0');
  query(object, name, size, &text[0], nullptr);
  text.resize(size - 1);
  return text;
}

inline TestDevice describe(cl_device_id id) {
  TestDevice each;
  each.device = id;
  clGetDeviceInfo(id, CL_DEVICE_PLATFORM, sizeof each.platform, &each.platform, nullptr);
  each.device_name = text_of(id, CL_DEVICE_NAME, clGetDeviceInfo);
  each.platform_name = text_of(each.platform, CL_PLATFORM_NAME, clGetPlatformInfo);
  return each;
}

/// Letters and digits of a name, everything else as '_': what names of tests may have.
inline std::string identifier_of(const std::string& name) {
  std::string identifier;
  for (const char letter : name) {
    const bool is_plain =
        std::isalnum(static_cast<unsigned char>(letter)) != 0 && static_cast<signed char>(letter) > 0;
    if (is_plain || (!identifier.empty() && identifier.back() != '_')) {
      identifier += is_plain ? letter : '_';
    }
  }
  return identifier.empty() ? "unnamed" : identifier;
}

}  // namespace detail

/// The devices that tests are to run on; a single entry without a device where there are none.
inline std::vector<TestDevice> test_devices() {
  size_t count = 0;
  clpool_status status = clpool_device_list_for_tests(nullptr, 0, &count);
  std::vector<cl_device_id> ids(count);
  if (status == CLPOOL_SUCCESS && count > 0) {
    status = clpool_device_list_for_tests(ids.data(), ids.size(), &count);
  }
  std::vector<TestDevice> devices;
  if (status != CLPOOL_SUCCESS || count == 0) {
    devices.emplace_back();
    devices.back().problem = status != CLPOOL_SUCCESS ? clpool_last_error_message() : "";
    return devices;
  }
  for (const cl_device_id id : ids) {
    devices.push_back(detail::describe(id));
  }
  return devices;
}

/// The first device of each platform that tests are to run on.
inline std::vector<TestDevice> test_platforms() {
  std::vector<TestDevice> platforms;
  for (TestDevice& each : test_devices()) {
    const bool is_known = std::any_of(platforms.begin(), platforms.end(), [&](const TestDevice& other) {
      return other.platform == each.platform;
    });
    if (!is_known) {
      platforms.push_back(std::move(each));
    }
  }
  return platforms;
}

/// Names of test instances: number and device.
inline std::string name_of_device(const ::testing::TestParamInfo<TestDevice>& info) {
  const TestDevice& each = info.param;
  return std::to_string(info.index) + "_" +
         (each.device == nullptr ? "no_device" : detail::identifier_of(each.device_name));
}

/// Names of test instances: number and platform.
inline std::string name_of_platform(const ::testing::TestParamInfo<TestDevice>& info) {
  const TestDevice& each = info.param;
  return std::to_string(info.index) + "_" +
         (each.device == nullptr ? "no_device" : detail::identifier_of(each.platform_name));
}

struct ReleaseContext {
  void operator()(cl_context context) const noexcept { clReleaseContext(context); }
};
struct ReleaseQueue {
  void operator()(cl_command_queue queue) const noexcept {
    clFinish(queue);
    clReleaseCommandQueue(queue);
  }
};
using OwnedContext = std::unique_ptr<std::remove_pointer<cl_context>::type, ReleaseContext>;
using OwnedQueue = std::unique_ptr<std::remove_pointer<cl_command_queue>::type, ReleaseQueue>;

/// Makes contexts of one device. What is cached for older contexts (clpool/memo.h) is forgotten first.
class ContextFactory {
 public:
  explicit ContextFactory(TestDevice device) : device_(std::move(device)) {}
  const TestDevice& device() const { return device_; }

  /// Null, and a test failure, if the driver gives none.
  OwnedContext operator()() const {
    clpool_memo_clear_all();
    cl_int code = CL_SUCCESS;
    OwnedContext context(clCreateContext(nullptr, 1, &device_.device, nullptr, nullptr, &code));
    EXPECT_EQ(code, CL_SUCCESS) << "clCreateContext on " << device_ << ": " << clpool_cl_error_name(code);
    return context;
  }

 private:
  TestDevice device_;
};

/// Base of suites that are repeated for each device.
class DeviceTest : public ::testing::TestWithParam<TestDevice> {
 protected:
  void SetUp() override {
    if (!GetParam().problem.empty()) {
      FAIL() << GetParam().problem;
    }
    if (device() == nullptr) {
      GTEST_SKIP() << "no OpenCL device";
    }
  }
  cl_device_id device() const { return GetParam().device; }
  cl_platform_id platform() const { return GetParam().platform; }
  ContextFactory context_factory() const { return ContextFactory(GetParam()); }
};

/// Base of suites that are repeated for each platform: device() is its first.
class PlatformTest : public DeviceTest {};

/// Base of suites that are repeated for each device, with a fresh context and an in-order queue for each
/// test.
class ContextTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) {
      return;
    }
    context_ = context_factory()();
    ASSERT_NE(context_, nullptr);
    queue_ = make_queue();
    ASSERT_NE(queue_, nullptr);
  }
  void TearDown() override {
    queue_.reset();
    context_.reset();
  }
  cl_context context() const { return context_.get(); }
  cl_command_queue queue() const { return queue_.get(); }

  /// A further queue. Null, and a test failure, if the driver gives none.
  OwnedQueue make_queue(cl_command_queue_properties properties = 0) const {
    cl_int code = CL_SUCCESS;
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#endif
    OwnedQueue queue(clCreateCommandQueue(context(), device(), properties, &code));
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
    EXPECT_EQ(code, CL_SUCCESS) << "clCreateCommandQueue: " << clpool_cl_error_name(code);
    return queue;
  }

 private:
  OwnedContext context_;
  OwnedQueue queue_;
};

}  // namespace clpool::testing

/// Repeats a suite derived from DeviceTest for each device.
#define CLPOOL_INSTANTIATE_ON_DEVICES(suite)                                                  \
  INSTANTIATE_TEST_SUITE_P(On, suite, ::testing::ValuesIn(::clpool::testing::test_devices()), \
                           ::clpool::testing::name_of_device)

/// Repeats a suite derived from ContextTest for each device.
#define CLPOOL_INSTANTIATE_ON_CONTEXTS(suite) CLPOOL_INSTANTIATE_ON_DEVICES(suite)

/// Repeats a suite derived from PlatformTest for each platform.
#define CLPOOL_INSTANTIATE_ON_PLATFORMS(suite)                                                  \
  INSTANTIATE_TEST_SUITE_P(On, suite, ::testing::ValuesIn(::clpool::testing::test_platforms()), \
                           ::clpool::testing::name_of_platform)

#endif
