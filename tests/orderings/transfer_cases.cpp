// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Fills, copies, reads and writes.
#include "orderings/orderings.hpp"

namespace clpool::test {
namespace {

constexpr Side device_sides[] = {Side::buffer, Side::part, Side::pooled, Side::svm, Side::svm_part};
constexpr Side all_sides[] = {Side::buffer, Side::part,     Side::pooled,
                              Side::svm,    Side::svm_part, Side::pinned};

Command fill(Scene& scene, Side side) {
  clpool_mem* const target = scene.memory(side, target_byte);
  return {[&scene, target](cl_uint count, const cl_event* waits, cl_event* event) {
            return clpool_mem_fill(scene.queue, target, &source_byte, 1, 0, CLPOOL_WHOLE_SIZE, count, waits,
                                   event);
          },
          {},
          [target] { return Scene::has(target, source_byte); }};
}

Command copy(Scene& scene, Side from, Side to) {
  clpool_mem* const source = scene.memory(from, source_byte);
  clpool_mem* const target = scene.memory(to, target_byte);
  return {[=, &scene](cl_uint count, const cl_event* waits, cl_event* event) {
            return clpool_mem_copy(scene.queue, target, 0, source, 0, operand_size, count, waits, event);
          },
          {},
          [target] { return Scene::has(target, source_byte); }};
}

Command read(Scene& scene, Side side) {
  clpool_mem* const source = scene.memory(side, source_byte);
  std::vector<unsigned char>& host = scene.host(target_byte);
  const auto run = [=, &scene, &host](int32_t blocking) {
    return [=, &scene, &host](cl_uint count, const cl_event* waits, cl_event* event) {
      return clpool_mem_read(scene.queue, source, 0, operand_size, host.data(), host.size(), blocking, count,
                             waits, event);
    };
  };
  return {run(0), run(1), [&host] { return Scene::has(host, source_byte); }};
}

Command write(Scene& scene, Side side) {
  clpool_mem* const target = scene.memory(side, target_byte);
  std::vector<unsigned char>& host = scene.host(source_byte);
  const auto run = [=, &scene, &host](int32_t blocking) {
    return [=, &scene, &host](cl_uint count, const cl_event* waits, cl_event* event) {
      return clpool_mem_write(scene.queue, target, 0, operand_size, host.data(), host.size(), blocking, count,
                              waits, event);
    };
  };
  return {run(0), run(1), [target] { return Scene::has(target, source_byte); }};
}

/// Between contexts, which is between devices where it matters.
Command copy_p2p(Scene& scene) {
  stub_configure("with=cl_amd_copy_buffer_p2p");
  clpool_mem* const source = scene.memory(Side::buffer, source_byte);
  clpool_mem* const target = scene.memory(Side::buffer, target_byte);
  return {[=, &scene](cl_uint count, const cl_event* waits, cl_event* event) {
            return clpool_mem_copy_p2p(scene.queue, target, 0, source, 0, CLPOOL_WHOLE_SIZE, count, waits,
                                       event);
          },
          {},
          [target] { return Scene::has(target, source_byte); }};
}

}  // namespace

std::vector<Case> transfer_cases() {
  std::vector<Case> cases = {{"CopyP2p", copy_p2p}};
  for (const Side side : device_sides) {
    cases.push_back({std::string("Fill") + name_of(side), [=](Scene& scene) { return fill(scene, side); }});
    cases.push_back({std::string("Read") + name_of(side), [=](Scene& scene) { return read(scene, side); }});
    cases.push_back({std::string("Write") + name_of(side), [=](Scene& scene) { return write(scene, side); }});
  }
  for (const Side from : all_sides) {
    for (const Side to : all_sides) {
      if (from != Side::pinned || to != Side::pinned) {  // no device has a part in that
        cases.push_back({std::string("Copy") + name_of(from) + "To" + name_of(to),
                         [=](Scene& scene) { return copy(scene, from, to); }});
      }
    }
  }
  return cases;
}

}  // namespace clpool::test
