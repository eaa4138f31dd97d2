// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// One million hits and nothing else, for instruction counts by callgrind; see README.md for the command.
#include <cstdio>
#include <cstdlib>

#include "pools.hpp"

int main(int count, char** arguments) {
  const long pairs = count > 1 ? std::atol(arguments[1]) : 1'000'000;
  const auto pool = clpool::benchmarks::make_pool();
  clpool_mem* block = nullptr;
  for (long i = 0; i < pairs; ++i) {
    clpool_pool_allocate(pool.get(), 4096, &block);
    clpool_mem_release(block);
  }
  std::printf("%ld pairs\n", pairs);
}
