// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Commands of a program on blocks of a pool, on several queues of the fake driver in mode `manual`: they move
// bytes when the input says so, and what a command reads is compared with what the block's owner wrote.
#pragma once

#include <clpool/clpool.hpp>

#include <list>
#include <vector>

#include "fuzz/on_stub.hpp"

namespace clpool::fuzz {

enum class Memory { immediate, deferred, svm, fine_svm, pinned, custom };

/// A block as its commands see it.
struct Place {
  Memory memory;
  clpool_mem* mem;
  std::size_t size;
  cl_mem handle() const { return clpool_mem_handle(mem); }
  void* pointer() const { return clpool_mem_pointer(mem); }
};

class Traffic {
 public:
  static constexpr std::size_t queue_count = 3;

  /// Queue i is out of order if that bit is set.
  explicit Traffic(unsigned out_of_order);
  Traffic(const Traffic&) = delete;
  Traffic& operator=(const Traffic&) = delete;
  /// All commands have to be through.
  ~Traffic();

  cl_context context() const { return context_; }
  cl_command_queue queue(std::size_t index) const { return queues_[index]; }
  bool is_in_order(std::size_t index) const { return (out_of_order_ >> index & 1) == 0; }

  /// The program's own commands, which the library does not see. Null where the driver refuses.
  cl_event write(std::size_t queue, const Place& place, std::uint8_t byte, const Event& after);
  cl_event read(std::size_t queue, const Place& place, std::uint8_t byte, const Event& after);

  /// The same by the library's functions, which tell the pool. Not for custom memory.
  cl_event write_by_library(std::size_t queue, const Place& place, std::uint8_t byte, const Event& after);
  cl_event read_by_library(std::size_t queue, const Place& place, std::uint8_t byte, const Event& after,
                           bool blocking);

  /// Compares what reads that are through have read.
  void check();
  void finish() {
    stub_run_all();
    check();
  }

 private:
  struct Read {
    Event event;
    std::vector<unsigned char> host;
    Mem copy;  ///< instead of `host`: a buffer that the block was copied to
    std::uint8_t byte = 0;
  };
  Read& expect(const Place& place, std::uint8_t byte, bool into_buffer);
  cl_event started(Read& read, bool worked);
  Mem buffer_with(std::size_t size, std::uint8_t byte);

  unsigned out_of_order_;
  cl_context context_ = nullptr;
  cl_command_queue queues_[queue_count] = {};
  std::list<Read> reads_;  // whose host memory stays where it is
};

bool is_complete(const Event& event);

}  // namespace clpool::fuzz
