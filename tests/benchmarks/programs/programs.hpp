// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Programs that make allocation logs: each kind allocates as programs of its sort do, with sizes and lengths
// drawn from a seed. The same seed makes the same log everywhere.
#pragma once

#include <cstdint>
#include <span>

#include "logs.hpp"

namespace clpool::benchmarks {

struct ProgramKind {
  const char* name;
  const char* what;
  Log (*make)(std::uint64_t seed);
};

/// All kinds.
std::span<const ProgramKind> program_kinds();

// Learning: learning.cpp.
Log ragged_transformer(std::uint64_t seed);
Log graph_batches(std::uint64_t seed);
Log expert_mixture(std::uint64_t seed);
Log growing_caches(std::uint64_t seed);

// Simulation: simulation.cpp.
Log adaptive_meshes(std::uint64_t seed);
Log multigrid(std::uint64_t seed);
Log sparse_fronts(std::uint64_t seed);

// Data of many sizes: data.cpp.
Log growing_arrays(std::uint64_t seed);
Log phases_with_survivors(std::uint64_t seed);
Log queue_of_sizes(std::uint64_t seed);
Log mixed_images(std::uint64_t seed);
Log small_blocks(std::uint64_t seed);
Log appended_arrays(std::uint64_t seed);
Log kept_results(std::uint64_t seed);

}  // namespace clpool::benchmarks
