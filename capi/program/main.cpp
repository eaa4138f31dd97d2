// The clpool program: finds the verb, runs it, and turns every failure into a message and an exit code.
#include <clpool/status.h>
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <new>

#include "failure.hpp"
#include "printable.hpp"
#include "verbs.hpp"

namespace {

using clpool::program::ExitCode;
using clpool::program::Failure;

int exit_code(ExitCode code) {
  return static_cast<int>(code);
}

int run_program(int argc, char** argv) {
  CLI::App program("Memory pools for OpenCL: looks at devices, computes occupancy, replays allocation logs.",
                   "clpool");
  program.set_version_flag("--version", fmt::format("clpool {}", clpool_version_string()));
  program.require_subcommand(1);
  program.footer("Exit codes: 0 fine, 1 the device or memory failed, 2 bad input or usage.");
  clpool::program::Run run;
  clpool::program::add_devices_verb(program, run);
  clpool::program::add_characterize_verb(program, run);
  clpool::program::add_occupancy_verb(program, run);
  clpool::program::add_replay_verb(program, run);
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return program.exit(error) == 0 ? exit_code(ExitCode::success) : exit_code(ExitCode::bad_input);
  }
  return run();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run_program(argc, argv);
  } catch (const Failure& failure) {
    clpool::program::print_error(failure.what());
    return exit_code(failure.code());
  } catch (const std::bad_alloc&) {
    std::fputs("clpool: out of host memory\n", stderr);
    return exit_code(ExitCode::device_failed);
  } catch (const std::exception& error) {
    clpool::program::print_error(error.what());
    return exit_code(ExitCode::device_failed);
  }
}
