// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Guarded pools, of which blocks are written beyond their ends, after their release, and released twice.
#include <algorithm>
#include <cstring>

#include "transcripts/place.hpp"

namespace clpool::transcripts {
namespace {

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

  ~Guarded() {
    for (const Block& block : blocks_) {
      clpool_mem_release(block.mem);
      forget(block);
    }
    for (const Block& block : released_) {
      forget(block);
    }
  }

  void run() {
    for (int i = 0; i < 600; ++i) {
      told_.clear();
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
};

}  // namespace

void add_guarded(std::vector<Group>& groups) {
  for (unsigned i = 0; i < 6; ++i) {
    add_program(groups, "guarded_" + std::to_string(i),
                [i](Transcript& transcript) { Guarded(i, transcript).run(); });
  }
}

}  // namespace clpool::transcripts
