// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Programs over memory that is only numbers, which nobody touches: blocks of up to a gigabyte, thousands of them, limits, an
// allocator that has no more, and other threads, each of which ends before the program goes on.
#include <array>
#include <random>
#include <thread>

#include "fuzz/input.hpp"
#include "support/pools.hpp"
#include "transcripts/programs.hpp"

namespace clpool::transcripts {
namespace {

constexpr unsigned steps_of_a_program = 2000;
constexpr std::size_t most_blocks = 300;

/// How the sizes of a program come.
enum class Sizes { equal, few, any, growing, layers, phases };
constexpr const char* names[] = {"equal", "few", "any", "growing", "layers", "phases"};

class Numbers {
 public:
  Numbers(Sizes sizes, unsigned seed, Transcript& transcript);
  void run();

 private:
  std::uint64_t below(std::uint64_t limit) { return random_() % limit; }
  /// Each power of two as likely as the next.
  std::uint64_t scale(unsigned least, unsigned most) {
    const std::uint64_t base = std::uint64_t{1} << (least + below(most - least));
    return base + below(base);
  }
  clpool_pool_options options();
  std::uint64_t next_size();
  void step();
  void own(clpool_status status, clpool_mem* mem);
  void allocate(std::uint64_t size);
  void release(std::size_t which);
  void give_back();
  void elsewhere();
  static void collect(void* user);

  Sizes sizes_;
  std::mt19937_64 random_;
  Transcript& transcript_;
  test::NumberSource source_;
  Pool pool_;
  std::vector<clpool_mem*> blocks_;
  std::array<std::uint64_t, 6> few_{};
  std::uint64_t size_ = 0;
  std::string told_;  ///< of the step that runs
};

Numbers::Numbers(Sizes sizes, unsigned seed, Transcript& transcript)
    : sizes_(sizes), random_(seed * 8 + static_cast<unsigned>(sizes)), transcript_(transcript) {
  for (std::uint64_t& size : few_) {
    size = scale(9, 26);
  }
  size_ = few_[0];
  const clpool_pool_options how = options();
  clpool_pool* pool = nullptr;
  fuzz::require(clpool_pool_create(source_.allocator().get(), &how, &pool) == CLPOOL_SUCCESS,
                clpool_last_error_message());
  pool_ = Pool(pool);
}

/// One of two is as most are; the others have limits.
clpool_pool_options Numbers::options() {
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  options.name = "numbers";
  options.wait_ns = 1;
  options.strategy = below(4) == 0 ? CLPOOL_STRATEGY_BINNED : CLPOOL_STRATEGY_COALESCING;
  if (below(2) == 0) {
    return options;
  }
  static constexpr clpool_pool_callbacks callbacks = {
      sizeof(clpool_pool_callbacks), 1, &Numbers::collect, nullptr, nullptr, nullptr};
  options.callbacks = below(2) == 0 ? &callbacks : nullptr;
  options.user = this;
  options.leading_bits_in_bin_id =
      options.strategy == CLPOOL_STRATEGY_BINNED ? static_cast<std::uint32_t>(below(8)) : 0;
  options.max_bytes = below(3) == 0 ? scale(28, 31) : 0;
  options.max_held_bytes = below(3) == 0 ? scale(24, 30) : 0;
  options.min_chunk_bytes =
      options.strategy == CLPOOL_STRATEGY_COALESCING && below(3) == 0 ? scale(16, 28) : 0;
  options.alignment = below(3) == 0 ? std::uint64_t{1} << below(16) : 0;
  options.release_threshold = below(3) == 0 ? scale(20, 30) : 0;
  options.decay_ns = below(3) == 0 ? 200'000 : 0;
  options.trace_messages = static_cast<std::uint32_t>(below(2));
  source_.capacity = below(2) == 0 ? scale(28, 32) : UINT64_MAX;
  return options;
}

std::uint64_t Numbers::next_size() {
  switch (sizes_) {
    case Sizes::equal:
      return size_;
    case Sizes::few:
    case Sizes::layers:
      return few_[below(few_.size())];
    case Sizes::any:
      return scale(4, 28);
    case Sizes::growing:
      size_ = size_ < std::uint64_t{1} << 28 ? size_ + size_ / (2 + below(8)) + 1 : scale(9, 20);
      return size_;
    case Sizes::phases:
      return few_[blocks_.size() / 8 % few_.size()] + below(4) * 512;
  }
  return 0;
}

/// Memory runs out: what the program can do without goes.
void Numbers::collect(void* user) {
  auto& self = *static_cast<Numbers*>(user);
  self.told_ += " collect";
  if (!self.blocks_.empty()) {
    self.release(self.blocks_.size() / 2);
  }
}

void Numbers::own(clpool_status status, clpool_mem* mem) {
  told_ += ' ' + std::to_string(status);
  if (mem != nullptr) {
    told_ += " at " + std::to_string(reinterpret_cast<std::uintptr_t>(clpool_mem_pointer(mem))) + " has " +
             std::to_string(clpool_mem_capacity(mem));
    blocks_.push_back(mem);
  }
}

void Numbers::allocate(std::uint64_t size) {
  if (blocks_.size() < most_blocks) {
    clpool_mem* mem = nullptr;
    const clpool_status status = below(8) == 0 ? clpool_pool_try_allocate(pool_.get(), size, &mem)
                                               : clpool_pool_allocate(pool_.get(), size, &mem);
    own(status, mem);
  }
}

void Numbers::release(std::size_t which) {
  if (which < blocks_.size()) {
    clpool_mem* const mem = blocks_[which];
    blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(which));
    told_ += ' ' + std::to_string(below(16) == 0 ? clpool_mem_release_later(mem) : clpool_mem_release(mem));
  }
}

void Numbers::give_back() {
  switch (below(6)) {
    case 0:
      return pool_.free_held();
    case 1:
      return pool_.trim(below(3) * (std::uint64_t{1} << 28));
    case 2:
      pool_.stop_holding();
      allocate(next_size());
      release(0);
      return pool_.resume_holding();
    case 3:
      source_.restart_calls();
      source_.fail_from = 1 + below(3);
      return;
    default:
      return pool_.tick();
  }
}

/// Another thread's.
void Numbers::elsewhere() {
  std::thread([this] {
    for (std::uint64_t left = below(6); left > 0; --left) {
      allocate(next_size());
      release(below(blocks_.size() + 1));
    }
  }).join();
}

void Numbers::step() {
  switch (below(64)) {
    case 0:
      return give_back();
    case 1:
      return elsewhere();
    case 2:
    case 3:
      while (blocks_.size() > 20) {  // an end of a step of training, or of a phase
        release(sizes_ == Sizes::layers ? blocks_.size() - 1 : below(blocks_.size()));
      }
      return;
    default:
      if (sizes_ == Sizes::layers ? below(3) != 0 : below(2) == 0) {
        return allocate(next_size());
      }
      return release(sizes_ == Sizes::layers ? blocks_.size() - 1 : below(blocks_.size() + 1));
  }
}

void Numbers::run() {
  for (unsigned i = 0; i < steps_of_a_program; ++i) {
    told_.clear();
    step();
    transcript_.note(pool_, told_);
  }
  fuzz::require(clpool_pool_check(pool_.get()) == CLPOOL_SUCCESS, clpool_last_error_message());
  while (!blocks_.empty()) {
    release(blocks_.size() - 1);
  }
}

}  // namespace

void add_numbers(std::vector<Group>& groups) {
  for (const Sizes sizes :
       {Sizes::equal, Sizes::few, Sizes::any, Sizes::growing, Sizes::layers, Sizes::phases}) {
    Group& group = groups.emplace_back();
    group.name = std::string("numbers_") + names[static_cast<unsigned>(sizes)];
    for (unsigned i = 0; i < 6; ++i) {
      group.programs.push_back({group.name + '_' + std::to_string(i),
                                [sizes, i](Transcript& transcript) { Numbers(sizes, i, transcript).run(); }});
    }
  }
}

}  // namespace clpool::transcripts
