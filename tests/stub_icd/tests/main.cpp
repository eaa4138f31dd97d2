// main() of tests that run on the stub alone: the ICD loader is told of it before it is first called.
#include <gtest/gtest.h>

#include <cstdlib>

int main(int count, char** values) {
  setenv("OCL_ICD_VENDORS", CLPOOL_STUB_VENDORS, 1);
  setenv("OPENCL_VENDOR_PATH", CLPOOL_STUB_VENDORS, 1);
  unsetenv("OCL_ICD_FILENAMES");
  setenv("CLPOOL_TEST", "clpool stub", 1);
  unsetenv("CLPOOL_STUB");
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  testing::InitGoogleTest(&count, values);
  return RUN_ALL_TESTS();
}
