// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Names of files that a test writes: of its own, also where several programs run the same test at once.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace clpool::test {

/// A file of the running test's, in GoogleTest's folder for such files. The test removes it.
inline std::string temporary_file(const std::string& ending = ".csv") {
  const testing::TestInfo* const test = testing::UnitTest::GetInstance()->current_test_info();
  return testing::TempDir() + "clpool_" + test->name() + "_" + std::to_string(getpid()) + ending;
}

/// The process's descriptors of an open file.
inline std::vector<int> descriptors_of(const std::string& path) {
  std::vector<int> found;
  for (int descriptor = 0; descriptor < 1000; ++descriptor) {
    std::error_code error;
    if (std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(descriptor), error) == path) {
      found.push_back(descriptor);
    }
  }
  return found;
}

}  // namespace clpool::test
