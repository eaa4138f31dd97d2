// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Programs whose arguments are mostly right: boxes of buffers, images, and guarded pools of which blocks are misused.
#include "transcripts/typical.hpp"

#include <algorithm>
#include <cstring>
#include <initializer_list>

namespace clpool::transcripts {

Place::Place(const std::string& options) : stub(options.c_str()) {
  device = fuzz::stub_device();
  context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, nullptr);
  queue = clCreateCommandQueue(context, device, 0, nullptr);
  out_of_order = clCreateCommandQueue(context, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, nullptr);
}

Place::~Place() {
  for (int i = 0; i < 4; ++i) {
    fuzz::call_later();
  }
  if (out_of_order != nullptr) {
    clReleaseCommandQueue(out_of_order);
  }
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
}

namespace {

constexpr std::size_t buffer_bytes = 4096;

std::uint64_t sum_of(const unsigned char* bytes, std::size_t size) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < size; ++i) {
    sum = sum * 0x100000001b3 + bytes[i];
  }
  return sum;
}

/// Mostly none; now and then one that is wrong, or an event.
struct Waits {
  Waits(Chance& chance, cl_event event) {
    const std::size_t which = chance.below(60);
    count = which < 4 ? 1 : which == 4 ? 0 : which < 12 && event != nullptr ? 1 : 0;
    events[0] = which < 2 ? nullptr : event;
    list = which == 2 || which == 3 ? nullptr : count != 0 || which == 4 ? events : nullptr;
  }
  cl_uint count;
  const cl_event* list;
  cl_event events[1] = {};
};

/// What is in memory; sub-regions and views show as a part of what they are of.
std::string content_of(const Mem& mem) {
  const auto* const bytes =
      mem.pointer() != nullptr ? static_cast<const unsigned char*>(mem.pointer()) : stub_memory(mem.handle());
  return ' ' + std::to_string(sum_of(bytes, mem.size()));
}

void fill_by_number(std::vector<unsigned char>& bytes) {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<unsigned char>(i * 37 + i / 256);
  }
}

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
      case 4:
        return dead(queue, target, waits);
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
      default:
        return clpool_mem_write(queue, target.get(), offset, size, host_.data(), host_.size(), 1, waits.count,
                                waits.list, receiver);
    }
  }

  /// Memory that was released already, whose handle nobody else has yet.
  clpool_status dead(cl_command_queue queue, Mem& target, const Waits& waits) {
    clpool_mem* mem = nullptr;
    clpool_mem* view = nullptr;
    clpool_status status = chance_.one_of(2) ? clpool_svm_create(place_.context, 0, 64, 0, nullptr, &mem)
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
  std::vector<Mem> memory_;  // parts before what they are of: released from the back
};

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

class Guarded {
 public:
  Guarded(unsigned seed, Transcript& transcript)
      : place_("mode=immediate"), chance_(seed), transcript_(transcript), queue_(place_.queue) {
    clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
    options.name = "guarded";
    options.guard = CLPOOL_GUARD_ON;
    options.strategy = seed % 2 == 0 ? CLPOOL_STRATEGY_COALESCING : CLPOOL_STRATEGY_BINNED;
    options.queues = &queue_;
    options.queue_count = 1;
    options.wait_ns = 1;
    options.max_bytes = seed % 5 == 4 ? 1 << 20 : 0;
    const bool has_addresses = seed % 3 == 1;
    pool_ = Pool(has_addresses   ? Allocator::svm(place_.context, 0, 0, place_.queue)
                 : seed % 3 == 2 ? Allocator::pinned(place_.queue)
                                 : Allocator::immediate(place_.queue),
                 options);
  }

  void run() {
    for (int i = 0; i < 600; ++i) {
      step();
      transcript_.note(pool_, told_);
    }
  }

 private:
  struct Block {
    clpool_mem* mem;
    cl_mem root;
    std::size_t offset;
    unsigned char* pointer;
    std::size_t size;
  };
  void step() {
    switch (chance_.below(12)) {
      case 0:
      case 1:
      case 2:
      case 3:
        return allocate();
      case 4:
      case 5:
      case 6:
      case 7:
        return release();
      case 8:
        return write_where_nobody_may();
      case 9:
        return use();
      case 10:
        return tell(clpool_mem_release(released_.empty() ? nullptr : released_.back().mem));
      default:
        return give_back();
    }
  }
  void tell(std::int64_t number) { told_ = std::to_string(number); }
  void allocate() {
    const std::size_t size =
        chance_.one_of(8) ? std::size_t{1} << (10 + chance_.below(11)) : 1 + chance_.below(3000);
    Block block = {nullptr, nullptr, 0, nullptr, size};
    const clpool_status status = clpool_pool_allocate(pool_.get(), size, &block.mem);
    if (status == CLPOOL_SUCCESS) {
      clpool_mem_root(block.mem, &block.root, &block.offset);
      block.pointer = static_cast<unsigned char*>(clpool_mem_pointer(block.mem));
      clpool_mem_set_tag(block.mem, chance_.below(100));
      if (block.root != nullptr) {
        clRetainMemObject(block.root);  // it is written when the pool may have given it back
      }
      blocks_.push_back(block);
    }
    tell(status);
  }
  void release() {
    if (blocks_.empty()) {
      return tell(-1);
    }
    const std::size_t which = chance_.below(blocks_.size());
    const Block block = blocks_[which];
    blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(which));
    tell(chance_.one_of(4) ? clpool_mem_release_idle(block.mem) : clpool_mem_release(block.mem));
    released_.push_back(block);
    if (released_.size() > 20) {
      forget(released_.front());
      released_.erase(released_.begin());
    }
  }
  static void forget(const Block& block) {
    if (block.root != nullptr) {
      clReleaseMemObject(block.root);
    }
  }
  /// Beyond the end of a block, or into one that was released.
  void write_where_nobody_may() {
    std::vector<Block>& all = chance_.one_of(2) ? blocks_ : released_;
    if (all.empty() || chance_.one_of(2)) {
      return tell(-1);
    }
    const Block& block = all[chance_.below(all.size())];
    const std::size_t at = &all == &blocks_ ? block.size + chance_.below(8) : chance_.below(block.size);
    if (block.pointer != nullptr) {
      if (&all == &blocks_) {
        block.pointer[at] = 1;
      }
    } else {
      const unsigned char byte = 1;
      tell(clEnqueueWriteBuffer(place_.queue, block.root, CL_TRUE, block.offset + at, 1, &byte, 0, nullptr,
                                nullptr));
    }
  }
  void use() {
    if (blocks_.empty()) {
      return tell(-1);
    }
    const Block& block = blocks_[chance_.below(blocks_.size())];
    const unsigned char byte = 3;
    tell(clpool_mem_fill(place_.queue, block.mem, &byte, 1, 0, block.size, 0, nullptr, nullptr));
  }
  void give_back() {
    switch (chance_.below(8)) {
      case 0:
        return pool_.free_held();
      case 1:
        return pool_.trim(1 << 16);
      default:
        return pool_.tick();
    }
  }

  Place place_;
  Chance chance_;
  Transcript& transcript_;
  cl_command_queue queue_;
  Pool pool_;
  std::vector<Block> blocks_, released_;
  std::string told_;

 public:
  ~Guarded() {
    for (const Block& block : blocks_) {
      clpool_mem_release(block.mem);
      forget(block);
    }
    for (const Block& block : released_) {
      forget(block);
    }
  }
};

constexpr const char* kinds[] = {"mode=immediate",
                                 "mode=immediate,nvidia=1,align=512",
                                 "mode=immediate,version=1.2,svm=none",
                                 "mode=immediate,version=1.1,svm=none",
                                 "mode=immediate,version=2.0,svm=fine,out_of_order=0",
                                 "mode=immediate,name=Portable Computing Language"};

}  // namespace

void add_typical(std::vector<Group>& groups) {
  for (unsigned i = 0; i < std::size(kinds); ++i) {
    Group& boxes = groups.emplace_back(Group{"boxes_" + std::to_string(i), {}});
    boxes.programs.push_back(
        {boxes.name, [i](Transcript& transcript) { Boxes(kinds[i], i, transcript).run(); }});
    Group& images = groups.emplace_back(Group{"images_" + std::to_string(i), {}});
    images.programs.push_back(
        {images.name, [i](Transcript& transcript) { Images(kinds[i], i, transcript).run(); }});
  }
  for (unsigned i = 0; i < 6; ++i) {
    Group& guarded = groups.emplace_back(Group{"guarded_" + std::to_string(i), {}});
    guarded.programs.push_back({guarded.name, [i](Transcript& transcript) { Guarded(i, transcript).run(); }});
  }
}

}  // namespace clpool::transcripts
