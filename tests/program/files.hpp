// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Files for the program to read: made in a folder of their own that goes with the test.
#pragma once

#include <string>
#include <vector>

namespace clpool::test {

class TemporaryFolder {
 public:
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();

  /// Path of a file in the folder, whether it exists or not.
  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  /// Writes a file and returns its path.
  std::string write(const std::string& name, const std::string& bytes) const;

 private:
  std::string folder_;
};

/// All bytes of a file; none if it cannot be read.
std::string read_file(const std::string& path);

/// `text` as one gzip member.
std::string gzip(const std::string& text);

/// Path of a file of tests/data.
std::string test_data(const std::string& name);

/// A log with RMM's header and these rows.
std::string log_of(const std::vector<std::string>& rows);

}  // namespace clpool::test
