// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "fuzz/capi_world.hpp"
#include "fuzz/cpp_program.hpp"
#include "transcripts/programs.hpp"

namespace clpool::transcripts {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr unsigned groups_of_a_corpus = 8;
constexpr unsigned devices = 8;  ///< of run_calls()
constexpr unsigned inputs_of_a_device = 8;
constexpr std::size_t bytes_of_an_input = 1600;

void run_calls(const Bytes& bytes, Transcript& transcript) {
  fuzz::Input input(bytes.data(), bytes.size());
  fuzz::run_calls(input, {nullptr, [&transcript](const char* name, const std::string& text) {
                            transcript.note(name + text);
                          }});
}

/// In each call one of the driver's next functions fails.
void run_failing_calls(const Bytes& bytes, Transcript& transcript) {
  static std::mt19937 random(11);
  static constexpr cl_int codes[] = {CL_OUT_OF_RESOURCES, CL_OUT_OF_HOST_MEMORY,
                                     CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_INVALID_VALUE,
                                     CL_INVALID_OPERATION};
  fuzz::Input input(bytes.data(), bytes.size());
  fuzz::Watch watch;
  watch.before = [] {
    const unsigned which = 1 + static_cast<unsigned>(random() % 6);
    stub_fail(nullptr, which, codes[random() % std::size(codes)]);
  };
  watch.after = [&transcript](const char* name, const std::string& text) { transcript.note(name + text); };
  fuzz::run_calls(input, watch);
}

void run_cpp(const Bytes& bytes, Transcript& transcript) {
  fuzz::Input input(bytes.data(), bytes.size());
  fuzz::CppProgram::run(input, [&transcript] { transcript.note(""); });
}

using Run = void (*)(const Bytes& bytes, Transcript& transcript);

void add_inputs(std::vector<Group>& groups, std::string name, Run run, std::vector<Bytes> inputs) {
  add_program(groups, std::move(name), [run, inputs = std::move(inputs)](Transcript& transcript) {
    transcript.hide(fuzz::own_file());
    for (const Bytes& input : inputs) {
      run(input, transcript);
    }
    std::filesystem::remove(fuzz::own_file());
  });
}

/// Each program is one share of the corpus, input after input.
void add_corpus(std::vector<Group>& groups, const char* name, const char* how, Run run) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(CLPOOL_FUZZ_CORPUS) / name)) {
    files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (unsigned i = 0; i < groups_of_a_corpus; ++i) {
    std::vector<Bytes> inputs;
    for (std::size_t at = i; at < files.size(); at += groups_of_a_corpus) {
      std::ifstream file(files[at], std::ios::binary);
      inputs.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    }
    add_inputs(groups, std::string(name) + how + "_corpus_" + std::to_string(i), run, std::move(inputs));
  }
}

void add_random(std::vector<Group>& groups, const char* name, const char* how, Run run) {
  std::mt19937 random(7);
  for (unsigned device = 0; device < devices; ++device) {
    std::vector<Bytes> inputs(inputs_of_a_device);
    for (Bytes& input : inputs) {
      input = {static_cast<std::uint8_t>(device)};
      while (input.size() < bytes_of_an_input) {
        input.push_back(static_cast<std::uint8_t>(random()));
      }
    }
    add_inputs(groups, std::string(name) + how + "_by_chance_" + std::to_string(device), run,
               std::move(inputs));
  }
}

}  // namespace

void add_calls(std::vector<Group>& groups) {
  add_corpus(groups, "capi", "", run_calls);
  add_random(groups, "capi", "", run_calls);
  add_corpus(groups, "capi", "_failing", run_failing_calls);
  add_random(groups, "capi", "_failing", run_failing_calls);
  add_corpus(groups, "cpp", "", run_cpp);
  add_random(groups, "cpp", "", run_cpp);
}

}  // namespace clpool::transcripts
