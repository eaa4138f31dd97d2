// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The clpool program: finds the verb, runs it, and turns every failure into a message and an exit code.
#include <clpool/status.h>
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <sstream>

#include "failure.hpp"
#include "output.hpp"
#include "printable.hpp"
#include "verbs.hpp"
#include "words.hpp"

namespace {

using clpool::program::ExitCode;
using clpool::program::Failure;

int exit_code(ExitCode code) {
  return static_cast<int>(code);
}

/// What CLI11 says of a wrong command line, in one line.
[[noreturn]] void refuse_words(const CLI::App& program, const CLI::ParseError& error) {
  const auto chosen = program.get_subcommands();
  const std::string name = chosen.empty() ? "clpool" : "clpool " + chosen.front()->get_name();
  throw Failure(ExitCode::bad_input, fmt::format("{} (see '{} --help')", error.what(), name));
}

int run_program(int argc, char** argv) {
  CLI::App program("Memory pools for OpenCL: looks at devices, computes occupancy, replays allocation logs.",
                   "clpool");
  program.set_version_flag("-V,--version", fmt::format("clpool {}", clpool_version_string()));
  program.require_subcommand(1);
  program.footer(
      "Exit codes: 0 fine, 1 the device or memory failed, 2 bad input or usage,\n"
      "or output that could not be written.\n");
  clpool::program::Run run;
  clpool::program::add_devices_verb(program, run);
  clpool::program::add_characterize_verb(program, run);
  clpool::program::add_occupancy_verb(program, run);
  clpool::program::add_replay_verb(program, run);
  clpool::program::add_completion_verb(program, run);
  clpool::program::add_help_verb(program, run);
  if (argc < 2) {
    throw Failure(ExitCode::bad_input, "there is nothing to do (see 'clpool --help')");
  }
  clpool::program::check_words(program, {argv + 1, argv + argc});
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) {
      refuse_words(program, error);
    }
    std::ostringstream text;  // help or the version
    program.exit(error, text, text);
    clpool::program::print(text.str());
    return exit_code(ExitCode::success);
  }
  return run();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    clpool::program::keep_standard_streams_apart();
    std::signal(SIGXFSZ, SIG_IGN);  // a file that may not be longer is an error like a full disk
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
