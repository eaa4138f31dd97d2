// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// A program without exceptions and without run-time type information: every failure is a code.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <system_error>
#include <vector>

#include "clpool/clpool.hpp"

namespace {

void require(bool is_right, const char* what) {
  if (!is_right) {
    std::fprintf(stderr, "not so: %s (%s)\n", what, clpool_last_error_message());
    std::exit(1);
  }
}

/// Memory of the host, of which there is little.
class Host : public clpool::Source {
 public:
  uint64_t allocate(uint64_t size, uint64_t) override {
    return size > 1 << 20 ? 0 : reinterpret_cast<uint64_t>(std::malloc(size));
  }
  void deallocate(uint64_t chunk, uint64_t) noexcept override { std::free(reinterpret_cast<void*>(chunk)); }
};

void without_a_device() {
  std::error_code code;
  clpool::Heap heap(0, code);
  require(!code, "a heap");
  require(!heap.allocate(1, code) && code == std::errc::not_enough_memory,
          "a heap without spaces is used up");
  heap.add_space(100, code);
  const clpool::Heap::Range range = heap.allocate(10, code);
  require(!code && range.size() == 10, "a range");
  const clpool::Pool pool(clpool::Allocator::custom(std::make_unique<Host>(), code), code);
  require(!code, "a pool over the program's own memory");
  require(static_cast<bool>(pool.allocate(1000, code)) && !code, "a block");
  require(!pool.allocate(2 << 20, code) && code, "what the source refuses");
  clpool::Memo<std::string> memo(code);
  int object = 0;
  const auto kept = memo.get(
      CLPOOL_MEMO_ANY, &object, "key", [] { return std::string("result"); }, code);
  require(!code && *kept == "result", "a result that is kept");
  clpool::Trace::parse("nothing", "log", code);
  require(code == clpool::make_error_code(CLPOOL_ERROR_BAD_FORMAT), "what is no log");
  clpool::DeviceData::of_architecture("sm_1", CLPOOL_MODEL_CURRENT, code);
  require(code == clpool::make_error_code(CLPOOL_ERROR_NOT_FOUND), "what nobody knows");
}

void with_a_device() {
  std::error_code code;
  const clpool::DefaultContext start({}, code);
  require(!code, "a device");
  const clpool::Pool pool(clpool::Allocator::immediate(start.queue(), 0, code), code);
  clpool::Mem mem = pool.allocate(4096, code);
  mem.fill(start.queue(), 7, {}, code);
  std::vector<int> values(1024);
  mem.read(start.queue(), values.data(), 4096, {}, code);
  require(!code && values[1023] == 7, "what was filled is read");
  mem.read(start.queue(), values.data(), 4096, clpool::Range{1, 4096}, code);
  require(code == std::errc::invalid_argument, "a read beyond the end");
}

}  // namespace

int main() {
  without_a_device();
  std::error_code code;
  if (clpool::list_devices({}, code).empty()) {
    std::puts("skipped: no OpenCL device");
    return 77;
  }
  with_a_device();
  return 0;
}
