// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Logs of programs whose data have many sizes: arrays that grow, phases, queues, images, small blocks, results that are
// kept.
#include "programs/programs.hpp"
#include "programs/recorder.hpp"

namespace clpool::benchmarks {

using Blocks = std::vector<Recorder::Block>;

Log growing_arrays(std::uint64_t seed) {
  struct Array {
    std::uint64_t bytes;
    bool by_half;
    std::uint64_t step;
    std::uint64_t most;
    Recorder::Block block;
  };
  Recorder program(seed);
  Random& random = program.random;
  const auto fresh = [&] {
    const std::uint64_t bytes = random.scale(4096, 1 << 20);
    return Array{bytes, random.chance(0.3), random.scale(4096, 1 << 20), random.scale(32 << 20, 512 << 20),
                 program.allocate(bytes)};
  };
  std::vector<Array> arrays;
  const std::uint64_t count = random.between(2, 8);
  for (std::uint64_t i = 0; i < count; ++i) {
    arrays.push_back(fresh());
  }
  while (program.events() < 60'000) {
    Array& array = arrays[random.between(0, arrays.size() - 1)];
    // An array that doubles its half grows rarely.
    if (array.by_half && !random.chance(0.02)) {
      program.temporary(array.step);
      continue;
    }
    array.bytes += array.by_half ? array.bytes / 2 : array.step;
    const Recorder::Block larger = program.allocate(array.bytes);
    program.release(array.block);
    array.block = larger;
    if (array.bytes > array.most) {
      program.release(array.block);
      array = fresh();
    }
  }
  for (const Array& array : arrays) {
    program.release(array.block);
  }
  return program.finish();
}

Log appended_arrays(std::uint64_t seed) {
  Recorder program(seed);
  Random& random = program.random;
  const std::uint64_t step = random.scale(4096, 1 << 20);
  std::vector<std::uint64_t> bytes(random.between(1, 4));
  Blocks arrays;
  for (std::uint64_t& size : bytes) {
    size = random.scale(4096, 16 << 20);
    arrays.push_back(program.allocate(size));
  }
  for (std::size_t i = 0; i < 10'000; ++i) {
    const std::size_t which = i % arrays.size();
    const Recorder::Block longer = program.allocate(bytes[which] += step);
    program.release(arrays[which]);
    arrays[which] = longer;
  }
  program.release_all(arrays);
  return program.finish();
}

Log phases_with_survivors(std::uint64_t seed) {
  Recorder program(seed);
  Random& random = program.random;
  Blocks survivors;
  while (program.events() < 80'000) {
    const double low = static_cast<double>(random.scale(512, 4 << 20));
    const double high = low * static_cast<double>(random.between(2, 64));
    const std::uint64_t bytes = random.between(600, 1600) << 20;
    const std::uint64_t replaced = random.between(1000, 5000);
    Blocks blocks;
    std::uint64_t live = 0;
    const auto add = [&] {
      blocks.push_back(program.allocate(random.scale(low, high)));
      live += program.size(blocks.back());
    };
    while (live < bytes && blocks.size() < 3000) {
      add();
    }
    for (std::uint64_t i = 0; i < replaced; ++i) {
      const std::size_t which = random.between(0, blocks.size() - 1);
      live -= program.size(blocks[which]);
      program.release(blocks[which]);
      blocks[which] = blocks.back();
      blocks.pop_back();
      while (live < bytes && blocks.size() < 3000) {
        add();
      }
    }
    // A few outlive their phase, and go some phases later.
    for (Recorder::Block block : blocks) {
      if (random.chance(0.01)) {
        survivors.push_back(block);
      } else {
        program.release(block);
      }
    }
    while (survivors.size() > 60) {
      const std::size_t which = random.between(0, survivors.size() - 1);
      program.release(survivors[which]);
      survivors[which] = survivors.back();
      survivors.pop_back();
    }
  }
  program.release_all(survivors);
  return program.finish();
}

Log queue_of_sizes(std::uint64_t seed) {
  Recorder program(seed);
  Random& random = program.random;
  const double low = static_cast<double>(random.scale(16 << 10, 4 << 20));
  const double high = low * static_cast<double>(random.between(4, 64));
  const std::size_t length = random.between(50, 400);
  Blocks queue;
  std::size_t head = 0;
  for (int i = 0; i < 30'000; ++i) {
    queue.push_back(program.allocate(random.scale(low, high)));
    if (queue.size() - head > length) {
      program.release(queue[head++]);
    }
  }
  while (head < queue.size()) {
    program.release(queue[head++]);
  }
  return program.finish();
}

Log mixed_images(std::uint64_t seed) {
  Recorder program(seed);
  Random& random = program.random;
  const std::size_t in_flight = random.between(3, 12);
  const std::uint64_t filters = random.between(3, 10);
  Blocks results;
  for (int image = 0; image < 3000; ++image) {
    const std::uint64_t width = 16 * random.between(20, 500);
    const std::uint64_t height = 8 * random.between(30, 700);
    const std::uint64_t pixels = width * height;
    Recorder::Block current = program.allocate(3 * pixels);
    program.temporary(pixels / 4);
    for (std::uint64_t i = 0; i < filters; ++i) {
      const Recorder::Block next = program.allocate(random.chance(0.5) ? 16 * pixels : 4 * pixels);
      program.release(current);
      program.temporary(1024 * random.between(1, 8));
      current = next;
    }
    const std::uint64_t scaled = random.between(1, 8);
    results.push_back(program.allocate(4 * pixels / scaled));
    program.release(current);
    if (results.size() > in_flight) {
      const std::size_t which = random.between(0, results.size() - 1);
      program.release(results[which]);
      results.erase(results.begin() + static_cast<std::ptrdiff_t>(which));
    }
  }
  program.release_all(results);
  return program.finish();
}

Log kept_results(std::uint64_t seed) {
  Recorder program(seed);
  Random& random = program.random;
  const std::uint64_t most = random.scale(32 << 20, 1 << 30);
  const std::uint64_t varied = most / random.between(5, 40);
  const double largest_result = static_cast<double>(most) / static_cast<double>(random.between(400, 4000));
  const std::size_t kept = random.between(50, 500);
  Blocks results;
  for (int job = 0; job < 4000; ++job) {
    const Recorder::Block workspace = program.allocate(most - random.between(0, varied));
    if (random.chance(0.3)) {
      program.temporary(random.scale(4096, static_cast<double>(most) / 100));
    }
    results.push_back(program.allocate(random.scale(64, largest_result)));
    program.release(workspace);
    if (results.size() > kept) {
      const std::size_t which = random.between(0, results.size() - 1);
      program.release(results[which]);
      results[which] = results.back();
      results.pop_back();
    }
  }
  program.release_all(results);
  return program.finish();
}

Log small_blocks(std::uint64_t seed) {
  Recorder program(seed);
  Random& random = program.random;
  const std::uint64_t live = 20'000;
  Blocks blocks;
  for (std::uint64_t i = 0; i < live; ++i) {
    blocks.push_back(program.allocate(512 * random.between(1, 8)));
  }
  for (int i = 0; i < 30'000; ++i) {
    Recorder::Block& block = blocks[random.between(0, live - 1)];
    program.release(block);
    block = program.allocate(512 * random.between(1, 8));
  }
  program.release_all(blocks);
  return program.finish();
}

}  // namespace clpool::benchmarks
