// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The operations of the program.
#include <cstring>

#include "fuzz/pool_program.hpp"

namespace clpool::fuzz {
namespace {

constexpr std::size_t most_blocks = 24;

}  // namespace

void PoolProgram::step() {
  const std::uint8_t operation = input_.byte();
  const std::uint8_t operand = input_.byte();
  switch (operation % 16) {
    case 0:
    case 1:
    case 2:
      return allocate(operand);
    case 3:
      return allocate_on(operand);
    case 4:
      return try_allocate(operand);
    case 5:
    case 6:
      return command(operand, operation >= 128);
    case 7:
      return command_elsewhere(operand);
    case 8:
      return operand % 4 == 0 ? bind(operand / 4) : declare(operand);
    case 9:
    case 10:
    case 11:
      return release(operand, operation / 16);
    case 12:
    case 13:
      return run_commands(operand);
    case 14:
      return hold_less(operand);
    default:
      fail_soon(input_.byte());
      allocate(operand);
      return stub_fail_none();  // nothing was asked for where there are blocks enough
  }
}

std::size_t PoolProgram::size_of(std::uint8_t operand) {
  return operand < 192 ? std::size_t{operand} * 32 : std::size_t{operand - 191U} << 8;
}

/// Makes a later entry point fail, once.
void PoolProgram::fail_soon(std::uint8_t operand) {
  constexpr const char* names[] = {"clCreateBuffer",
                                   "clCreateSubBuffer",
                                   "clEnqueueMarkerWithWaitList",
                                   "clSVMAlloc",
                                   "clEnqueueFillBuffer",
                                   "clEnqueueBarrierWithWaitList",
                                   "clEnqueueMapBuffer",
                                   "clFlush"};
  constexpr cl_int codes[] = {CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_RESOURCES, CL_INVALID_VALUE};
  stub_fail(names[operand % 8], 1 + operand / 64, codes[operand / 8 % 3]);
}

void PoolProgram::allocate(std::uint8_t operand) {
  if (blocks_.size() >= most_blocks) {
    return;
  }
  clpool_mem* mem = nullptr;
  const std::size_t size = size_of(operand);
  const clpool_status status = clpool_pool_allocate(pool_.get(), size, &mem);
  stub_fail_none();
  own(status, mem, size, {});
}

void PoolProgram::try_allocate(std::uint8_t operand) {
  if (blocks_.size() >= most_blocks) {
    return;
  }
  clpool_mem* mem = nullptr;
  const std::size_t size = size_of(operand);
  const std::uint64_t calls = stub_calls(nullptr);
  const clpool_status status = clpool_pool_try_allocate(pool_.get(), size, &mem);
  require(stub_calls(nullptr) == calls, "clpool_pool_try_allocate calls no driver");
  own(status, mem, size, {});
}

void PoolProgram::allocate_on(std::uint8_t operand) {
  const std::size_t queue = input_.below(Traffic::queue_count);
  if (blocks_.size() >= most_blocks || !Claims::may_be_declared(custody_, queue)) {
    return;
  }
  clpool_mem* mem = nullptr;
  const std::size_t size = size_of(operand);
  const clpool_status status = clpool_pool_allocate_on(pool_.get(), traffic_.queue(queue), size, &mem);
  own(status, mem, size, {{queue}, std::nullopt, true});
}

/// A new block, which its owner writes at once.
void PoolProgram::own(clpool_status status, clpool_mem* mem, std::size_t size, Claims claims) {
  require((status == CLPOOL_SUCCESS) == (mem != nullptr), "a block or an error");
  if (mem == nullptr) {
    return;
  }
  ++served_;
  bytes_ += size;
  Block& block = blocks_.emplace_back();
  block.place = {memory_, mem, size};
  block.claims = std::move(claims);
  require(clpool_mem_size(mem) == size && clpool_mem_capacity(mem) >= std::max<std::size_t>(size, 1),
          "a block of the size");
  expect_apart(block.place);
  if (custody_.host_writes) {
    block.byte = next_byte_++;
    std::memset(block.place.pointer(), block.byte, size);
  } else {
    const std::uint8_t which = static_cast<std::uint8_t>(blocks_.size() - 1);
    command(static_cast<std::uint8_t>(which | input_.byte() << 5), true);
  }
}

/// No two blocks overlap.
void PoolProgram::expect_apart(const Place& place) {
  const auto range_of = [](const Place& each) {
    cl_mem root = nullptr;
    std::size_t offset = 0;
    if (each.pointer() == nullptr) {
      require(clpool_mem_root(each.mem, &root, &offset) == CLPOOL_SUCCESS, "a block has a root");
    } else {
      offset = reinterpret_cast<std::uintptr_t>(each.pointer());
    }
    return std::pair(root, offset);
  };
  const auto [root, begin] = range_of(place);
  const std::size_t end = begin + clpool_mem_capacity(place.mem);
  for (const Block& other : blocks_) {
    const auto [other_root, other_begin] = range_of(other.place);
    const std::size_t other_end = other_begin + clpool_mem_capacity(other.place.mem);
    require(other.place.mem == place.mem || other_root != root || end <= other_begin || other_end <= begin,
            "two blocks overlap");
  }
}

PoolProgram::Block* PoolProgram::pick(std::uint8_t operand) {
  return blocks_.empty() ? nullptr : &blocks_[operand % 32 % blocks_.size()];
}

std::optional<std::size_t> PoolProgram::queue_for(const Block& block, std::uint8_t operand) const {
  for (std::size_t i = 0; i < Traffic::queue_count; ++i) {
    const std::size_t queue = (operand / 32 + i) % Traffic::queue_count;
    if (block.claims.allow(custody_, queue)) {
      return queue;
    }
  }
  return std::nullopt;
}

void PoolProgram::started(Block& block, cl_event event) {
  if (event != nullptr) {
    block.last = Event(event);
  }
}

/// A command of the program itself on a queue that may use the block, or of the library on any.
void PoolProgram::command(std::uint8_t operand, bool is_write) {
  Block* const block = pick(operand);
  if (block == nullptr || block->place.size == 0 || (!is_write && block->byte == 0)) {
    return;
  }
  const std::uint8_t choice = input_.byte();
  const std::size_t wanted = operand / 32 % Traffic::queue_count;
  const bool by_library =
      memory_ != Memory::custom && choice % 2 == 1 &&
      (Claims::may_be_declared(custody_, wanted) || block->claims.allow(custody_, wanted));
  std::optional<std::size_t> queue = by_library ? wanted : queue_for(*block, operand);
  if (!queue && Claims::may_be_declared(custody_, wanted) &&
      clpool_mem_used_on(block->place.mem, traffic_.queue(wanted)) == CLPOOL_SUCCESS) {
    block->claims.queues.insert(wanted);
    queue = wanted;
  }
  if (!queue) {
    return;
  }
  const std::uint8_t byte = is_write ? next_byte_++ : block->byte;
  cl_event event = nullptr;
  if (is_write && by_library) {
    event = traffic_.write_by_library(*queue, block->place, byte, block->last);
  } else if (is_write) {
    event = traffic_.write(*queue, block->place, byte, block->last);
  } else if (by_library) {
    event = traffic_.read_by_library(*queue, block->place, byte, block->last, choice % 8 == 7);
  } else {
    event = traffic_.read(*queue, block->place, byte, block->last);
  }
  require(event != nullptr, clpool_last_error_message());
  if (by_library) {
    custody_.used_by_library(*queue);
  }
  block->byte = byte;
  started(*block, event);
}

/// A read on a queue that the pool knows nothing of, after a command that may use the block; the release
/// waits for its event.
void PoolProgram::command_elsewhere(std::uint8_t operand) {
  Block* const block = pick(operand);
  if (block == nullptr || block->place.size == 0 || !block->last || block->byte == 0) {
    return;
  }
  started(*block, traffic_.read(operand / 32 % Traffic::queue_count, block->place, block->byte, block->last));
  const cl_event event = block->last.get();
  require(clpool_mem_release_after(block->place.mem, 1, &event) == CLPOOL_SUCCESS,
          clpool_last_error_message());
}

void PoolProgram::declare(std::uint8_t operand) {
  Block* const block = pick(operand);
  const std::size_t queue = operand / 32 % Traffic::queue_count;
  if (block != nullptr && Claims::may_be_declared(custody_, queue)) {
    require(clpool_mem_used_on(block->place.mem, traffic_.queue(queue)) == CLPOOL_SUCCESS,
            clpool_last_error_message());
    block->claims.queues.insert(queue);
  }
}

void PoolProgram::bind(std::uint8_t operand) {
  Block* const block = pick(operand);
  const std::size_t queue = operand / 32 % Traffic::queue_count;
  if (block == nullptr || !Claims::may_be_declared(custody_, queue) || !custody_.is_in_order(queue)) {
    return;
  }
  require(clpool_mem_bind_queue(block->place.mem, traffic_.queue(queue)) == CLPOOL_SUCCESS,
          clpool_last_error_message());
  block->claims.bound = queue;
}

void PoolProgram::release(std::uint8_t operand, std::uint8_t how) {
  Block* const block = pick(operand);
  if (block == nullptr) {
    return;
  }
  clpool_mem* const mem = block->place.mem;
  clpool_status status = CLPOOL_SUCCESS;
  switch (how % 8) {
    case 0:
      status = clpool_mem_release_later(mem);
      break;
    case 1:
      status = clpool_mem_try_release(mem);
      if (status == CLPOOL_ERROR_WOULD_BLOCK) {
        status = clpool_mem_release(mem);
      }
      break;
    case 2:
      status = is_complete(block->last) ? clpool_mem_release_idle(mem) : clpool_mem_release(mem);
      break;
    case 3: {
      const cl_event last = block->last.get();
      status = clpool_mem_release_on(mem, traffic_.queue(operand / 32 % Traffic::queue_count),
                                     last != nullptr ? 1 : 0, last != nullptr ? &last : nullptr, nullptr);
      break;
    }
    case 4:
      require(clpool_mem_retain(mem) == CLPOOL_SUCCESS && clpool_mem_release(mem) == CLPOOL_SUCCESS,
              "a reference more");
      status = clpool_mem_release(mem);
      break;
    default:
      status = clpool_mem_release(mem);
  }
  require(status == CLPOOL_SUCCESS, clpool_last_error_message());
  require(clpool_mem_release(mem) == CLPOOL_ERROR_INVALID_OPERATION, "a second release is refused");
  bytes_ -= block->place.size;
  std::swap(*block, blocks_.back());
  blocks_.pop_back();
}

void PoolProgram::run_commands(std::uint8_t operand) {
  const std::size_t queue = operand % 4;
  for (std::size_t left = operand / 64 + 1; left > 0; --left) {
    stub_run_nth(queue < Traffic::queue_count ? traffic_.queue(queue) : nullptr, operand / 4 % 16);
  }
}

void PoolProgram::hold_less(std::uint8_t operand) {
  switch (operand % 4) {
    case 0:
      return pool_.free_held();
    case 1:
      return pool_.trim(std::uint64_t{operand} << 8);
    case 2:
      return operand == 254 ? pool_.stop_holding() : traffic_.finish();
    default:
      return pool_.tick();
  }
}

}  // namespace clpool::fuzz
