// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Logs like those of simulations: fields on patches and levels, and the stacks of direct solvers.
#include "programs/programs.hpp"
#include "programs/recorder.hpp"

namespace clpool::benchmarks {

using Blocks = std::vector<Recorder::Block>;

Log adaptive_meshes(std::uint64_t seed) {
  struct Patch {
    std::uint64_t cells;
    Blocks fields;
  };
  Recorder program(seed);
  Random& random = program.random;
  const std::uint64_t fields = random.between(4, 9);
  const auto make = [&](std::uint64_t cells) {
    Patch patch{cells, {}};
    for (std::uint64_t i = 0; i < fields; ++i) {
      patch.fields.push_back(program.allocate(8 * cells));
    }
    return patch;
  };
  const auto draw = [&] {
    return (8 * random.between(2, 24) + 4) * (8 * random.between(2, 24) + 4) * random.between(4, 40);
  };
  std::vector<Patch> patches;
  for (int i = 0; i < 16; ++i) {
    patches.push_back(make(draw()));
  }
  double wish = 24;
  while (program.events() < 80'000) {
    for (int step = 0; step < 4; ++step) {
      for (const Patch& patch : patches) {
        const Recorder::Block left = program.allocate(8 * patch.cells);
        const Recorder::Block right = program.allocate(8 * patch.cells);
        program.temporary(8 * patch.cells / 3);
        const Recorder::Block flux = program.allocate(8 * patch.cells * 5);
        program.release(left);
        program.release(right);
        program.temporary(4096);
        program.release(flux);
      }
    }
    // Regridding: the wished number of patches walks; each new patch is there before the old ones go.
    wish = std::clamp(wish * (0.8 + 0.45 * random.part()), 8.0, 96.0);
    const std::size_t changed = patches.size() / 4 + 1;
    for (std::size_t i = 0; i < changed; ++i) {
      const std::size_t which = random.between(0, patches.size() - 1);
      Patch fresh = make(draw());
      program.release_all(patches[which].fields);
      patches[which] = fresh;
    }
    while (static_cast<double>(patches.size()) < wish) {
      patches.push_back(make(draw()));
    }
    while (static_cast<double>(patches.size()) > wish + 1) {
      const std::size_t which = random.between(0, patches.size() - 1);
      program.release_all(patches[which].fields);
      patches[which] = patches.back();
      patches.pop_back();
    }
  }
  for (Patch& patch : patches) {
    program.release_all(patch.fields);
  }
  return program.finish();
}

Log multigrid(std::uint64_t seed) {
  Recorder program(seed);
  Random& random = program.random;
  while (program.events() < 60'000) {
    // A problem of its own size, solved by some cycles; another is set up when it is done.
    const std::uint64_t side = random.between(64, 320);
    std::vector<std::uint64_t> cells;
    for (std::uint64_t s = side; s > 4; s /= 2) {
      cells.push_back((s + 2) * (s + 2) * (s + 2));
    }
    Blocks hierarchy;
    for (const std::uint64_t count : cells) {
      hierarchy.push_back(program.allocate(8 * count));
      hierarchy.push_back(program.allocate(8 * count));
      hierarchy.push_back(program.allocate(4 * count * 7));
    }
    const std::uint64_t cycles = random.between(4, 30);
    for (std::uint64_t cycle = 0; cycle < cycles; ++cycle) {
      Blocks corrections;
      for (std::size_t level = 0; level < cells.size(); ++level) {
        for (int smoothing = 0; smoothing < 3; ++smoothing) {
          program.temporary(8 * cells[level]);
        }
        const Recorder::Block residual = program.allocate(8 * cells[level]);
        corrections.push_back(program.allocate(8 * cells[std::min(level + 1, cells.size() - 1)]));
        program.release(residual);
      }
      for (std::size_t level = cells.size(); level-- > 0;) {
        const Recorder::Block interpolated = program.allocate(8 * cells[level]);
        program.release(corrections.back());
        corrections.pop_back();
        program.temporary(8 * cells[level]);
        program.release(interpolated);
      }
      program.temporary(8);
    }
    program.release_back(hierarchy);
  }
  return program.finish();
}

Log sparse_fronts(std::uint64_t seed) {
  Recorder program(seed);
  Random& random = program.random;
  while (program.events() < 60'000) {
    // A tree of fronts in postorder: a front takes in its children's contributions, leaves its own on the
    // stack, and its factors until the end.
    const int depth = static_cast<int>(random.between(7, 9));
    const double base = static_cast<double>(random.between(24, 64));
    Blocks factors;
    const auto eliminate = [&](const auto& self, int level) -> Recorder::Block {
      Blocks children;
      if (level < depth) {
        const std::uint64_t count = random.chance(0.8) ? 2 : 1;
        for (std::uint64_t i = 0; i < count; ++i) {
          children.push_back(self(self, level + 1));
        }
      }
      const double side = base * std::pow(1.5, depth - level) * (0.6 + 0.8 * random.part());
      const double pivots = side * (0.3 + 0.4 * random.part());
      const Recorder::Block front = program.allocate(static_cast<std::uint64_t>(8 * side * side));
      program.temporary(static_cast<std::uint64_t>(8 * side));
      program.release_back(children);
      factors.push_back(program.allocate(static_cast<std::uint64_t>(8 * pivots * (2 * side - pivots))));
      const Recorder::Block contribution =
          program.allocate(static_cast<std::uint64_t>(8 * (side - pivots) * (side - pivots)));
      program.release(front);
      return contribution;
    };
    program.release(eliminate(eliminate, 0));
    for (int solve = 0; solve < 4; ++solve) {
      for (const Recorder::Block factor : factors) {
        program.temporary(program.size(factor) / 64);
      }
    }
    program.release_all(factors);
  }
  return program.finish();
}

}  // namespace clpool::benchmarks
