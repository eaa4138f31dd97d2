// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Direct memory: one chunk of an allocator as a Mem, without a pool.
#pragma once

#include <cstddef>

#include "allocator/allocator.hpp"
#include "base/mem.hpp"

namespace clpool::core {

/// Makes memory that goes straight back to `allocator` when it is released. 0 bytes: success and null.
Status allocate_direct(Allocator& allocator, std::size_t size, Mem*& result);

/// Has allocate_direct() call `give_back` when memory is short, and try again as long as some of the process goes
/// back. Pools, which this folder does not know, give back by it what nobody holds any more.
void when_out_of_memory(bool (*give_back)() noexcept) noexcept;

/// True for memory that allocate_direct() made.
bool is_direct(const Mem& mem) noexcept;

// The queue that direct SVM is freed behind: at first its allocator's, if that has one.

/// From now on `queue`, which must be in order and which waits for what the former one was told before.
Status bind_direct_svm(Mem& mem, cl_command_queue queue);
/// Waits for the queue and forgets it.
Status unbind_direct_svm(Mem& mem);
/// Gives up a reference behind the commands of `order.queue` (null: the queue that it is bound to). The last
/// one frees, and the event is that of the free. With other references left nothing is freed yet: the event
/// is complete when the commands so far are, and whoever gives up the last reference, in whatever way, frees
/// behind them.
Status release_direct_svm(Mem& mem, cl::Order order);

}  // namespace clpool::core
