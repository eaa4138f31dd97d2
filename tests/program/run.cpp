// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// A child process with its two outputs in files, which cannot fill up as pipes do.
#include "run.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "files.hpp"

namespace clpool::test {
namespace {

/// In the child: nothing returns from here.
[[noreturn]] void become_program(const std::vector<std::string>& arguments, const RunFiles& files,
                                 const std::string& out, const std::string& err) {
  std::vector<char*> pointers = {const_cast<char*>(CLPOOL_PROGRAM)};
  for (const std::string& argument : arguments) {
    pointers.push_back(const_cast<char*>(argument.c_str()));
  }
  pointers.push_back(nullptr);
  const int input = ::open(files.input.c_str(), O_RDONLY | O_CLOEXEC);
  const int out_file = ::open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  const int err_file = ::open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  ::dup2(input, STDIN_FILENO);
  ::dup2(out_file, STDOUT_FILENO);
  ::dup2(err_file, STDERR_FILENO);
  for (const int stream : files.closed) {
    ::close(stream);
  }
  ::execv(CLPOOL_PROGRAM, pointers.data());
  ::_exit(127);
}

}  // namespace

RunResult run_program(const std::vector<std::string>& arguments, const RunFiles& files) {
  const TemporaryFolder folder;
  const std::string out = files.output.empty() ? folder.path("out") : files.output;
  const std::string err = files.errors.empty() ? folder.path("err") : files.errors;
  const pid_t child = ::fork();
  if (child == 0) {
    become_program(arguments, files, out, err);
  }
  RunResult result;
  int status = 0;
  if (child > 0 && ::waitpid(child, &status, 0) == child) {
    result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  result.out = files.output.empty() ? read_file(out) : "";
  result.err = files.errors.empty() ? read_file(err) : "";
  return result;
}

}  // namespace clpool::test
