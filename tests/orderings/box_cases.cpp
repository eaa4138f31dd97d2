// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Boxes of bytes.
#include "orderings/orderings.hpp"

namespace clpool::test {
namespace {

constexpr Side sides[] = {Side::buffer, Side::part, Side::pooled};

/// The whole of an operand as 4 slices of 4 rows of 16 bytes.
clpool_box whole() {
  clpool_box box = CLPOOL_BOX_INIT;
  box.region[0] = 16;
  box.region[1] = 4;
  box.region[2] = operand_size / 64;
  return box;
}

Command copy_box(Scene& scene, clpool_mem* source, clpool_mem* target) {
  return {[=, &scene](cl_uint count, const cl_event* waits, cl_event* event) {
            const clpool_box box = whole();
            return clpool_mem_copy_box(scene.queue, target, source, &box, count, waits, event);
          },
          {},
          [target] { return Scene::has(target, source_byte); }};
}

Command between(Scene& scene, Side from, Side to) {
  clpool_mem* const source = scene.memory(from, source_byte);
  return copy_box(scene, source, scene.memory(to, target_byte));
}

/// Row by row, as PoCL needs it for two parts of one buffer.
Command by_rows(Scene& scene) {
  const auto [source, target] = scene.two_parts();
  stub_configure("name=Portable Computing Language");
  return copy_box(scene, source, target);
}

Command read_box(Scene& scene, Side side) {
  clpool_mem* const source = scene.memory(side, source_byte);
  std::vector<unsigned char>& host = scene.host(target_byte);
  const auto run = [=, &scene, &host](int32_t blocking) {
    return [=, &scene, &host](cl_uint count, const cl_event* waits, cl_event* event) {
      const clpool_box box = whole();
      return clpool_mem_read_box(scene.queue, source, &box, host.data(), host.size(), blocking, count, waits,
                                 event);
    };
  };
  return {run(0), run(1), [&host] { return Scene::has(host, source_byte); }};
}

Command write_box(Scene& scene, Side side) {
  clpool_mem* const target = scene.memory(side, target_byte);
  std::vector<unsigned char>& host = scene.host(source_byte);
  const auto run = [=, &scene, &host](int32_t blocking) {
    return [=, &scene, &host](cl_uint count, const cl_event* waits, cl_event* event) {
      const clpool_box box = whole();
      return clpool_mem_write_box(scene.queue, target, &box, host.data(), host.size(), blocking, count, waits,
                                  event);
    };
  };
  return {run(0), run(1), [target] { return Scene::has(target, source_byte); }};
}

}  // namespace

std::vector<Case> box_cases() {
  std::vector<Case> cases = {{"CopyBoxByRows", by_rows}};
  for (const Side side : sides) {
    cases.push_back(
        {std::string("ReadBox") + name_of(side), [=](Scene& scene) { return read_box(scene, side); }});
    cases.push_back(
        {std::string("WriteBox") + name_of(side), [=](Scene& scene) { return write_box(scene, side); }});
    for (const Side to : sides) {
      cases.push_back({std::string("CopyBox") + name_of(side) + "To" + name_of(to),
                       [=](Scene& scene) { return between(scene, side, to); }});
    }
  }
  return cases;
}

}  // namespace clpool::test
