// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What a program sees of the library and asks of the driver through it, operation after operation.
#pragma once

#include <clpool/clpool.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace clpool::transcripts {

class Transcript {
 public:
  /// From here on, in the thread that runs the program, messages come here. One at a time.
  explicit Transcript(bool prints);
  Transcript(const Transcript&) = delete;
  Transcript& operator=(const Transcript&) = delete;
  ~Transcript();

  /// This text differs from process to process, and is left out, as addresses are ("0x…").
  void hide(std::string text) { hidden_ = std::move(text); }

  /// After an operation: what came of it, the messages meanwhile, the last error and, if they are others than before, how often
  /// each entry point of the driver was called so far.
  void note(std::string_view what);
  /// The same with all figures of a pool, and every now and then where its blocks are.
  void note(const Pool& pool, std::string_view what = "");

  /// Figures at the end, those that are not 0, and a number that is another one if any operation's text was.
  std::string line() const;

 private:
  static void receive(void* user, std::int32_t severity, const char* text);
  std::string without_what_differs(std::string_view text) const;

  bool prints_;
  std::uint64_t digest_ = 0xcbf29ce484222325;  // FNV-1a, 64 bits
  std::uint64_t operations_ = 0;
  std::uint64_t total_calls_ = 0;
  std::vector<std::uint64_t> calls_;  ///< of each entry point
  std::vector<const char*> names_;
  std::string messages_, error_, hidden_;
  clpool_pool_stats stats_ = CLPOOL_POOL_STATS_INIT;
};

}  // namespace clpool::transcripts
