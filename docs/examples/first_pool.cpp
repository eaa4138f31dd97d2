// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The shortest useful program in C++: objects give everything back, failures are exceptions.
#include <clpool/clpool.hpp>
#include <iostream>

int main() try {
  // The best device, a context with it alone, an in-order queue.
  const clpool::DefaultContext device;
  const clpool::Pool pool(clpool::Allocator::immediate(device.queue()));

  int after = 0;
  // Only the first step asks the driver for memory.
  for (int step = 0; step < 1000; ++step) {
    clpool::Mem block = pool.allocate(1 << 20);
    // block.handle() is the cl_mem for kernels and commands.
    block.fill(device.queue(), 42);
    block.read(device.queue(), &after, sizeof after,
               clpool::Range{0, sizeof after});
  }  // the block is back in the pool

  const clpool_pool_stats stats = pool.statistics();
  std::cout << "read " << after << "; " << stats.allocations << " blocks from "
            << stats.driver_allocations << " allocations of the driver\n";
  return after == 42 && stats.driver_allocations == 1 ? 0 : 1;
} catch (const clpool::Error& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
