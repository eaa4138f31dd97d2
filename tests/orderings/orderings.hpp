// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What the tests of orderings share: a command of the library as a case, with its operands and a way to see,
// without a further command, whether it has happened. They run on the stub in mode `manual`, on an
// out-of-order queue: what the library does not order itself is not ordered.
#pragma once

#include <cstring>
#include <functional>
#include <list>
#include <string>
#include <utility>
#include <vector>

#include "conformance/memory.hpp"
#include "stub_icd/tests/fixture.hpp"

namespace clpool::test {

constexpr unsigned char source_byte = 'S';
constexpr unsigned char target_byte = 'T';
constexpr std::size_t operand_size = 256;
inline constexpr std::size_t MiB = 1024 * 1024;

/// One command, ready to be enqueued once.
struct Command {
  using Run = std::function<clpool_status(cl_uint wait_count, const cl_event* waits, cl_event* event)>;
  Run run;                         ///< not blocking
  Run run_blocking;                ///< empty where it has no flag `blocking`
  std::function<bool()> happened;  ///< as memory shows it
};

enum class Side { buffer, part, pooled, svm, svm_part, pinned };
const char* name_of(Side side);
inline constexpr Side buffer_sides[] = {Side::buffer, Side::part, Side::pooled};

class Scene : public StubWatch {
 public:
  Scene();
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;
  ~Scene();

  /// Memory of a kind, filled with a byte.
  clpool_mem* memory(Side side, unsigned char value);
  clpool_mem* image(unsigned char value);
  /// A source and a target that are parts of one buffer.
  std::pair<clpool_mem*, clpool_mem*> two_parts();
  std::vector<unsigned char>& host(unsigned char value);

  /// True if the whole memory has this byte.
  static bool has(clpool_mem* mem, unsigned char value);
  static bool has(const std::vector<unsigned char>& bytes, unsigned char value);
  static unsigned char* bytes(clpool_mem* mem);

  OpenCl cl;
  cl_command_queue queue = nullptr;  ///< out of order
  std::list<OwnedMap> maps;

 private:
  clpool_mem* own(clpool_mem* mem);
  std::list<OwnedMem> memories_;
  std::list<std::vector<unsigned char>> hosts_;
};

struct Case {
  std::string name;
  std::function<Command(Scene&)> make;
};

std::vector<Case> transfer_cases();
std::vector<Case> box_cases();
std::vector<Case> map_cases();
std::vector<Case> migrate_cases();
std::vector<Case> image_cases();

}  // namespace clpool::test
