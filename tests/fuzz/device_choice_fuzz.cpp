// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Bytes as what users write to name a device: the first says where they write it, the second what devices
// there are, the rest is the text. Whatever it is, there is a device or an error that names what was wrong.
#include <clpool/clpool.h>
#include <unistd.h>

#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

#include "fuzz/on_stub.hpp"
#include "support/environment.hpp"

namespace clpool::fuzz {
namespace {

constexpr std::string_view blanks = " \t\n\r";

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return lower;
}

/// As messages show it: control characters are '?'.
std::string one_line(std::string text) {
  for (char& c : text) {
    const auto value = static_cast<unsigned char>(c);
    c = value < 0x20 || value == 0x7F ? '?' : c;
  }
  return text;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(blanks);
  return first == text.npos ? "" : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// True if `message` has the beginning of a part of `text`, or the number that it is; also if there is
/// nothing to name.
bool names_a_part(const std::string& message, std::string_view text) {
  bool nothing = true;
  for (unsigned which = 0; which < 16; ++which) {  // each place has separators of its own
    std::string separators;
    for (unsigned i = 0; i < 4; ++i) {
      separators += (which >> i & 1) != 0 ? std::string(1, ";:=,"[i]) : "";
    }
    for (std::string_view left = text; !left.empty();) {
      const std::size_t end = std::min(left.find_first_of(separators), left.size());
      const std::string part = one_line(lower_case(trimmed(left.substr(0, end)).substr(0, 30)));
      nothing = nothing && part.empty();
      if (!part.empty() && message.find(part) != message.npos) {
        return true;
      }
      if (!part.empty() && message.find(std::to_string(std::atoll(part.c_str()))) != message.npos) {
        return true;  // "+7" is told as 7
      }
      left.remove_prefix(std::min(end + 1, left.size()));
    }
  }
  return nothing;
}

/// A refusal is one of two kinds, and says where and what.
void expect_reason(clpool_status status, const char* origin, const std::string& text) {
  require(status == CLPOOL_ERROR_NOT_FOUND || status == CLPOOL_ERROR_BAD_FORMAT, "an unexpected status");
  const std::string message = lower_case(clpool_last_error_message());
  const bool nothing_there = message.find("there is no opencl platform") != message.npos;
  require(nothing_there || message.find(lower_case(origin)) != message.npos, "the message names the place");
  // Without devices, the answer that is left out, the first, may be what is wrong.
  require(stub_device() == nullptr || names_a_part(message, text), "the message names the text");
}

bool is_a_device(cl_device_id device, cl_device_id& found) {
  for (std::size_t i = 0; stub_device(i) != nullptr; ++i) {
    if (stub_device(i) == device) {
      found = device;
      return true;
    }
  }
  return false;
}

void ask(const clpool_device_options& options, const char* origin, const std::string& text) {
  cl_device_id chosen = nullptr;
  cl_device_id devices[8] = {};
  size_t count = 99;
  const clpool_status status = clpool_device_choose(&options, &chosen);
  require(clpool_device_list(&options, devices, 8, &count) == status, "the list has the choice's status");
  cl_device_id of_context = nullptr;
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;
  require(clpool_context_create_default(&options, &of_context, &context, &queue) == status,
          "the context has the choice's status");
  if (status == CLPOOL_SUCCESS) {
    cl_device_id known = nullptr;
    require(is_a_device(chosen, known), "a device that there is");
    require(count >= 1 && devices[0] == chosen && of_context == chosen, "the first of the list is chosen");
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return;
  }
  require(chosen == nullptr && count == 0 && of_context == nullptr && context == nullptr && queue == nullptr,
          "results of a failure are null");
  expect_reason(status, origin, text);
}

void ask_for_tests(const char* origin, const std::string& text) {
  cl_device_id devices[64] = {};
  size_t count = 99;
  const clpool_status status = clpool_device_list_for_tests(devices, 64, &count);
  cl_device_id known = nullptr;
  if (status != CLPOOL_SUCCESS) {
    require(count == 0, "results of a failure are null");
    expect_reason(status, origin, text);
  }
  for (std::size_t i = 0; i < std::min<std::size_t>(count, 64); ++i) {
    require(is_a_device(devices[i], known), "a device that there is");
  }
}

/// A home whose .cuda-device has the text.
const std::string& home_with(const std::string& text) {
  static const std::string& home = *new std::string(
      (std::filesystem::temp_directory_path() / ("clpool_fuzz_home_" + std::to_string(getpid()))).string());
  std::filesystem::create_directories(home);
  std::ofstream(home + "/.cuda-device", std::ios::binary) << text;
  return home;
}

void run(Input& input) {
  const std::uint8_t place = input.byte();
  const std::uint8_t machine = input.byte();
  const std::string text(std::string(input.rest()).c_str());  // as far as a variable can hold it
  constexpr const char* types[] = {"gpu", "cpu", "accelerator", "gpu"};
  const std::string options = "mode=immediate,devices=" + std::to_string(machine % 5) +
                              ",type=" + types[machine / 8 % 4] +
                              ",nvidia=" + (machine % 64 == 63 ? "1" : "0");
  const StubRun stub(options.c_str());
  clpool_device_options asked = CLPOOL_DEVICE_OPTIONS_INIT;
  asked.flags = machine >= 128 ? static_cast<uint32_t>(CLPOOL_DEVICE_BY_RANK) : 0u;
  constexpr const char* names[] = {"CLPOOL_DEVICE", "CLPOOL_TEST", "PYOPENCL_TEST",
                                   "PYOPENCL_CTX",  "CUDA_DEVICE", "OMPI_COMM_WORLD_LOCAL_RANK",
                                   "SLURM_LOCALID"};
  if (place % 9 < 7) {
    const char* const name = names[place % 9];
    const test::Variable variable(name, text.c_str());
    const bool is_rank = place % 9 > 4;
    if (is_rank && (asked.flags == 0 || machine % 5 == 0)) {
      ask(asked, "", "");  // nobody asks for it
    } else {
      ask(asked, machine % 5 == 0 || text.empty() ? "" : name, text);
    }
    ask_for_tests(name, text);
  } else if (place % 9 == 7) {
    const test::Variable variable("HOME", home_with(text).c_str());
    ask(asked, "", text.substr(0, text.find('\n')));
  } else {
    asked.selector = text.c_str();
    ask(asked, text.empty() ? "" : "selector", text);
  }
}

}  // namespace
}  // namespace clpool::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  clpool::fuzz::Input input(data, std::min<std::size_t>(size, 4096));
  clpool::fuzz::run(input);
  return 0;
}
