// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What a program with RMM's resources looks like here: a stack of allocators with a pool on top.
#include <clpool/clpool.hpp>
#include <iostream>

int main() try {
  const clpool::DefaultContext device;

  // rmm::mr::cuda_memory_resource, limiting_resource_adaptor, pool_memory_resource
  const clpool::Allocator driver = clpool::Allocator::immediate(device.queue());
  const clpool::Allocator limited = clpool::Allocator::limit(driver, 64 << 20);
  const clpool::Pool pool(limited);

  // rmm::device_buffer buffer(1000, stream, &pool);
  clpool::Mem buffer = pool.allocate(1000);
  buffer.fill(device.queue(), 0);

  // try { … } catch (rmm::out_of_memory const&) { … }
  try {
    pool.allocate(128 << 20);
    return 1;
  } catch (const clpool::OutOfMemory&) {
    std::cout << "128 MiB are more than the limit\n";
  }
  return pool.statistics().active_bytes == 1000 ? 0 : 1;
} catch (const clpool::Error& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
