// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Runs of the programs.
#include "transcripts/programs.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "fuzz/on_stub.hpp"
#include "transcripts/clock.hpp"

namespace clpool::transcripts {

void add_program(std::vector<Group>& groups, std::string name, std::function<void(Transcript&)> run) {
  groups.push_back({name, {{name, std::move(run)}}});
}

std::vector<Group> all_groups() {
  std::vector<Group> groups;
  add_orders(groups);
  add_numbers(groups);
  add_calls(groups);
  add_boxes(groups);
  add_images(groups);
  add_guarded(groups);
  add_devices(groups);
  return groups;
}

namespace {

std::string run(const Program& program, bool prints) {
  fuzz::take_stub_alone();
  ::unsetenv("CLPOOL_GUARD");  // guarded pools wait for the commands of queues of their own
  restart_clock();
  Transcript transcript(prints);
  program.run(transcript);
  std::fflush(stdout);
  return program.name + transcript.line();
}

}  // namespace

std::string line_of(const Program& program, bool prints) {
  int ends[2] = {};
  fuzz::require(::pipe(ends) == 0, "a pipe");
  const pid_t child = ::fork();
  fuzz::require(child >= 0, "a process");
  if (child == 0) {
    const std::string line = run(program, prints);
    const bool is_written = ::write(ends[1], line.data(), line.size()) == static_cast<ssize_t>(line.size());
    ::_exit(is_written ? 0 : 1);
  }
  ::close(ends[1]);
  std::string line;
  char bytes[1024];
  for (ssize_t size = 0; (size = ::read(ends[0], bytes, sizeof bytes)) > 0;) {
    line.append(bytes, static_cast<std::size_t>(size));
  }
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
    return "";
  }
  return status == 0 ? line : program.name + " did not end well";
}

}  // namespace clpool::transcripts
