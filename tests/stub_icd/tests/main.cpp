// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// main() of tests that run on the stub alone: the ICD loader is told of it before it is first called.
#include <CL/cl.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace {

/// Some loaders look into the system's folder alone; then there is nothing to be tested.
class StubIsLoaded final : public testing::Environment {
 public:
  void SetUp() override {
    if (testing::internal::InDeathTestChild()) {
      return;  // its environment is set by the test, before the first call
    }
    cl_uint count = 0;
    clGetPlatformIDs(0, nullptr, &count);
    std::vector<cl_platform_id> platforms(count);
    clGetPlatformIDs(count, platforms.data(), nullptr);
    for (cl_platform_id platform : platforms) {
      char name[256] = "";
      clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name, name, nullptr);
      if (std::string(name) == "clpool stub") {
        return;
      }
    }
    GTEST_SKIP() << "the OpenCL loader finds drivers without its list of vendors";
  }
};

}  // namespace

int main(int count, char** values) {
  setenv("OCL_ICD_VENDORS", CLPOOL_STUB_VENDORS, 1);
  setenv("OPENCL_VENDOR_PATH", CLPOOL_STUB_VENDORS, 1);
  unsetenv("OCL_ICD_FILENAMES");
  setenv("CLPOOL_TEST", "clpool stub", 1);
  unsetenv("CLPOOL_STUB");
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  testing::InitGoogleTest(&count, values);
  testing::AddGlobalTestEnvironment(new StubIsLoaded);
  return RUN_ALL_TESTS();
}
