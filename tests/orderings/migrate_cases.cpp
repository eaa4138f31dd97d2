// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Migration, which memory does not show: the commands that ran are counted.
#include "orderings/orderings.hpp"

namespace clpool::test {
namespace {

/// `commands` is how many of OpenCL's it takes: one for whole objects, one for roots of parts, one for SVM.
Command migrate(Scene& scene, const std::vector<Side>& sides, std::uint64_t commands) {
  std::vector<clpool_mem*> mems;
  for (const Side side : sides) {
    mems.push_back(scene.memory(side, source_byte));
  }
  const std::uint64_t before = stub_count("ran.migrate");
  return {[=, &scene](cl_uint count, const cl_event* waits, cl_event* event) {
            return clpool_mem_migrate(scene.queue, mems.data(), static_cast<uint32_t>(mems.size()), 0, count,
                                      waits, event);
          },
          {},
          [=] { return stub_count("ran.migrate") - before == commands; }};
}

}  // namespace

std::vector<Case> migrate_cases() {
  return {
      {"MigrateBuffer", [](Scene& scene) { return migrate(scene, {Side::buffer}, 1); }},
      {"MigratePart", [](Scene& scene) { return migrate(scene, {Side::part}, 1); }},
      {"MigrateSvm", [](Scene& scene) { return migrate(scene, {Side::svm}, 1); }},
      {"MigrateBufferAndPart",
       [](Scene& scene) {
         return migrate(scene, {Side::buffer, Side::part}, 2);
       }},
      {"MigratePartAndSvm",
       [](Scene& scene) {
         return migrate(scene, {Side::part, Side::svm}, 2);
       }},
      {"MigrateAllKinds",
       [](Scene& scene) {
         return migrate(scene, {Side::svm, Side::part, Side::buffer}, 3);
       }},
  };
}

}  // namespace clpool::test
