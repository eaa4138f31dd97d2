// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Images of all shapes and formats, and their transfers.
#include <algorithm>
#include <cstring>

#include "transcripts/place.hpp"

namespace clpool::transcripts {
namespace {

class Images {
 public:
  Images(const char* options, unsigned seed, Transcript& transcript)
      : place_(options), chance_(seed), transcript_(transcript), host_(1 << 16) {
    fill_by_number(host_);
    buffer_ = Mem::buffer(place_.context, host_.data(), 1 << 14, CL_MEM_COPY_HOST_PTR);
  }

  void run() {
    for (int i = 0; i < 1000; ++i) {
      if (images_.empty() || chance_.one_of(6)) {
        make();
      } else {
        step();
      }
    }
  }

 private:
  void make() {
    clpool_mem* made = nullptr;
    clpool_status status = CLPOOL_SUCCESS;
    if (chance_.one_of(4)) {
      clpool_image_array array = CLPOOL_IMAGE_ARRAY_INIT;
      array.dimensions =
          static_cast<std::uint32_t>(chance_.one_of(20) ? chance_.below(6) : 1 + chance_.below(3));
      std::size_t items = 1;
      for (std::uint32_t axis = 0; axis < std::min(array.dimensions, 3u); ++axis) {
        array.shape[axis] = chance_.one_of(20) ? 0 : 1 + chance_.below(9);
        items *= array.shape[axis];
      }
      array.element = static_cast<std::uint32_t>(chance_.below(10));
      array.channels =
          static_cast<std::uint32_t>(chance_.one_of(10) ? chance_.below(6) : 1 + chance_.below(4));
      array.normalized = chance_.one_of(3) ? 1 : 0;
      array.access = chance_.one_of(2) ? CL_MEM_READ_ONLY : CL_MEM_READ_WRITE;
      array.data = host_.data();
      array.size = chance_.one_of(4) ? items : items * array.channels << chance_.below(3);
      status = clpool_image_create_from_array(place_.context, &array, &made);
    } else {
      const clpool_image_options options = image();
      status = clpool_image_create(place_.context, &options, &made);
    }
    if (made != nullptr) {
      if (images_.size() == 6) {
        images_.erase(images_.begin() + static_cast<std::ptrdiff_t>(chance_.below(6)));
      }
      images_.emplace_back(made);
    }
    transcript_.note("make " + std::to_string(status));
  }
  clpool_image_options image() {
    constexpr cl_image_format formats[] = {{CL_RGBA, CL_UNSIGNED_INT8}, {CL_R, CL_FLOAT},
                                           {CL_RGBA, CL_FLOAT},         {CL_RG, CL_UNSIGNED_INT16},
                                           {CL_R, CL_UNORM_INT8},       {CL_RGB, CL_UNORM_SHORT_565},
                                           {CL_DEPTH, CL_FLOAT},        {CL_RGBA, CL_HALF_FLOAT}};
    clpool_image_options options = CLPOOL_IMAGE_OPTIONS_INIT;
    options.format = chance_.among(formats);
    options.dimensions =
        static_cast<std::uint32_t>(chance_.one_of(20) ? chance_.below(5) : 1 + chance_.below(3));
    options.is_array = chance_.one_of(3) ? 1 : 0;
    for (std::size_t& extent : options.shape) {
      extent = chance_.one_of(30) ? chance_.below(100'000) : 1 + chance_.below(9);
    }
    options.flags = chance_.one_of(10) ? chance_.below(64) : CL_MEM_READ_WRITE;
    if (chance_.one_of(3)) {
      options.flags |= chance_.one_of(3) ? CL_MEM_USE_HOST_PTR : CL_MEM_COPY_HOST_PTR;
      options.host = host_.data();
      options.host_size = chance_.one_of(4) ? chance_.below(2000) : host_.size();
      options.row_pitch = chance_.one_of(2) ? 0 : 4 * chance_.below(60);
      options.slice_pitch = chance_.one_of(2) ? 0 : options.row_pitch * chance_.below(12);
      options.slice_pitch += chance_.one_of(4) ? 1 : 0;
    } else if (chance_.one_of(8)) {
      options.buffer = buffer_.get();
      options.row_pitch = chance_.one_of(2) ? 0 : 64 * chance_.below(4);
    }
    return options;
  }
  void step() {
    Mem& image = images_[chance_.below(images_.size())];
    Mem& other = images_[chance_.below(images_.size())];
    std::size_t origin[3] = {}, elsewhere[3] = {}, region[3] = {};
    for (int axis = 0; axis < 3; ++axis) {
      origin[axis] = chance_.one_of(3) ? chance_.below(4) : 0;
      elsewhere[axis] = chance_.one_of(3) ? chance_.below(4) : 0;
      region[axis] = chance_.one_of(3) ? 1 : chance_.below(9);
    }
    const std::size_t row = chance_.one_of(2) ? 0 : chance_.below(200);
    std::size_t slice = chance_.one_of(2) ? 0 : row * chance_.below(10);
    slice += chance_.one_of(4) ? 1 : 0;
    const std::size_t* const whole = chance_.one_of(3) ? nullptr : region;
    const std::size_t size = chance_.one_of(5) ? chance_.below(3000) : host_.size();
    const cl_command_queue queue = place_.queue;
    clpool_status status = CLPOOL_SUCCESS;
    const Waits waits(chance_, nullptr);
    const std::size_t which = chance_.below(8);
    switch (which) {
      case 0:
        status = clpool_image_read(queue, image.get(), origin, whole, row, slice, host_.data(), size, 1,
                                   waits.count, waits.list, nullptr);
        break;
      case 1:
        fill_by_number(host_);
        status = clpool_image_write(queue, image.get(), origin, whole, row, slice, host_.data(), size, 1,
                                    waits.count, waits.list, nullptr);
        break;
      case 2:
        status = clpool_image_copy(queue, image.get(), origin, other.get(), elsewhere, whole, waits.count,
                                   waits.list, nullptr);
        break;
      case 3:
        status = clpool_image_copy_to_buffer(queue, buffer_.get(), row, image.get(), origin, whole,
                                             waits.count, waits.list, nullptr);
        break;
      case 4:
        status = clpool_image_copy_from_buffer(queue, image.get(), origin, whole, buffer_.get(), row,
                                               waits.count, waits.list, nullptr);
        break;
      case 5:
        status = clpool_image_fill(queue, image.get(), host_.data(), 16, origin, whole, waits.count,
                                   waits.list, nullptr);
        break;
      case 6: {
        clpool_map* map = nullptr;
        status = clpool_image_map(queue, image.get(), CL_MAP_READ | CL_MAP_WRITE, origin, whole, 1,
                                  waits.count, waits.list, nullptr, &map);
        if (map != nullptr) {
          const std::string pitches =
              std::to_string(clpool_map_row_pitch(map)) + ' ' + std::to_string(clpool_map_slice_pitch(map));
          transcript_.note("map " + pitches + ' ' + std::to_string(clpool_map_size(map)));
          status = clpool_map_release(map);
        }
        break;
      }
      default:
        ask(image);
    }
    transcript_.note(std::to_string(which) + ' ' + std::to_string(status) + ' ' +
                     std::to_string(sum_of(host_.data(), host_.size())) + content_of(buffer_));
  }
  void ask(const Mem& image) {
    std::uint32_t dimensions = 0;
    std::size_t shape[3] = {};
    clpool_image_shape(image.get(), &dimensions, shape);
    std::uint64_t number = 0;
    std::string text = std::to_string(dimensions) + ' ' + std::to_string(shape[0]) + ' ' +
                       std::to_string(shape[1]) + ' ' + std::to_string(shape[2]);
    for (const cl_uint name :
         {CL_IMAGE_ELEMENT_SIZE, CL_IMAGE_ROW_PITCH, CL_IMAGE_SLICE_PITCH, CL_IMAGE_ARRAY_SIZE,
          CL_IMAGE_NUM_SAMPLES, CL_MEM_SIZE, CL_MEM_FLAGS, CL_MEM_TYPE, 1}) {
      text += ' ' + std::to_string(clpool_mem_info_number(image.get(), name, &number)) + ' ' +
              std::to_string(number);
    }
    transcript_.note(text);
  }

  Place place_;
  Chance chance_;
  Transcript& transcript_;
  std::vector<unsigned char> host_;  // before what may use it
  Mem buffer_;
  std::vector<Mem> images_;
};

}  // namespace

void add_images(std::vector<Group>& groups) {
  for (unsigned i = 0; i < std::size(kinds); ++i) {
    add_program(groups, "images_" + std::to_string(i),
                [i](Transcript& transcript) { Images(kinds[i], i, transcript).run(); });
  }
}

}  // namespace clpool::transcripts
