// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The program that pool_orders_fuzz.cpp makes of its input, and the model that it is compared with.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "fuzz/custody.hpp"
#include "fuzz/traffic.hpp"

namespace clpool::fuzz {

/// A custom allocator's memory: what is given back stays until the end, but is overwritten, unless only the
/// allocator could know which commands still use it.
class HostChunks final : public Source {
 public:
  struct Books {
    std::map<std::uint64_t, std::vector<unsigned char>> chunks;
    std::uint64_t live = 0;
    bool overwrites = true;
  };
  explicit HostChunks(Books& books) : books_(books) {}
  uint64_t allocate(uint64_t size, uint64_t alignment) override;
  void deallocate(uint64_t chunk, uint64_t size) noexcept override;

 private:
  Books& books_;
};

class PoolProgram {
 public:
  /// `told` is called after each operation.
  static void run(Input& input, const std::function<void(const Pool&)>& told = nullptr);

 private:
  struct Block {
    Place place;
    std::uint8_t byte = 0;  ///< what its owner wrote last
    Claims claims;
    Event last;  ///< its newest command; every command waits for the one before
  };

  explicit PoolProgram(Input& input);
  void step();
  void end();
  void expect_figures();

  // Operations.
  void allocate(std::uint8_t operand);
  void allocate_on(std::uint8_t operand);
  void try_allocate(std::uint8_t operand);
  void command(std::uint8_t operand, bool is_write);
  void command_elsewhere(std::uint8_t operand);
  void declare(std::uint8_t operand);
  void bind(std::uint8_t operand);
  void release(std::uint8_t operand, std::uint8_t how);
  void run_commands(std::uint8_t operand);
  void hold_less(std::uint8_t operand);

  static std::size_t size_of(std::uint8_t operand);
  void own(clpool_status status, clpool_mem* mem, std::size_t size, Claims claims);
  void expect_apart(const Place& place);
  Block* pick(std::uint8_t operand);
  /// A queue that may use the block now, the operand's if possible.
  std::optional<std::size_t> queue_for(const Block& block, std::uint8_t operand) const;
  void started(Block& block, cl_event event);
  void fail_soon(std::uint8_t operand);

  Input& input_;
  Memory memory_;
  bool nvidia_;
  StubRun stub_;
  HostChunks::Books chunks_;
  Traffic traffic_;
  Custody custody_;
  bool is_told_ =
      false;  ///< of all queues that use addresses, or the driver keeps the memory for its commands
  Allocator allocator_;
  Pool pool_;
  std::uint64_t max_bytes_ = UINT64_MAX;
  std::vector<Block> blocks_;
  std::uint64_t bytes_ = 0;
  std::uint64_t served_ = 0;
  std::uint8_t next_byte_ = 1;
};

}  // namespace clpool::fuzz
