// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The functions that the world's callers give to the library.
#include <cstdlib>

#include "fuzz/capi_world.hpp"

namespace clpool::fuzz {
namespace {

constexpr std::uint64_t largest_chunk = 1U << 20;

}  // namespace

clpool_pool_visitor World::visitor() {
  if (is_null()) {
    return nullptr;
  }
  return [](void*, const clpool_pool_stretch* stretch) -> int32_t {
    require(stretch->struct_size == sizeof(clpool_pool_stretch) && stretch->size > 0, "a stretch");
    return stretch->chunk > 2 ? 1 : 0;
  };
}

decltype(clpool_allocator_ops::allocate) World::function_allocate() {
  switch (input_.byte() % 16) {
    case 15:
      return nullptr;
    case 14:
      return [](void*, uint64_t, uint64_t, uint64_t* chunk) -> clpool_status {
        *chunk = 0;
        return CLPOOL_SUCCESS;
      };
    case 13:
      return [](void*, uint64_t, uint64_t, uint64_t*) -> clpool_status { return -5; };
    case 12:
      return [](void*, uint64_t, uint64_t, uint64_t*) -> clpool_status { return 77; };
    default:
      return [](void*, uint64_t size, uint64_t alignment, uint64_t* chunk) -> clpool_status {
        if (size > largest_chunk || alignment > largest_chunk) {
          return CLPOOL_ERROR_OUT_OF_MEMORY;
        }
        void* memory = nullptr;
        if (::posix_memalign(&memory, std::max<std::size_t>(alignment, sizeof(void*)), size) != 0) {
          return CLPOOL_ERROR_OUT_OF_MEMORY;
        }
        *chunk = reinterpret_cast<std::uintptr_t>(memory);
        return CLPOOL_SUCCESS;
      };
  }
}

decltype(clpool_allocator_ops::deallocate) World::function_deallocate() {
  if (is_null()) {
    return nullptr;
  }
  return [](void*, uint64_t chunk, uint64_t) {
    std::free(reinterpret_cast<void*>(static_cast<std::uintptr_t>(chunk)));
  };
}

decltype(clpool_allocator_ops::destroy) World::function_destroy() {
  return is_null() ? nullptr : +[](void*) {};
}

decltype(clpool_pool_callbacks::collect) World::function_collect() {
  return input_.byte() % 2 == 0 ? nullptr : +[](void*) {};
}

decltype(clpool_pool_callbacks::out_of_memory) World::function_out_of_memory() {
  if (input_.byte() % 2 == 0) {
    return nullptr;
  }
  return [](void*, uint64_t, uint32_t attempt) -> int32_t { return attempt < 3 ? 1 : 0; };
}

clpool_message_callback World::function_message() {
  if (input_.byte() % 2 == 0) {
    return nullptr;
  }
  return [](void*, int32_t severity, const char* text) {
    require(severity >= CLPOOL_MESSAGE_TRACE && severity <= CLPOOL_MESSAGE_ERROR, "a message's severity");
    require(std::strchr(text, '\n') == nullptr, "a message is one line");
  };
}

decltype(clpool_memo_ops::compute) World::function_compute() {
  if (is_null()) {
    return nullptr;
  }
  if (input_.byte() % 4 == 0) {
    return [](void*, void**) -> clpool_status { return CLPOOL_ERROR_IO; };
  }
  return [](void*, void** value) -> clpool_status {
    *value = nullptr;
    return CLPOOL_SUCCESS;
  };
}

decltype(clpool_memo_ops::destroy) World::function_unmake() {
  return is_null() ? nullptr : +[](void*, void*) {};
}

decltype(clpool_trace_replay_options::progress) World::function_progress() {
  if (input_.byte() % 2 == 0) {
    return nullptr;
  }
  return [](void*, uint64_t done, uint64_t total) -> int32_t { return done * 2 > total ? 1 : 0; };
}

}  // namespace clpool::fuzz
