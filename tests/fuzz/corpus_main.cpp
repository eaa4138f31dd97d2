// Runs a fuzz driver without libFuzzer: over each file of a folder, over every beginning of it, and over
// mutations that are the same in every run.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

constexpr int mutations_per_file = CLPOOL_MUTATIONS;

void run_on(const std::string& input) {
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

void run_on_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string input((std::istreambuf_iterator<char>(file)), {});
  for (std::size_t length = 0; length <= input.size(); ++length) {
    run_on(input.substr(0, length));
  }
  std::mt19937 random(20240229);
  for (int i = 0; i < mutations_per_file; ++i) {
    run_on(mutate(input, random));
  }
}

}  // namespace

int main(int argc, char** argv) {
  int file_count = 0;
  for (int i = 1; i < argc; ++i) {
    for (const auto& entry : std::filesystem::directory_iterator(argv[i])) {
      run_on_file(entry.path());
      ++file_count;
    }
  }
  std::printf("%d files, their beginnings, and %d mutations of each\n", file_count, mutations_per_file);
  return file_count > 0 ? 0 : 1;
}
