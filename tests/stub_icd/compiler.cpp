// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What is read of a program's source: names and arguments of its kernels, and whether its brackets close.
#include <cctype>
#include <mutex>

#include "kernels.hpp"

namespace stub {
namespace {

std::map<std::string, KernelFunction>& defined() {
  static auto& map = *new std::map<std::string, KernelFunction>;
  return map;
}
std::mutex& defined_mutex() {
  static std::mutex& mutex = *new std::mutex;
  return mutex;
}

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// The place after `word` as a word of its own; npos if it does not come.
std::size_t find_after(const std::string& text, const std::string& word, std::size_t from) {
  for (std::size_t at = text.find(word, from); at != std::string::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]))) {
      return end;
    }
  }
  return std::string::npos;
}

bool has_word(const std::string& text, const std::string& word) {
  return find_after(text, word, 0) != std::string::npos;
}

bool brackets_close(const std::string& source) {
  std::string open;
  for (const char c : source) {
    if (c == '(' || c == '{' || c == '[') {
      open.push_back(c == '(' ? ')' : c == '{' ? '}' : ']');
    } else if (c == ')' || c == '}' || c == ']') {
      if (open.empty() || open.back() != c) {
        return false;
      }
      open.pop_back();
    }
  }
  return open.empty();
}

std::size_t value_size(const std::string& type) {
  constexpr struct {
    const char* name;
    std::size_t size;
  } sizes[] = {{"char", 1}, {"uchar", 1}, {"short", 2}, {"ushort", 2}, {"half", 2},   {"int", 4},
               {"uint", 4}, {"float", 4}, {"long", 8},  {"ulong", 8},  {"double", 8}, {"size_t", 8}};
  for (const auto& entry : sizes) {
    if (has_word(type, entry.name) && !has_word(type, "struct")) {
      return entry.size;
    }
  }
  return 0;
}

stub_arg_kind kind_of(const std::string& type) {
  if (type.find("image") != std::string::npos) {
    return STUB_IMAGE_ARG;
  }
  if (has_word(type, "sampler_t")) {
    return STUB_SAMPLER_ARG;
  }
  if (has_word(type, "local") || has_word(type, "__local")) {
    return STUB_LOCAL;
  }
  return type.find('*') != std::string::npos ? STUB_GLOBAL : STUB_VALUE;
}

KernelArgument read_argument(std::string text) {
  while (!text.empty() && !is_word(text.back())) {
    text.pop_back();
  }
  std::size_t begin = text.size();
  while (begin > 0 && is_word(text[begin - 1])) {
    --begin;
  }
  KernelArgument argument;
  argument.name = text.substr(begin);
  argument.type = text.substr(0, begin);
  argument.kind = kind_of(argument.type);
  argument.size = argument.kind == STUB_VALUE ? value_size(argument.type) : 0;
  return argument;
}

std::vector<KernelArgument> read_arguments(const std::string& text) {
  std::vector<KernelArgument> arguments;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string one = text.substr(at, end - at);
    if (one.find_first_not_of(" \n\t") != std::string::npos && one != "void") {
      arguments.push_back(read_argument(one));
    }
    at = end + 1;
  }
  return arguments;
}

/// The kernel whose return type begins at `at`; false if nothing like a kernel is there.
bool read_kernel(const std::string& source, std::size_t at, KernelPlan& kernel) {
  const std::size_t open = source.find('(', at);
  const std::size_t close = open == std::string::npos ? open : source.find(')', open);
  if (close == std::string::npos) {
    return false;
  }
  std::size_t end = open;
  while (end > at && !is_word(source[end - 1])) {
    --end;
  }
  std::size_t begin = end;
  while (begin > at && is_word(source[begin - 1])) {
    --begin;
  }
  kernel.name = source.substr(begin, end - begin);
  kernel.arguments = read_arguments(source.substr(open + 1, close - open - 1));
  return !kernel.name.empty() && source.substr(at, begin - at).find("void") != std::string::npos;
}

}  // namespace

bool compile(const std::string& source, std::vector<KernelPlan>& kernels, std::string& log) {
  kernels.clear();
  log.clear();
  if (!brackets_close(source) || source.find("#error") != std::string::npos) {
    log = "error: brackets do not close, or #error\n";
    return false;
  }
  for (const char* const word : {"kernel", "__kernel"}) {
    for (std::size_t at = find_after(source, word, 0); at != std::string::npos;
         at = find_after(source, word, at)) {
      KernelPlan kernel;
      if (!read_kernel(source, at, kernel)) {
        log += "error: expected a kernel function of type void\n";
        continue;
      }
      const KernelFunction known = find_kernel(kernel.name);
      if (known.function == nullptr) {
        log += "error: the clpool stub knows no kernel '" + kernel.name + "': see stub_define_kernel()\n";
        continue;
      }
      kernel.function = known.function;
      kernel.user = known.user;
      kernels.push_back(std::move(kernel));
    }
  }
  return log.empty();
}

KernelFunction find_kernel(const std::string& name) {
  const std::lock_guard lock(defined_mutex());
  const auto found = defined().find(name);
  return found != defined().end() ? found->second : KernelFunction{find_built_in(name), nullptr};
}

void forget_kernels() {
  const std::lock_guard lock(defined_mutex());
  defined().clear();
}

}  // namespace stub

void stub_define_kernel(const char* name, stub_kernel_function function, void* user) {
  const std::lock_guard lock(stub::defined_mutex());
  stub::defined()[name] = {function, user};
}
