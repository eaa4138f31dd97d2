// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Names of files that a test writes: of its own, also where several programs run the same test at once.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

namespace clpool::test {

/// A file of the running test's, in GoogleTest's folder for such files. The test removes it.
inline std::string temporary_file(const std::string& ending = ".csv") {
  const testing::TestInfo* const test = testing::UnitTest::GetInstance()->current_test_info();
  return testing::TempDir() + "clpool_" + test->name() + "_" + std::to_string(getpid()) + ending;
}

}  // namespace clpool::test
