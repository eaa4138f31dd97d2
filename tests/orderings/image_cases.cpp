// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Commands on images.
#include "orderings/orderings.hpp"

namespace clpool::test {
namespace {

const std::size_t whole[3] = {16, operand_size / 16, 1};

std::function<bool()> arrived_in(clpool_mem* target) {
  return [target] { return Scene::has(target, source_byte); };
}

Command fill(Scene& scene) {
  clpool_mem* const image = scene.image(target_byte);
  return {[=, &scene](cl_uint count, const cl_event* waits, cl_event* event) {
            const cl_uint color[4] = {source_byte, 0, 0, 0};
            return clpool_image_fill(scene.queue, image, color, sizeof color, nullptr, whole, count, waits,
                                     event);
          },
          {},
          arrived_in(image)};
}

Command read(Scene& scene) {
  clpool_mem* const image = scene.image(source_byte);
  std::vector<unsigned char>& host = scene.host(target_byte);
  const auto run = [=, &scene, &host](int32_t blocking) {
    return [=, &scene, &host](cl_uint count, const cl_event* waits, cl_event* event) {
      return clpool_image_read(scene.queue, image, nullptr, whole, 0, 0, host.data(), host.size(), blocking,
                               count, waits, event);
    };
  };
  return {run(0), run(1), [&host] { return Scene::has(host, source_byte); }};
}

Command write(Scene& scene) {
  clpool_mem* const image = scene.image(target_byte);
  std::vector<unsigned char>& host = scene.host(source_byte);
  const auto run = [=, &scene, &host](int32_t blocking) {
    return [=, &scene, &host](cl_uint count, const cl_event* waits, cl_event* event) {
      return clpool_image_write(scene.queue, image, nullptr, whole, 0, 0, host.data(), host.size(), blocking,
                                count, waits, event);
    };
  };
  return {run(0), run(1), arrived_in(image)};
}

Command copy(Scene& scene) {
  clpool_mem* const source = scene.image(source_byte);
  clpool_mem* const target = scene.image(target_byte);
  return {[=, &scene](cl_uint count, const cl_event* waits, cl_event* event) {
            return clpool_image_copy(scene.queue, target, nullptr, source, nullptr, whole, count, waits,
                                     event);
          },
          {},
          arrived_in(target)};
}

Command to_buffer(Scene& scene, Side side) {
  clpool_mem* const image = scene.image(source_byte);
  clpool_mem* const buffer = scene.memory(side, target_byte);
  return {[=, &scene](cl_uint count, const cl_event* waits, cl_event* event) {
            return clpool_image_copy_to_buffer(scene.queue, buffer, 0, image, nullptr, whole, count, waits,
                                               event);
          },
          {},
          arrived_in(buffer)};
}

Command from_buffer(Scene& scene, Side side) {
  clpool_mem* const buffer = scene.memory(side, source_byte);
  clpool_mem* const image = scene.image(target_byte);
  return {[=, &scene](cl_uint count, const cl_event* waits, cl_event* event) {
            return clpool_image_copy_from_buffer(scene.queue, image, nullptr, whole, buffer, 0, count, waits,
                                                 event);
          },
          {},
          arrived_in(image)};
}

}  // namespace

std::vector<Case> image_cases() {
  std::vector<Case> cases = {
      {"FillImage", fill}, {"ReadImage", read}, {"WriteImage", write}, {"CopyImage", copy}};
  for (const Side side : buffer_sides) {
    cases.push_back(
        {std::string("CopyImageTo") + name_of(side), [=](Scene& scene) { return to_buffer(scene, side); }});
    cases.push_back({std::string("Copy") + name_of(side) + "ToImage",
                     [=](Scene& scene) { return from_buffer(scene, side); }});
  }
  return cases;
}

}  // namespace clpool::test
