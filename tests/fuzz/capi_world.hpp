// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The world that the C API is called in: live objects of every kind, and numbers, texts and memory of exactly
// the size that is said, as the input has them. What C cannot detect does not occur: pointers to nothing, to
// released objects or to other kinds of objects.
#pragma once

#include <clpool/clpool.h>

#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "fuzz/on_stub.hpp"

namespace clpool::fuzz {

class World;

struct Call {
  const char* name;
  void (*call)(World&);
};

/// Every function of the C API; made by capi_calls.py.
extern const Call calls[];
extern const std::size_t call_count;

/// References that the program has on objects of one kind; one may be there several times.
template <typename T>
struct Handles {
  std::vector<T*> live;
  std::size_t picked = 0;
};

/// A range of a heap.
struct Range {
  clpool_heap* heap;
  clpool_heap_range* range;
};

class World {
 public:
  explicit World(Input& input);
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  ~World();

  /// What was made for the call before is no longer needed.
  void next_call();

  /// Not null: what calls give goes there, but for handles and addresses.
  std::string* told = nullptr;

  // Numbers.
  std::uint8_t byte() { return input_.byte(); }
  template <typename T>
  T number() {
    const std::uint8_t choice = input_.byte();
    switch (choice % 8) {
      case 0:
        return T{0};
      case 1:
        return T{1};
      case 2:
        return static_cast<T>(input_.byte());
      case 3:
        return static_cast<T>(input_.two());
      case 4:
        return static_cast<T>(std::uint64_t{1} << choice / 8 % 64 << (choice & 128U) / 4);
      case 5:
        return static_cast<T>(std::numeric_limits<T>::max() - static_cast<T>(choice / 8));
      case 6:
        return static_cast<T>(input_.eight());
      default:
        return static_cast<T>(choice / 8);
    }
  }
  /// 0 nearly always.
  template <typename T>
  T rare() {
    return input_.byte() == 255 ? number<T>() : T{0};
  }
  /// Bytes, often few enough to be right.
  std::size_t size() {
    const std::uint8_t choice = input_.byte();
    return choice < 64    ? std::size_t{choice}
           : choice < 192 ? std::size_t{choice - 63U} * 64
           : choice < 224 ? CLPOOL_WHOLE_SIZE
                          : number<std::size_t>();
  }
  std::uint32_t version() { return input_.byte() == 255 ? number<std::uint32_t>() : 1; }

  // OpenCL's objects, NULL now and then.
  cl_context context() { return is_null() ? nullptr : contexts_; }
  cl_device_id device() { return is_null() ? nullptr : stub_device(input_.byte() % 2); }
  cl_platform_id platform() { return is_null() ? nullptr : stub_platform(); }
  cl_command_queue queue();
  cl_kernel kernel();
  cl_mem mem_object();

  // The library's objects.
  template <typename T>
  Handles<T>& handles() {
    return std::get<Handles<T>>(handles_);
  }
  template <typename T>
  T* live() {
    Handles<T>& all = handles<T>();
    if (all.live.empty() || is_null()) {
      all.picked = SIZE_MAX;
      return nullptr;
    }
    all.picked = input_.below(all.live.size());
    return all.live[all.picked];
  }
  template <typename T>
  void gone() {
    Handles<T>& all = handles<T>();
    if (all.picked < all.live.size()) {
      all.live.erase(all.live.begin() + static_cast<std::ptrdiff_t>(all.picked));
    }
    all.picked = SIZE_MAX;
  }
  template <typename T>
  void again() {
    Handles<T>& all = handles<T>();
    if (all.picked < all.live.size()) {
      keep(all.live[all.picked]);
    }
  }
  template <typename T>
  void keep(T* handle);
  std::vector<Range>& ranges() { return ranges_; }

  /// Where a new object goes; NULL now and then.
  template <typename T>
  T** out() {
    return reinterpret_cast<T**>(result_slot(sizeof(T*)));
  }
  template <typename T>
  void made(clpool_status status, T** slot) {
    if (slot == nullptr) {
      require(status != CLPOOL_SUCCESS, "no result without a place for it");
    } else if (status != CLPOOL_SUCCESS) {
      require(*slot == nullptr, "the result of a failure is NULL");
    } else if (*slot != nullptr) {  // 0 bytes give NULL
      keep(*slot);
    }
  }
  cl_event* event_out() { return reinterpret_cast<cl_event*>(result_slot(sizeof(cl_event))); }
  void made_event(clpool_status status, cl_event* slot);

  // Memory of exactly the size that is said.
  template <typename T>
  T* place(std::size_t count) {
    return is_null() ? nullptr : static_cast<T*>(result_of(temporary(count * sizeof(T)), count * sizeof(T)));
  }
  std::pair<void*, std::size_t> bytes();
  std::pair<void*, std::size_t> lasting();
  std::pair<const char*, std::size_t> log();
  std::pair<void*, std::size_t> pattern() { return at_most(128); }
  std::pair<void*, std::size_t> color() { return at_most(16); }
  std::pair<cl_event*, std::size_t> events();
  std::pair<clpool_mem**, std::size_t> mems();
  std::pair<size_t*, std::size_t> extents();
  std::pair<cl_command_queue*, std::size_t> queues();
  template <typename T>
  std::pair<T*, std::size_t> room() {
    const std::size_t count = input_.byte() % 32;
    return {place<T>(count), count};
  }
  size_t* triple();
  const char* text();
  const char* path();
  const char* path_to_read();
  const cl_image_format* format() { return is_null() ? nullptr : format_value(); }
  const cl_image_format* format_value();
  void* any_pointer() { return is_null() ? nullptr : this; }

  // Structs, as callers of this, of older and of newer versions have them.
  template <typename T>
  T* options() {
    if (is_null()) {
      return nullptr;
    }
    T whole = {};
    whole.struct_size = struct_size(sizeof(T));
    fill(*this, whole);
    return in_place(whole);
  }
  template <typename T>
  T* result() {
    if (is_null()) {
      return nullptr;
    }
    T whole;
    std::memset(static_cast<void*>(&whole), 0xA5, sizeof whole);
    whole.struct_size = struct_size(sizeof(T));
    T* const made = in_place(whole);
    result_of(made, std::min<std::size_t>(made->struct_size, sizeof(T)));
    return made;
  }

  // Functions of the caller.
  clpool_pool_visitor visitor();
  decltype(clpool_allocator_ops::allocate) function_allocate();
  decltype(clpool_allocator_ops::deallocate) function_deallocate();
  decltype(clpool_allocator_ops::destroy) function_destroy();
  decltype(clpool_pool_callbacks::collect) function_collect();
  decltype(clpool_pool_callbacks::out_of_memory) function_out_of_memory();
  clpool_message_callback function_message();
  decltype(clpool_memo_ops::compute) function_compute();
  decltype(clpool_memo_ops::destroy) function_unmake();
  decltype(clpool_trace_replay_options::progress) function_progress();

  // What comes back.
  void check_status(clpool_status status, const char* function);
  void check(const char* text, const char* function);
  template <typename T>
  void check(T value, const char*) {
    if constexpr (std::is_arithmetic_v<T>) {
      if (told != nullptr) {
        *told += ' ' + std::to_string(value);
      }
    }
  }

  bool is_null() { return input_.byte() >= 240; }
  void* temporary(std::size_t size);

 private:
  void begin();
  /// The call may write there.
  void* result_of(void* place, std::size_t size);
  std::uint32_t struct_size(std::size_t ours);
  void* result_slot(std::size_t size);
  std::pair<void*, std::size_t> at_most(std::size_t most);
  /// As many bytes as struct_size says, if a caller could have them.
  template <typename T>
  T* in_place(const T& whole) {
    const std::size_t said = whole.struct_size <= 65536 ? whole.struct_size : sizeof(T);
    const std::size_t size = std::max(said, sizeof whole.struct_size);
    auto* const bytes = static_cast<unsigned char*>(temporary(size));
    std::memset(bytes, 0, size);
    std::memcpy(bytes, &whole, std::min(size, sizeof(T)));
    if (size > sizeof(T) && input_.byte() == 255) {
      bytes[size - 1] = 1;
    }
    return reinterpret_cast<T*>(bytes);
  }

  Input& input_;
  cl_context contexts_ = nullptr;
  std::tuple<Handles<clpool_allocator>, Handles<clpool_pool>, Handles<clpool_mem>, Handles<clpool_map>,
             Handles<clpool_heap>, Handles<clpool_trace>, Handles<clpool_trace_writer>,
             Handles<clpool_device_data>, Handles<clpool_memo>, Handles<clpool_memo_value>>
      handles_;
  std::vector<Range> ranges_;
  std::vector<cl_event> events_;
  std::vector<std::unique_ptr<unsigned char[]>> temporary_;
  std::vector<std::pair<const void*, std::size_t>> results_;  ///< in there
  std::vector<std::unique_ptr<unsigned char[]>> lasting_;
  std::vector<std::string> texts_;
};

inline clpool_status give_up(clpool_allocator* each) {
  return clpool_allocator_release(each);
}
inline clpool_status give_up(clpool_pool* each) {
  return clpool_pool_release(each);
}
inline clpool_status give_up(clpool_mem* each) {
  return clpool_mem_release(each);
}
inline clpool_status give_up(clpool_map* each) {
  return clpool_map_release(each);
}
inline clpool_status give_up(clpool_heap* each) {
  clpool_heap_destroy(each);
  return CLPOOL_SUCCESS;
}
inline clpool_status give_up(clpool_trace* each) {
  return clpool_trace_release(each);
}
inline clpool_status give_up(clpool_trace_writer* each) {
  static_cast<void>(clpool_trace_writer_release(each));
  return CLPOOL_SUCCESS;
}
inline clpool_status give_up(clpool_device_data* each) {
  return clpool_device_data_release(each);
}
inline clpool_status give_up(clpool_memo* each) {
  return clpool_memo_release(each);
}
inline clpool_status give_up(clpool_memo_value* each) {
  return clpool_memo_value_release(each);
}

template <typename T>
void World::keep(T* handle) {
  constexpr std::size_t most = 24;
  if (handles<T>().live.size() < most) {
    handles<T>().live.push_back(handle);
  } else {
    require(give_up(handle) == CLPOOL_SUCCESS, clpool_last_error_message());
  }
}

/// The only file that calls write: removed when the process ends, unless by _exit().
const std::string& own_file();

/// How calls are run beside what the input says.
struct Watch {
  std::function<void()> before;  ///< each call; may have the driver fail in it
  std::function<void(const char* name, const std::string& text)> after;  ///< with what it gave
};

/// A world on the device that the first byte chooses, and the calls that follow.
void run_calls(Input& input, const Watch& watch = {});

}  // namespace clpool::fuzz
