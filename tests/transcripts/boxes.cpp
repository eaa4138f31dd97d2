// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Copies, fills, maps and boxes of buffers, their parts and SVM; wrong wait lists and released memory now and then.
#include <algorithm>
#include <cstring>

#include "transcripts/place.hpp"

namespace clpool::transcripts {
namespace {

constexpr std::size_t buffer_bytes = 4096;

class Boxes {
 public:
  Boxes(const char* options, unsigned seed, Transcript& transcript)
      : place_(options), chance_(seed), transcript_(transcript), host_(buffer_bytes) {
    fill_by_number(host_);
    for (int i = 0; i < 2; ++i) {
      memory_.push_back(Mem::buffer(place_.context, host_.data(), buffer_bytes, CL_MEM_COPY_HOST_PTR));
    }
    memory_.push_back(memory_[0].sub_region(1024, 2048));
    memory_.push_back(memory_[0].sub_region(2048, 1024));
    pool_ = Pool(Allocator::immediate(place_.queue));
    memory_.push_back(pool_.allocate(buffer_bytes));
    memory_.push_back(memory_.back().sub_region(512, 3000));
    clpool_mem* svm = nullptr;
    if (clpool_svm_create(place_.context, 0, buffer_bytes, 0, place_.queue, &svm) == CLPOOL_SUCCESS) {
      memory_.emplace_back(svm);
    }
  }

  void run() {
    for (int i = 0; i < 1200; ++i) {
      step();
    }
  }

 private:
  clpool_box box() {
    clpool_box box = CLPOOL_BOX_INIT;
    box.dimensions = static_cast<std::uint32_t>(chance_.one_of(40) ? chance_.below(5) : 1 + chance_.below(3));
    box.region[0] = 1 + chance_.below(chance_.one_of(4) ? 64 : 12);
    for (int axis = 1; axis < 3; ++axis) {
      box.region[axis] = chance_.one_of(3) ? 1 : chance_.below(7);
    }
    for (std::size_t* origin : {box.source_origin, box.target_origin}) {
      for (int axis = 0; axis < 3; ++axis) {
        origin[axis] = chance_.one_of(2) ? 0 : chance_.below(axis == 0 ? 24 : 6);
      }
    }
    box.source_row_pitch = chance_.one_of(3) ? 0 : 16 + chance_.below(64);
    box.target_row_pitch = chance_.one_of(3) ? box.source_row_pitch : chance_.below(80);
    box.source_slice_pitch = chance_.one_of(2) ? 0 : box.source_row_pitch * (1 + chance_.below(8));
    box.source_slice_pitch += chance_.one_of(6) ? 1 : 0;
    box.target_slice_pitch = chance_.one_of(2) ? 0 : box.target_row_pitch * (1 + chance_.below(8));
    return box;
  }
  void step() {
    const clpool_box what = box();
    Mem& target = memory_[chance_.below(memory_.size())];
    Mem& source = memory_[chance_.below(memory_.size())];
    const cl_command_queue queue =
        place_.out_of_order != nullptr && chance_.one_of(4) ? place_.out_of_order : place_.queue;
    const std::size_t offset = chance_.below(2000);
    const std::size_t size = chance_.below(2100);
    clpool_status status = CLPOOL_SUCCESS;
    std::string text;
    const Waits waits(chance_, event_.get());
    Event event;
    cl_event* const receiver = chance_.one_of(3) ? event.receive() : nullptr;
    switch (chance_.below(6)) {
      case 0:
      case 1:
        status =
            clpool_mem_copy_box(queue, target.get(), source.get(), &what, waits.count, waits.list, receiver);
        text = "copy_box";
        break;
      case 2:
        status = clpool_mem_read_box(queue, source.get(), &what, host_.data(), host_.size(), 1, waits.count,
                                     waits.list, receiver);
        text = "read_box " + std::to_string(sum_of(host_.data(), host_.size()));
        break;
      case 3:
        fill_by_number(host_);
        status = clpool_mem_write_box(queue, target.get(), &what, host_.data(), host_.size(), 1, waits.count,
                                      waits.list, receiver);
        text = "write_box";
        break;
      case 4:
        status = clpool_mem_copy(queue, target.get(), offset, source.get(), chance_.below(2000), size,
                                 waits.count, waits.list, receiver);
        text = "copy";
        break;
      default:
        status = other(queue, target, offset, size, waits, receiver);
        text = "other";
    }
    transcript_.note(text + ' ' + std::to_string(status) + (event ? " event" : "") + content_of(target));
    if (event) {
      event_ = std::move(event);
    }
  }
  clpool_status other(cl_command_queue queue, Mem& target, std::size_t offset, std::size_t size,
                      const Waits& waits, cl_event* receiver) {
    switch (chance_.below(5)) {
      case 0: {
        const std::size_t pattern = std::size_t{1} << chance_.below(9);
        return clpool_mem_fill(queue, target.get(), host_.data(), pattern, offset / pattern * pattern,
                               size / pattern * pattern + chance_.below(2), waits.count, waits.list,
                               receiver);
      }
      case 1: {
        clpool_mem* const mems[] = {target.get(), memory_[0].get()};
        return clpool_mem_migrate(queue, mems, static_cast<std::uint32_t>(1 + chance_.below(2)), 0,
                                  waits.count, waits.list, receiver);
      }
      case 2: {
        clpool_map* map = nullptr;
        constexpr cl_map_flags flags[] = {CL_MAP_READ, CL_MAP_WRITE, CL_MAP_READ | CL_MAP_WRITE,
                                          CL_MAP_WRITE_INVALIDATE_REGION};
        const clpool_status status = clpool_mem_map(queue, target.get(), chance_.among(flags), offset, size,
                                                    1, 0, nullptr, nullptr, &map);
        if (map != nullptr) {
          std::memset(clpool_map_pointer(map), 7, std::min<std::size_t>(clpool_map_size(map), 16));
          const clpool_status unmapped =
              clpool_map_unmap(map, chance_.one_of(2) ? queue : nullptr, waits.count, waits.list, nullptr);
          const clpool_status released = clpool_map_release(map);
          return unmapped != CLPOOL_SUCCESS ? unmapped : released;
        }
        return status;
      }
      case 3:
        return dead(queue, target, waits);
      default:
        return clpool_mem_write(queue, target.get(), offset, size, host_.data(), host_.size(), 1, waits.count,
                                waits.list, receiver);
    }
  }

  /// Memory that was released already, whose handle nobody else has yet.
  clpool_status dead(cl_command_queue queue, Mem& target, const Waits& waits) {
    clpool_mem* mem = nullptr;
    clpool_mem* view = nullptr;
    const clpool_status status = chance_.one_of(2)
                                     ? clpool_svm_create(place_.context, 0, 64, 0, nullptr, &mem)
                                     : clpool_buffer_create(place_.context, 0, 64, nullptr, 0, &mem);
    if (status != CLPOOL_SUCCESS) {
      return status;
    }
    clpool_mem_release(mem);
    cl_mem root = nullptr;
    std::size_t offset = 0;
    clpool_map* map = nullptr;
    switch (chance_.below(9)) {
      case 0:
        return clpool_svm_as_buffer(mem, 0, 64, &view);
      case 1:
        return clpool_mem_sub_region(mem, 0, 32, 0, &view);
      case 2:
        return clpool_mem_root(mem, &root, &offset);
      case 3:
        return clpool_mem_map(queue, mem, CL_MAP_READ, 0, 32, 1, waits.count, waits.list, nullptr, &map);
      case 4:
        return clpool_mem_copy(queue, target.get(), 0, mem, 0, 32, waits.count, waits.list, nullptr);
      case 5:
        return clpool_mem_copy(queue, mem, 0, target.get(), 0, 32, waits.count, waits.list, nullptr);
      case 6:
        return clpool_mem_set_kernel_arg(mem, nullptr, 0);
      case 7:
        return clpool_mem_migrate(queue, &mem, 1, 0, waits.count, waits.list, nullptr);
      default: {
        const clpool_box what = box();
        return clpool_mem_copy_box(queue, target.get(), mem, &what, waits.count, waits.list, nullptr);
      }
    }
  }

  Place place_;
  Event event_;
  Chance chance_;
  Transcript& transcript_;
  Pool pool_;
  std::vector<unsigned char> host_;
  std::vector<Mem> memory_;
};

}  // namespace

void add_boxes(std::vector<Group>& groups) {
  for (unsigned i = 0; i < std::size(kinds); ++i) {
    add_program(groups, "boxes_" + std::to_string(i),
                [i](Transcript& transcript) { Boxes(kinds[i], i, transcript).run(); });
  }
}

}  // namespace clpool::transcripts
