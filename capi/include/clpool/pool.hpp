// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// C++ layer over allocator.h and pool.h. Header only, C++17; what the functions do is documented there.
#ifndef CLPOOL_POOL_HPP
#define CLPOOL_POOL_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "clpool/allocator.h"
#include "clpool/device.hpp"
#include "clpool/error.hpp"
#include "clpool/mem.hpp"
#include "clpool/pool.h"

namespace clpool {

/// A source of chunks written in C++: see clpool_allocator_ops.
class Source {
 public:
  virtual ~Source() = default;
  /// Any value but 0. std::bad_alloc and OutOfMemory mean out of memory; any other exception fails the request
  /// with CLPOOL_ERROR_CALLBACK, and its what() is in the message.
  virtual uint64_t allocate(uint64_t size, uint64_t alignment) = 0;
  virtual void deallocate(uint64_t chunk, uint64_t size) noexcept = 0;
};

/// Where memory comes from; shared by copies.
class Allocator {
 public:
  Allocator() noexcept = default;
  /// Takes over the caller's reference.
  explicit Allocator(clpool_allocator* allocator) : allocator_(allocator, Release()) {}

  static Allocator deferred(cl_context context, cl_mem_flags flags = 0, OnError error = {}) {
    return made(error, clpool_allocator_create_deferred, context, flags);
  }
  static Allocator immediate(cl_command_queue queue, cl_mem_flags flags = 0, OnError error = {}) {
    return made(error, clpool_allocator_create_immediate, queue, flags);
  }
  /// `touch`: one of CLPOOL_TOUCH_….
  static Allocator touching(cl_command_queue queue, uint32_t touch, cl_mem_flags flags = 0,
                            OnError error = {}) {
    return made(error, clpool_allocator_create_touching, queue, flags, touch);
  }
  static Allocator svm(cl_context context, cl_svm_mem_flags flags = 0, cl_uint alignment = 0,
                       cl_command_queue queue = nullptr, OnError error = {}) {
    return made(error, clpool_allocator_create_svm, context, flags, alignment, queue);
  }
  static Allocator pinned(cl_command_queue queue, cl_mem_flags flags = 0, OnError error = {}) {
    return made(error, clpool_allocator_create_pinned, queue, flags);
  }
  /// CLPOOL_ERROR_INVALID_VALUE without a source.
  static Allocator custom(std::unique_ptr<Source> source, OnError error = {}) {
    clpool_allocator_ops ops = CLPOOL_ALLOCATOR_OPS_INIT;
    ops.allocate = [](void* user, uint64_t size, uint64_t alignment, uint64_t* chunk) -> clpool_status {
      return detail::without_out_of_memory(
          [&] { *chunk = static_cast<Source*>(user)->allocate(size, alignment); });
    };
    ops.deallocate = [](void* user, uint64_t chunk, uint64_t size) {
      static_cast<Source*>(user)->deallocate(chunk, size);
    };
    ops.destroy = [](void* user) { delete static_cast<Source*>(user); };
    Allocator allocator = made(error, clpool_allocator_create_custom, source != nullptr ? &ops : nullptr,
                               static_cast<void*>(source.get()));
    if (allocator) {
      static_cast<void>(source.release());  // the allocator's destroy deletes it
    }
    return allocator;
  }
  static Allocator limit(const Allocator& inner, uint64_t max_bytes, OnError error = {}) {
    return made(error, clpool_allocator_create_limit, inner.get(), max_bytes);
  }
  static Allocator trace(const Allocator& inner, const std::string& path, OnError error = {}) {
    return made(error, clpool_allocator_create_trace, inner.get(), path.c_str());
  }

  /// Memory that goes straight back when released; 0 bytes give an empty Mem.
  Mem allocate(std::size_t size, OnError error = {}) const {
    clpool_mem* mem = nullptr;
    error(clpool_allocator_allocate(get(), size, &mem));
    return Mem(mem);
  }
  clpool_allocator* get() const noexcept { return allocator_.get(); }
  explicit operator bool() const noexcept { return allocator_ != nullptr; }

 private:
  struct Release {
    void operator()(clpool_allocator* allocator) const noexcept { clpool_allocator_release(allocator); }
  };
  template <typename Function, typename... Arguments>
  static Allocator made(OnError error, Function function, Arguments... arguments) {
    clpool_allocator* allocator = nullptr;
    return error(function(arguments..., &allocator)) ? Allocator(allocator) : Allocator();
  }
  std::shared_ptr<clpool_allocator> allocator_;
};

/// clpool_pool_options with all defaults.
inline clpool_pool_options pool_options() noexcept {
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  return options;
}

/// A memory pool; shared by copies. Blocks keep it alive.
class Pool {
 public:
  Pool() noexcept = default;
  /// Takes over the caller's reference.
  explicit Pool(clpool_pool* pool) { adopt(pool); }
  explicit Pool(const Allocator& allocator, OnError error = {}) {
    clpool_pool* pool = nullptr;
    error(clpool_pool_create(allocator.get(), nullptr, &pool));
    adopt(pool);
  }
  Pool(const Allocator& allocator, const clpool_pool_options& options, OnError error = {}) {
    clpool_pool* pool = nullptr;
    error(clpool_pool_create(allocator.get(), &options, &pool));
    adopt(pool);
  }

  Mem allocate(std::size_t size, OnError error = {}) const {
    clpool_mem* mem = nullptr;
    error(clpool_pool_allocate(get(), size, &mem));
    return Mem(mem);
  }
  /// The same, but an empty Mem where that took waiting or a driver call.
  Mem try_allocate(std::size_t size, OnError error = {}) const {
    clpool_mem* mem = nullptr;
    const clpool_status status = clpool_pool_try_allocate(get(), size, &mem);
    error(status == CLPOOL_ERROR_WOULD_BLOCK ? CLPOOL_SUCCESS : status);
    return Mem(mem);
  }
  /// A block for commands on this queue alone, unless Mem::used_on() names another.
  Mem allocate_on(cl_command_queue queue, std::size_t size, OnError error = {}) const {
    clpool_mem* mem = nullptr;
    error(clpool_pool_allocate_on(get(), queue, size, &mem));
    return Mem(mem);
  }
  clpool_pool_stats statistics(OnError error = {}) const {
    clpool_pool_stats stats = CLPOOL_POOL_STATS_INIT;
    error(clpool_pool_statistics(get(), &stats));
    return stats;
  }
  void free_held(OnError error = {}) const { error(clpool_pool_free_held(get())); }
  void stop_holding(OnError error = {}) const { error(clpool_pool_stop_holding(get())); }
  void resume_holding(OnError error = {}) const { error(clpool_pool_resume_holding(get())); }
  void trim(uint64_t keep_bytes, OnError error = {}) const { error(clpool_pool_trim(get(), keep_bytes)); }
  void tick(OnError error = {}) const { error(clpool_pool_tick(get())); }
  void check_books(OnError error = {}) const { error(clpool_pool_check(get())); }
  /// All stretches of its memory at one moment.
  std::vector<clpool_pool_stretch> stretches(OnError error = {}) const {
    std::vector<clpool_pool_stretch> stretches;
    const clpool_pool_visitor visitor = [](void* user, const clpool_pool_stretch* stretch) -> int32_t {
      const auto add = [&] { static_cast<std::vector<clpool_pool_stretch>*>(user)->push_back(*stretch); };
      return detail::without_exceptions(add) ? 0 : 1;
    };
    const clpool_status status = clpool_pool_visit(get(), visitor, &stretches);
    error(status == CLPOOL_ERROR_CALLBACK ? CLPOOL_ERROR_OUT_OF_HOST_MEMORY : status);
    return stretches;
  }
  std::string dump_json(OnError error = {}) const {
    return detail::text_of(error, [&](char* text, std::size_t capacity, std::size_t* needed) {
      return clpool_pool_dump_json(get(), text, capacity, needed);
    });
  }
  clpool_pool* get() const noexcept { return pool_.get(); }
  explicit operator bool() const noexcept { return pool_ != nullptr; }

 private:
  struct Release {
    void operator()(clpool_pool* pool) const noexcept { clpool_pool_release(pool); }
  };
  void adopt(clpool_pool* pool) {
    if (pool != nullptr) {
      pool_.reset(pool, Release());
    }
  }
  std::shared_ptr<clpool_pool> pool_;
};

/// One line to begin with: a device, a context with it alone, an in-order queue, and a pool that knows the queue. Context
/// and queue are released with the object, the pool when its last copy and its last block go.
class DefaultPool {
 public:
  /// `memory`: one of CLPOOL_MEMORY_…; the options' `queues` must be left out.
  explicit DefaultPool(uint32_t memory = CLPOOL_MEMORY_BUFFER, const DeviceOptions& device = {},
                       const clpool_pool_options& options = pool_options(), OnError error = {}) {
    const clpool_device_options c_device = device.get();
    clpool_pool* pool = nullptr;
    cl_device_id id = nullptr;
    cl_context context = nullptr;
    cl_command_queue queue = nullptr;
    error(clpool_pool_create_default(&c_device, memory, &options, &pool, &id, &context, &queue));
    start_ = DefaultContext(id, context, queue);
    pool_ = Pool(pool);
  }
  const Pool& pool() const noexcept { return pool_; }
  cl_device_id device() const noexcept { return start_.device(); }
  cl_context context() const noexcept { return start_.context(); }
  cl_command_queue queue() const noexcept { return start_.queue(); }

 private:
  DefaultContext start_{nullptr, nullptr, nullptr};
  Pool pool_;
};

inline uint64_t bin_number(uint64_t size, uint32_t leading_bits = 4, OnError error = {}) {
  uint64_t bin = 0;
  error(clpool_bin_number(size, leading_bits, &bin));
  return bin;
}

inline uint64_t bin_alloc_size(uint64_t bin, uint32_t leading_bits = 4, OnError error = {}) {
  uint64_t size = 0;
  error(clpool_bin_alloc_size(bin, leading_bits, &size));
  return size;
}

}  // namespace clpool

#endif
