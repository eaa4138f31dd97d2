// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The list of kinds.
#include "programs/programs.hpp"

namespace clpool::benchmarks {

std::span<const ProgramKind> program_kinds() {
  static constexpr ProgramKind kinds[] = {
      {"ragged-transformer", "training steps of many batches and lengths", ragged_transformer},
      {"graph-batches", "graph networks: batches of very different graphs, numbers that are kept",
       graph_batches},
      {"expert-mixture", "training steps in which tokens go to experts in ever other shares", expert_mixture},
      {"growing-caches", "decoding with key-value caches that grow by concatenation", growing_caches},
      {"adaptive-meshes", "patches that are refined and coarsened", adaptive_meshes},
      {"multigrid", "cycles over levels, problem after problem", multigrid},
      {"sparse-fronts", "multifrontal factorizations: a stack of fronts, factors that stay", sparse_fronts},
      {"growing-arrays", "arrays that grow by half or by a constant", growing_arrays},
      {"phases", "phases of sizes of their own, of which a few blocks survive", phases_with_survivors},
      {"queue-of-sizes", "first in, first out, no two sizes alike", queue_of_sizes},
      {"mixed-images", "images of all sizes through filters", mixed_images},
      {"small-blocks", "20,000 living blocks of 512 bytes to 4 KiB", small_blocks},
      {"appended-arrays", "arrays that get a step longer each time, and nothing else", appended_arrays},
      {"kept-results", "workspaces of ever other sizes, and small results that are kept", kept_results},
  };
  return kinds;
}

}  // namespace clpool::benchmarks
