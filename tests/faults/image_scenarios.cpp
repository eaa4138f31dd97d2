// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Images: made in every way, filled, read, written, copied, mapped.
#include "faults/world.hpp"

namespace clpool::test {
namespace {

clpool_image_options plain(uint32_t dimensions) {
  clpool_image_options options = CLPOOL_IMAGE_OPTIONS_INIT;
  options.format = {CL_RGBA, CL_UNSIGNED_INT8};
  options.dimensions = dimensions;
  options.shape[0] = 16;
  options.shape[1] = dimensions > 1 ? 8 : 0;
  options.shape[2] = dimensions > 2 ? 4 : 0;
  return options;
}

/// Those of OpenCL 1.1.
clpool_status make_flat_and_solid(World& world) {
  std::size_t count = 0;
  CALL(clpool_image_formats(world.cl.context, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, nullptr, 0, &count));
  std::vector<cl_image_format> formats(count);
  CALL(clpool_image_formats(world.cl.context, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, formats.data(), count,
                            &count));
  for (const uint32_t dimensions : {2u, 3u}) {
    clpool_image_options options = plain(dimensions);
    options.flags = CL_MEM_COPY_HOST_PTR;
    options.host = world.host;
    options.host_size = sizeof world.host;
    Mem image;
    CALL(clpool_image_create(world.cl.context, &options, image.receive()));
    uint32_t found = 0;
    std::size_t shape[3] = {};
    CALL(clpool_image_shape(image, &found, shape));
    world.require(found == dimensions && shape[0] == 16, "an image has another shape");
    cl_image_format format = {};
    CALL(clpool_image_format(image, &format));
    std::size_t pitch = 0;
    CALL(clpool_image_info(image, CL_IMAGE_ROW_PITCH, sizeof pitch, &pitch, nullptr));
  }
  return CLPOOL_SUCCESS;
}

clpool_status make_others(World& world) {
  clpool_image_options options = plain(1);
  Mem line;
  CALL(clpool_image_create(world.cl.context, &options, line.receive()));
  options = plain(2);
  options.is_array = 1;
  Mem lines;
  CALL(clpool_image_create(world.cl.context, &options, lines.receive()));
  Mem buffer;
  CALL(clpool_buffer_create(world.cl.context, 0, 4096, nullptr, 0, buffer.receive()));
  options = plain(1);
  options.buffer = buffer;
  Mem over_buffer;
  CALL(clpool_image_create(world.cl.context, &options, over_buffer.receive()));
  buffer.reset();
  clpool_image_array array = CLPOOL_IMAGE_ARRAY_INIT;
  array.element = CLPOOL_ELEMENT_UINT8;
  array.channels = 3;
  array.normalized = 1;
  array.dimensions = 2;
  array.shape[0] = 4;
  array.shape[1] = 8;
  array.data = world.host;
  array.size = 96;
  Mem of_array;
  CALL(clpool_image_create_from_array(world.cl.context, &array, of_array.receive()));
  return CLPOOL_SUCCESS;
}

clpool_status make_over_a_block(World& world) {
  Allocator allocator;
  CALL(clpool_allocator_create_immediate(world.cl.queue, 0, allocator.receive()));
  Pool pool;
  CALL(clpool_pool_create(allocator, &impatient, pool.receive()));
  Mem block;
  CALL(clpool_pool_allocate(pool, 4096, block.receive()));
  clpool_image_options options = plain(2);
  options.buffer = block;
  Mem image;
  CALL(clpool_image_create(world.cl.context, &options, image.receive()));
  block.reset();
  return CLPOOL_SUCCESS;
}

clpool_status transfer_images(World& world) {
  const clpool_image_options options = plain(2);
  Mem image;
  CALL(clpool_image_create(world.cl.context, &options, image.receive()));
  Mem other;
  CALL(clpool_image_create(world.cl.context, &options, other.receive()));
  Mem buffer;
  CALL(clpool_buffer_create(world.cl.context, 0, 4096, nullptr, 0, buffer.receive()));
  const cl_event complete = world.complete_event();
  const cl_command_queue queue = world.cl.queue;
  const std::size_t region[] = {16, 8, 1};
  Event events[5];
  CALL(clpool_image_write(queue, image, nullptr, region, 0, 0, world.host, sizeof world.host, 0, 1, &complete,
                          events[0].receive()));
  CALL(clpool_image_copy(queue, other, nullptr, image, nullptr, region, 1, &complete, events[1].receive()));
  CALL(clpool_image_copy_to_buffer(queue, buffer, 0, other, nullptr, region, 1, &complete,
                                   events[2].receive()));
  CALL(clpool_image_copy_from_buffer(queue, image, nullptr, region, buffer, 0, 1, &complete,
                                     events[3].receive()));
  CALL(clpool_image_read(queue, image, nullptr, region, 0, 0, world.host, sizeof world.host, 1, 1, &complete,
                         events[4].receive()));
  const cl_uint color[4] = {1, 2, 3, 4};
  Event filled;
  CALL(clpool_image_fill(queue, image, color, sizeof color, nullptr, region, 1, &complete, filled.receive()));
  return CLPOOL_SUCCESS;
}

clpool_status map(World& world) {
  const clpool_image_options options = plain(3);
  Mem image;
  CALL(clpool_image_create(world.cl.context, &options, image.receive()));
  const cl_event complete = world.complete_event();
  const std::size_t region[] = {4, 4, 2};
  {
    Map map;
    Event mapped;
    CALL(clpool_image_map(world.cl.queue, image, CL_MAP_READ, nullptr, region, 0, 1, &complete,
                          mapped.receive(), map.receive()));
    Event unmapped;
    CALL(clpool_map_unmap(map, nullptr, 1, &complete, unmapped.receive()));
  }
  Map kept;
  CALL(clpool_image_map(world.second, image, CL_MAP_WRITE, nullptr, region, 1, 0, nullptr, nullptr,
                        kept.receive()));
  image.reset();
  return CLPOOL_SUCCESS;
}

}  // namespace

std::vector<Scenario> image_scenarios() {
  return {{"ImagesFlatAndSolid", make_flat_and_solid},
          {"ImagesOfOtherKinds", make_others},
          {"ImagesOverBlocks", make_over_a_block},
          {"ImageTransfers", transfer_images},
          {"ImageMaps", map}};
}

}  // namespace clpool::test
