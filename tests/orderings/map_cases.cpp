// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Maps and unmaps of buffers, SVM and images.
#include "orderings/orderings.hpp"

namespace clpool::test {
namespace {

constexpr Side svm_sides[] = {Side::svm, Side::svm_part};

bool ran(const char* kind) {
  return stub_count((std::string("ran.") + kind).c_str()) != 0;
}

/// A region shows the memory's bytes once the map has run. SVM always does: there the command is counted.
bool shows(const clpool_map* map, bool is_svm) {
  return is_svm
             ? ran("map")
             : map != nullptr && *static_cast<const unsigned char*>(clpool_map_pointer(map)) == source_byte;
}

Command map(Scene& scene, Side side, bool is_svm) {
  clpool_mem* const mem = scene.memory(side, source_byte);
  OwnedMap& map = scene.maps.emplace_back();
  const auto run = [=, &scene, &map](int32_t blocking) {
    return [=, &scene, &map](cl_uint count, const cl_event* waits, cl_event* event) {
      clpool_map* out = nullptr;
      const clpool_status status = clpool_mem_map(scene.queue, mem, CL_MAP_READ, 0, CLPOOL_WHOLE_SIZE,
                                                  blocking, count, waits, event, &out);
      map.reset(out);
      return status;
    };
  };
  return {run(0), run(1), [=, &map] { return shows(map.get(), is_svm); }};
}

Command map_image(Scene& scene) {
  clpool_mem* const image = scene.image(source_byte);
  OwnedMap& map = scene.maps.emplace_back();
  const auto run = [=, &scene, &map](int32_t blocking) {
    return [=, &scene, &map](cl_uint count, const cl_event* waits, cl_event* event) {
      const std::size_t region[3] = {16, 16, 1};
      clpool_map* out = nullptr;
      const clpool_status status = clpool_image_map(scene.queue, image, CL_MAP_READ, nullptr, region,
                                                    blocking, count, waits, event, &out);
      map.reset(out);
      return status;
    };
  };
  return {run(0), run(1), [&map] { return shows(map.get(), false); }};
}

/// The host has written through the map; the memory has it when the unmap has run.
Command unmap_written(Scene& scene, clpool_mem* mem, clpool_map* map, bool is_svm) {
  scene.maps.emplace_back(map);
  std::memset(clpool_map_pointer(map), source_byte, operand_size);
  return {[&scene, map](cl_uint count, const cl_event* waits, cl_event* event) {
            return clpool_map_unmap(map, scene.queue, count, waits, event);
          },
          {},
          [=] { return is_svm ? ran("unmap") : Scene::has(mem, source_byte); }};
}

Command unmap(Scene& scene, Side side, bool is_svm) {
  clpool_mem* const mem = scene.memory(side, target_byte);
  clpool_map* map = nullptr;
  EXPECT_OK(
      clpool_mem_map(scene.queue, mem, CL_MAP_WRITE, 0, CLPOOL_WHOLE_SIZE, 1, 0, nullptr, nullptr, &map));
  return unmap_written(scene, mem, map, is_svm);
}

Command unmap_image(Scene& scene) {
  clpool_mem* const image = scene.image(target_byte);
  const std::size_t region[3] = {16, 16, 1};
  clpool_map* map = nullptr;
  EXPECT_OK(
      clpool_image_map(scene.queue, image, CL_MAP_WRITE, nullptr, region, 1, 0, nullptr, nullptr, &map));
  return unmap_written(scene, image, map, false);
}

}  // namespace

std::vector<Case> map_cases() {
  std::vector<Case> cases = {{"MapImage", map_image}, {"UnmapImage", unmap_image}};
  const auto add = [&cases](Side side, bool is_svm) {
    cases.push_back(
        {std::string("Map") + name_of(side), [=](Scene& scene) { return map(scene, side, is_svm); }});
    cases.push_back(
        {std::string("Unmap") + name_of(side), [=](Scene& scene) { return unmap(scene, side, is_svm); }});
  };
  for (const Side side : buffer_sides) {
    add(side, false);
  }
  for (const Side side : svm_sides) {
    add(side, true);
  }
  return cases;
}

}  // namespace clpool::test
