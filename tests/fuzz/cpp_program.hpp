// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The program that cpp_fuzz.cpp makes of its input.
#pragma once

#include <clpool/clpool.hpp>

#include <functional>
#include <optional>
#include <vector>

#include "fuzz/on_stub.hpp"

namespace clpool::fuzz {

class CppProgram {
 public:
  /// `told` is called after each operation.
  static void run(Input& input, const std::function<void()>& told = nullptr);

 private:
  /// Memory, and what is in it.
  struct Known {
    Mem mem;
    std::vector<unsigned char> bytes;
  };

  explicit CppProgram(Input& input);
  void step();

  // Operations.
  void make_memory();
  void make_pool();
  void fill();
  void write();
  void read();
  void copy();
  void map();
  void part();
  void move();
  void give_back();
  void declare();
  void ask_memory();
  void ask_pool();
  void image();
  void ask_device();
  void memo();

  /// Carries `action` out with an OnError, and gives its status whichever way it is told.
  template <typename Action>
  clpool_status told(Action&& action) {
    if (input_.byte() % 2 == 0) {
      std::error_code code = make_error_code(CLPOOL_ERROR_INTERNAL);
      action(OnError(code));
      require(!code || &code.category() == &error_category(), "a code of the library");
      return code.value();
    }
    return thrown([&] { action(OnError()); });
  }
  /// The same for what has exceptions only.
  template <typename Action>
  clpool_status thrown(Action&& action) {
    try {
      action();
      return CLPOOL_SUCCESS;
    } catch (const OutOfMemory& error) {
      require(error.status() == CLPOOL_ERROR_OUT_OF_MEMORY && *error.what() != '\0', "out of memory says so");
      return error.status();
    } catch (const Error& error) {
      require(error.status() != CLPOOL_SUCCESS && error.status() != CLPOOL_ERROR_OUT_OF_MEMORY &&
                  error.status() < CLPOOL_ERROR_INTERNAL && *error.what() != '\0',
              "an exception has a status and a text");
      return error.status();
    }
  }
  void keep(Mem mem);
  Known* pick() { return known_.empty() ? nullptr : &known_[input_.below(known_.size())]; }
  Range range();
  /// Bytes of a range within memory of a size; none if it ends beyond.
  static std::optional<std::size_t> length(const Range& range, std::size_t size);
  On on();

  Input& input_;
  StubRun stub_;
  DefaultContext context_;
  Event event_;
  std::vector<Allocator> allocators_;
  std::vector<Pool> pools_;
  std::vector<Known> known_;
  Memo<int> memo_;
};

}  // namespace clpool::fuzz
