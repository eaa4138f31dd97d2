// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Logs like those of learning: what a step needs depends on the data of the step.
#include "programs/programs.hpp"
#include "programs/recorder.hpp"

namespace clpool::benchmarks {
namespace {

using Blocks = std::vector<Recorder::Block>;

/// What stays for the whole run: weights, and two moments of each.
void allocate_weights(Recorder& program, Blocks& weights, std::uint64_t layers, std::uint64_t width) {
  for (std::uint64_t layer = 0; layer < layers; ++layer) {
    for (const std::uint64_t parameters : {3 * width * width, width * width, 4 * width * width, 4 * width}) {
      for (int copy = 0; copy < 3; ++copy) {
        weights.push_back(program.allocate(4 * parameters));
      }
    }
  }
}

}  // namespace

Log ragged_transformer(std::uint64_t seed) {
  Recorder program(seed);
  Random& random = program.random;
  const std::uint64_t layers = random.between(6, 16);
  const std::uint64_t width = 64 * random.between(6, 20);
  const std::uint64_t heads = width / 64;
  Blocks weights;
  allocate_weights(program, weights, layers, width);
  Blocks metrics;
  for (int step = 0; step < 60; ++step) {
    const std::uint64_t batch = random.between(2, 16);
    const std::uint64_t length = 8 * random.between(8, 128);
    const std::uint64_t tokens = batch * length;
    Blocks saved;
    Blocks gradients;
    for (std::uint64_t layer = 0; layer < layers; ++layer) {
      saved.push_back(program.allocate(2 * tokens * width));
      saved.push_back(program.allocate(2 * tokens * 3 * width));
      const Recorder::Block scores = program.allocate(2 * batch * heads * length * length);
      program.temporary(4 * batch * heads * length);
      saved.push_back(program.allocate(2 * batch * heads * length * length));
      program.release(scores);
      saved.push_back(program.allocate(2 * tokens * width));
      saved.push_back(program.allocate(8 * tokens));
      const Recorder::Block hidden = program.allocate(2 * tokens * 4 * width);
      saved.push_back(program.allocate(2 * tokens * 4 * width));
      program.release(hidden);
    }
    const Recorder::Block logits = program.allocate(4 * tokens * 8192);
    Recorder::Block above = program.allocate(2 * tokens * width);
    program.release(logits);
    for (std::uint64_t layer = layers; layer-- > 0;) {
      for (int i = 0; i < 6; ++i) {
        const Recorder::Block block = saved.back();
        saved.pop_back();
        program.temporary(program.size(block));
        program.release(block);
      }
      gradients.push_back(program.allocate(4 * 3 * width * width));
      gradients.push_back(program.allocate(4 * 5 * width * width));
      const Recorder::Block below = program.allocate(2 * tokens * width);
      program.release(above);
      above = below;
    }
    program.release(above);
    metrics.push_back(program.allocate(4));
    if (step % 20 == 19) {
      program.release_all(metrics);
    }
    program.release_all(gradients);
  }
  program.release_all(metrics);
  program.release_all(weights);
  return program.finish();
}

Log graph_batches(std::uint64_t seed) {
  Recorder program(seed);
  Random& random = program.random;
  const std::uint64_t width = 32 * random.between(2, 8);
  const std::uint64_t layers = random.between(3, 8);
  Blocks weights;
  allocate_weights(program, weights, layers, width);
  Blocks kept;
  for (int batch = 0; batch < 300; ++batch) {
    const std::uint64_t nodes = random.scale(20'000, 400'000);
    const std::uint64_t edges = nodes * random.between(4, 24);
    Blocks saved;
    Blocks gradients;
    saved.push_back(program.allocate(16 * edges));
    saved.push_back(program.allocate(4 * nodes * width));
    for (std::uint64_t layer = 0; layer < layers; ++layer) {
      const Recorder::Block gathered = program.allocate(4 * edges * width);
      saved.push_back(program.allocate(4 * edges * width / 4));
      program.temporary(4 * edges);
      saved.push_back(program.allocate(4 * nodes * width));
      program.release(gathered);
      saved.push_back(program.allocate(4 * nodes));
      // A number here and there that somebody keeps.
      if (random.chance(0.05)) {
        kept.push_back(program.allocate(random.between(4, 40'000)));
      }
    }
    while (!saved.empty()) {
      const Recorder::Block block = saved.back();
      saved.pop_back();
      program.temporary(program.size(block));
      if (random.chance(0.3)) {
        gradients.push_back(program.allocate(4 * width * width));
      }
      program.release(block);
    }
    program.release_all(gradients);
    while (kept.size() > 40) {
      const std::size_t which = random.between(0, kept.size() - 1);
      program.release(kept[which]);
      kept[which] = kept.back();
      kept.pop_back();
    }
  }
  program.release_all(kept);
  program.release_all(weights);
  return program.finish();
}

Log expert_mixture(std::uint64_t seed) {
  Recorder program(seed);
  Random& random = program.random;
  const std::uint64_t layers = random.between(4, 8);
  const std::uint64_t experts = random.between(4, 16);
  const std::uint64_t width = 64 * random.between(4, 12);
  Blocks weights;
  for (std::uint64_t i = 0; i < layers * experts * 2; ++i) {
    weights.push_back(program.allocate(2 * 4 * width * width));
  }
  for (int step = 0; step < 60; ++step) {
    const std::uint64_t tokens = 256 * random.between(8, 64);
    Blocks saved;
    for (std::uint64_t layer = 0; layer < layers; ++layer) {
      saved.push_back(program.allocate(2 * tokens * width));
      saved.push_back(program.allocate(4 * tokens * experts));
      std::uint64_t left = 2 * tokens;
      Blocks outputs;
      for (std::uint64_t expert = 0; expert < experts; ++expert) {
        const std::uint64_t share =
            expert + 1 == experts ? left : random.between(0, 2 * left / (experts - expert));
        left -= std::min(share, left);
        saved.push_back(program.allocate(4 * share));
        saved.push_back(program.allocate(2 * share * width));
        saved.push_back(program.allocate(2 * share * 4 * width));
        outputs.push_back(program.allocate(2 * share * width));
      }
      saved.push_back(program.allocate(2 * tokens * width));
      program.release_all(outputs);
    }
    while (!saved.empty()) {
      program.temporary(program.size(saved.back()));
      program.release(saved.back());
      saved.pop_back();
    }
  }
  program.release_all(weights);
  return program.finish();
}

Log growing_caches(std::uint64_t seed) {
  struct Sequence {
    std::uint64_t length;
    std::uint64_t end;
    Blocks caches;
  };
  Recorder program(seed);
  Random& random = program.random;
  const std::uint64_t layers = random.between(4, 12);
  const std::uint64_t width = 128 * random.between(2, 8);
  const std::uint64_t page = random.chance(0.5) ? 1 : 16;  // positions by which a cache grows
  const std::size_t most = random.between(4, 16);
  std::vector<Sequence> sequences;
  Blocks weights;
  for (std::uint64_t i = 0; i < layers; ++i) {
    weights.push_back(program.allocate(2 * 12 * width * width));
  }
  while (program.events() < 100'000) {
    while (sequences.size() < most && random.chance(0.5)) {
      const std::uint64_t prompt = random.scale(16, 1024);
      Sequence& sequence = sequences.emplace_back(Sequence{prompt, prompt + random.between(8, 160), {}});
      for (std::uint64_t layer = 0; layer < layers; ++layer) {
        program.temporary(2 * prompt * 4 * width);
        sequence.caches.push_back(program.allocate(4 * (prompt + page - 1) / page * page * width));
      }
    }
    for (Sequence& sequence : sequences) {
      ++sequence.length;
      for (Recorder::Block& cache : sequence.caches) {
        program.temporary(2 * 4 * width);
        if (sequence.length % page == 0) {
          const Recorder::Block longer = program.allocate(4 * (sequence.length + page) * width);
          program.release(cache);
          cache = longer;
        }
        program.temporary(4 * sequence.length * 16);
      }
    }
    std::erase_if(sequences, [&](Sequence& sequence) {
      const bool ends = sequence.length >= sequence.end;
      if (ends) {
        program.release_all(sequence.caches);
      }
      return ends;
    });
  }
  for (Sequence& sequence : sequences) {
    program.release_all(sequence.caches);
  }
  program.release_all(weights);
  return program.finish();
}

}  // namespace clpool::benchmarks
