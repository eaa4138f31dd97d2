// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Runs a fuzz driver without libFuzzer: over each file of a folder, over beginnings of it, and over
// mutations, the same ones in every run.
#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" [[gnu::weak]] int LLVMFuzzerInitialize(int* argc, char*** argv);

namespace {

std::string current;  // the input that is run

/// What `xxd -r -p` makes the input of a case from.
extern "C" void tell_input(int) {
  for (const char c : current) {
    std::fprintf(stderr, "%02x", static_cast<unsigned>(static_cast<unsigned char>(c)));
  }
  std::fputs(" is the input, in hexadecimal\n", stderr);
}

void run_on(const std::string& input) {
  current = input;
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
}

/// Changes, removes, doubles or inserts a few bytes, preferring those that have a meaning in text.
std::string mutate(std::string input, std::mt19937& random) {
  constexpr char telling[] = "\n\r,0x19f-.:() \xff";
  const auto below = [&](std::size_t limit) { return static_cast<std::size_t>(random()) % limit; };
  for (std::size_t change = 0; change <= below(4) && !input.empty(); ++change) {
    const std::size_t at = below(input.size());
    switch (below(4)) {
      case 0:
        input[at] = telling[below(sizeof telling)];
        break;
      case 1:
        input.erase(at, 1 + below(8));
        break;
      case 2:
        input.insert(at, input.substr(at, 1 + below(40)));
        break;
      default:
        input.insert(at, 1, telling[below(sizeof telling)]);
    }
  }
  return input;
}

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The whole, up to runs / 2 beginnings, and mutations for the rest.
void run_around(const std::string& input, std::size_t runs) {
  run_on(input);
  const std::size_t step = input.size() / (runs / 2 + 1) + 1;
  for (std::size_t length = 0; length < input.size(); length += step) {
    run_on(input.substr(0, length));
  }
  std::mt19937 random(20240229);
  for (std::size_t i = input.size() / step; i < runs; ++i) {
    run_on(mutate(input, random));
  }
}

}  // namespace

int main(int argc, char** argv) {
  struct sigaction telling = {};
  telling.sa_handler = tell_input;
  telling.sa_flags = static_cast<int>(SA_RESETHAND);
  if (LLVMFuzzerInitialize != nullptr) {
    LLVMFuzzerInitialize(&argc, &argv);
  }
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE}) {
    ::sigaction(signal, &telling, nullptr);
  }
  std::vector<std::filesystem::path> files;
  for (int i = 1; i < argc; ++i) {
    for (const auto& entry : std::filesystem::directory_iterator(argv[i])) {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  const std::size_t runs = files.empty() ? 0 : CLPOOL_RUNS / files.size() + 1;
  for (const auto& file : files) {
    run_around(text_of(file), runs);
  }
  std::printf("%zu files, each with %zu beginnings and mutations\n", files.size(), runs);
  return files.empty() ? 1 : 0;
}
