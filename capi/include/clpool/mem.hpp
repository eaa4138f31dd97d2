// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// C++ layer over mem.h, buffer.h, info.h, transfer.h, svm.h, image.h, pipe.h and map.h: owning types,
// exceptions or error codes (clpool/error.hpp). Header only, C++17; what the functions do is documented
// there.
#ifndef CLPOOL_MEM_HPP
#define CLPOOL_MEM_HPP

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <type_traits>
#include <vector>

#if defined(__has_include) && __cplusplus >= 202002L
#if __has_include(<span>)
#include <span>
#endif
#endif

#include "clpool/buffer.h"
#include "clpool/command.hpp"
#include "clpool/error.hpp"
#include "clpool/image.h"
#include "clpool/info.h"
#include "clpool/map.h"
#include "clpool/mem.h"
#include "clpool/pipe.h"
#include "clpool/pool.h"
#include "clpool/svm.h"
#include "clpool/transfer.h"

namespace clpool {

/// A part of memory: from `offset` on, `size` bytes or all that is left.
struct Range {
  std::size_t offset = 0;
  std::size_t size = CLPOOL_WHOLE_SIZE;
};

/// A mapping; unmapped when it goes.
class Map {
 public:
  Map() noexcept = default;
  explicit Map(clpool_map* map) noexcept : map_(map) {}

  void* pointer() const noexcept { return clpool_map_pointer(get()); }
  std::size_t size() const noexcept { return clpool_map_size(get()); }
  std::size_t row_pitch() const noexcept { return clpool_map_row_pitch(get()); }
  std::size_t slice_pitch() const noexcept { return clpool_map_slice_pitch(get()); }
  template <typename T>
  T* as() const noexcept {
    return static_cast<T*>(pointer());
  }
#ifdef __cpp_lib_span
  /// The whole items of size() bytes; of an image, with what lies between its rows. Empty once unmapped.
  template <typename T>
  std::span<T> span() const noexcept {
    static_assert(std::is_trivially_copyable<T>::value, "devices copy bytes");
    return pointer() == nullptr ? std::span<T>() : std::span<T>(as<T>(), size() / sizeof(T));
  }
#endif
  /// On the queue that mapped. Again: no command.
  void unmap(OnError error = {}) {
    error(clpool_map_unmap(get(), nullptr, 0, nullptr, nullptr));
  }
  void unmap(const On& on, OnError error = {}) {
    error(clpool_map_unmap(get(), on.queue(), on.wait_count(), on.waits(), on.event()));
  }
  clpool_map* get() const noexcept {
    return map_.get();
  }
  explicit operator bool() const noexcept {
    return map_ != nullptr;
  }
  void reset() noexcept {
    map_.reset();
  }

 private:
  struct Release {
    void operator()(clpool_map* map) const noexcept { clpool_map_release(map); }
  };
  std::unique_ptr<clpool_map, Release> map_;
};

/// One reference on a piece of memory; goes back to its pool or to the driver with the object.
class Mem {
 public:
  Mem() noexcept = default;
  /// Takes over the caller's reference.
  explicit Mem(clpool_mem* mem) noexcept : mem_(mem) {}

  // Making memory.
  static Mem buffer(cl_context context, std::size_t size, cl_mem_flags flags = 0, OnError error = {}) {
    return made(error, clpool_buffer_create, context, flags, size, nullptr, std::size_t{0});
  }
  /// With CL_MEM_USE_HOST_PTR or CL_MEM_COPY_HOST_PTR among the flags.
  static Mem buffer(cl_context context, void* host, std::size_t host_size, cl_mem_flags flags,
                    OnError error = {}) {
    return made(error, clpool_buffer_create, context, flags, std::size_t{0}, host, host_size);
  }
  static Mem wrap(cl_mem handle, bool retain = true, OnError error = {}) {
    return made(error, clpool_mem_wrap, handle, retain ? 1 : 0);
  }
  static Mem svm(cl_context context, std::size_t size, cl_svm_mem_flags flags = 0, cl_uint alignment = 0,
                 cl_command_queue queue = nullptr, OnError error = {}) {
    return made(error, clpool_svm_create, context, flags, size, alignment, queue);
  }
  static Mem wrap_svm(cl_context context, void* pointer, std::size_t size, bool system = false,
                      OnError error = {}) {
    return made(error, clpool_svm_wrap, context, pointer, size, system ? 1 : 0);
  }
  static Mem image(cl_context context, const clpool_image_options& options, OnError error = {}) {
    return made(error, clpool_image_create, context, &options);
  }
  static Mem image(cl_context context, const clpool_image_array& array, OnError error = {}) {
    return made(error, clpool_image_create_from_array, context, &array);
  }
  static Mem pipe(cl_context context, cl_uint packet_size, cl_uint max_packets, cl_mem_flags flags = 0,
                  OnError error = {}) {
    return made(error, clpool_pipe_create, context, flags, packet_size, max_packets);
  }
  Mem sub_region(std::size_t origin, std::size_t size = CLPOOL_WHOLE_SIZE, cl_mem_flags flags = 0,
                 OnError error = {}) const {
    return made(error, clpool_mem_sub_region, get(), origin, size, flags);
  }
  Mem as_buffer(cl_mem_flags flags = 0, std::size_t size = CLPOOL_WHOLE_SIZE, OnError error = {}) const {
    return made(error, clpool_svm_as_buffer, get(), flags, size);
  }
  /// A second reference on the same memory.
  Mem share(OnError error = {}) const { return error(clpool_mem_retain(get())) ? Mem(get()) : Mem(); }

  // Giving it back before the object goes.
  void release(OnError error = {}) { error(clpool_mem_release(mem_.release())); }
  /// Without waiting and without calling a driver.
  void release_later(OnError error = {}) { error(clpool_mem_release_later(mem_.release())); }
  /// Behind a queue; on failure the memory stays.
  void release_on(const On& on, OnError error = {}) {
    if (error(clpool_mem_release_on(get(), on.queue(), on.wait_count(), on.waits(), on.event()))) {
      static_cast<void>(mem_.release());
    }
  }
  /// A block that no command uses any more.
  void release_idle(OnError error = {}) { error(clpool_mem_release_idle(mem_.release())); }
  /// True if the memory went back, which took neither waiting nor a driver call; else it stays, for release() or
  /// release_later().
  bool try_release() noexcept {
    if (clpool_mem_try_release(get()) != CLPOOL_SUCCESS) {
      return false;
    }
    static_cast<void>(mem_.release());
    return true;
  }
  /// The block is handed out again only when these events are complete; any number of calls add to each other. Does not
  /// release it.
  void release_after(std::initializer_list<cl_event> events, OnError error = {}) {
    release_after(events.begin(), events.size(), error);
  }
  void release_after(const std::vector<cl_event>& events, OnError error = {}) {
    release_after(events.data(), events.size(), error);
  }
  void release_after(const Event& event, OnError error = {}) { release_after({event.get()}, error); }
  void used_on(cl_command_queue queue, OnError error = {}) { error(clpool_mem_used_on(get(), queue)); }
  void bind_queue(cl_command_queue queue, OnError error = {}) { error(clpool_mem_bind_queue(get(), queue)); }
  void unbind_queue(OnError error = {}) { error(clpool_mem_unbind_queue(get())); }
  void set_tag(uint64_t tag, OnError error = {}) { error(clpool_mem_set_tag(get(), tag)); }

  // Questions.
  cl_mem handle() const noexcept { return clpool_mem_handle(get()); }
  void* pointer() const noexcept { return clpool_mem_pointer(get()); }
  std::size_t size() const noexcept { return clpool_mem_size(get()); }
  std::size_t capacity() const noexcept { return clpool_mem_capacity(get()); }
  clpool_mem_kind_t kind() const noexcept { return clpool_mem_kind(get()); }
  bool is_pooled() const noexcept { return clpool_mem_is_pooled(get()) != 0; }
  cl_context context(OnError error = {}) const {
    cl_context context = nullptr;
    error(clpool_mem_context(get(), &context));
    return context;
  }
  /// Any property that is one number, handle or address.
  uint64_t info(cl_uint name, OnError error = {}) const {
    uint64_t value = 0;
    error(clpool_mem_info_number(get(), name, &value));
    return value;
  }
  /// A CL_MEM_… property of any type.
  template <typename T>
  T info_as(cl_mem_info name, OnError error = {}) const {
    T value{};
    error(clpool_mem_info(get(), name, sizeof value, &value, nullptr));
    return value;
  }
  template <typename T>
  T image_info_as(cl_image_info name, OnError error = {}) const {
    T value{};
    error(clpool_image_info(get(), name, sizeof value, &value, nullptr));
    return value;
  }
  template <typename T>
  T pipe_info_as(cl_uint name, OnError error = {}) const {
    T value{};
    error(clpool_pipe_info(get(), name, sizeof value, &value, nullptr));
    return value;
  }
  struct Place {
    cl_mem root = nullptr;
    std::size_t offset = 0;
  };
  Place root(OnError error = {}) const {
    Place place;
    error(clpool_mem_root(get(), &place.root, &place.offset));
    return place;
  }
  struct HostMemory {
    void* pointer = nullptr;
    std::size_t size = 0;
  };
  HostMemory host_memory(OnError error = {}) const {
    HostMemory memory;
    error(clpool_mem_host_memory(get(), &memory.pointer, &memory.size));
    return memory;
  }
  std::vector<std::size_t> shape(OnError error = {}) const {
    uint32_t dimensions = 0;
    std::size_t shape[3] = {};
    error(clpool_image_shape(get(), &dimensions, shape));
    return std::vector<std::size_t>(shape, shape + dimensions);
  }
  cl_image_format format(OnError error = {}) const {
    cl_image_format format = {};
    error(clpool_image_format(get(), &format));
    return format;
  }
  void set_kernel_arg(cl_kernel kernel, cl_uint index, OnError error = {}) const {
    error(clpool_mem_set_kernel_arg(get(), kernel, index));
  }
  friend bool operator==(const Mem& a, const Mem& b) noexcept {
    return a.get() == b.get() || clpool_mem_equal(a.get(), b.get()) != 0;
  }
  friend bool operator!=(const Mem& a, const Mem& b) noexcept { return !(a == b); }

  // Commands on buffers and SVM.
  template <typename T>
  void fill(const On& on, const T& pattern, Range range = {}, OnError error = {}) {
    static_assert(std::is_trivially_copyable<T>::value, "devices copy bytes");
    error(clpool_mem_fill(on.queue(), get(), &pattern, sizeof pattern, range.offset, range.size,
                          on.wait_count(), on.waits(), on.event()));
  }
  void copy_from(const On& on, const Mem& source, std::size_t source_offset = 0, Range range = {},
                 OnError error = {}) {
    error(clpool_mem_copy(on.queue(), get(), range.offset, source.get(), source_offset, range.size,
                          on.wait_count(), on.waits(), on.event()));
  }
  void copy_p2p_from(const On& on, const Mem& source, std::size_t source_offset = 0, Range range = {},
                     OnError error = {}) {
    error(clpool_mem_copy_p2p(on.queue(), get(), range.offset, source.get(), source_offset, range.size,
                              on.wait_count(), on.waits(), on.event()));
  }
  void read(const On& on, void* host, std::size_t host_size, Range range = {}, OnError error = {}) const {
    error(clpool_mem_read(on.queue(), get(), range.offset, range.size, host, host_size, on.blocking(),
                          on.wait_count(), on.waits(), on.event()));
  }
  void write(const On& on, const void* host, std::size_t host_size, Range range = {}, OnError error = {}) {
    error(clpool_mem_write(on.queue(), get(), range.offset, range.size, host, host_size, on.blocking(),
                           on.wait_count(), on.waits(), on.event()));
  }
#ifdef __cpp_lib_span
  /// All items of `host`, from `offset` bytes on.
  template <typename T, std::size_t count>
  void read(const On& on, std::span<T, count> host, std::size_t offset = 0, OnError error = {}) const {
    static_assert(std::is_trivially_copyable<T>::value, "devices copy bytes");
    read(on, host.data(), host.size_bytes(), Range{offset, host.size_bytes()}, error);
  }
  template <typename T, std::size_t count>
  void write(const On& on, std::span<T, count> host, std::size_t offset = 0, OnError error = {}) {
    static_assert(std::is_trivially_copyable<T>::value, "devices copy bytes");
    write(on, host.data(), host.size_bytes(), Range{offset, host.size_bytes()}, error);
  }
  /// A buffer with a copy of the items.
  template <typename T, std::size_t count>
  static Mem buffer(cl_context context, std::span<T, count> items, cl_mem_flags flags = 0,
                    OnError error = {}) {
    static_assert(std::is_trivially_copyable<T>::value, "devices copy bytes");
    // OpenCL takes a pointer that is not const, and only reads where it is to copy.
    return buffer(context, const_cast<std::remove_const_t<T>*>(items.data()), items.size_bytes(),
                  flags | CL_MEM_COPY_HOST_PTR, error);
  }
#endif
  void copy_box_from(const On& on, const Mem& source, const clpool_box& box, OnError error = {}) {
    error(
        clpool_mem_copy_box(on.queue(), get(), source.get(), &box, on.wait_count(), on.waits(), on.event()));
  }
  void read_box(const On& on, const clpool_box& box, void* host, std::size_t host_size,
                OnError error = {}) const {
    error(clpool_mem_read_box(on.queue(), get(), &box, host, host_size, on.blocking(), on.wait_count(),
                              on.waits(), on.event()));
  }
  void write_box(const On& on, const clpool_box& box, const void* host, std::size_t host_size,
                 OnError error = {}) {
    error(clpool_mem_write_box(on.queue(), get(), &box, host, host_size, on.blocking(), on.wait_count(),
                               on.waits(), on.event()));
  }
  Map map(const On& on, cl_map_flags flags, Range range = {}, OnError error = {}) const {
    clpool_map* map = nullptr;
    error(clpool_mem_map(on.queue(), get(), flags, range.offset, range.size, on.blocking(), on.wait_count(),
                         on.waits(), on.event(), &map));
    return Map(map);
  }

  // Commands on images.
  /// Of all channels, whether the image has them or not: float, int32_t or uint32_t as the format's channels are read.
  template <typename T>
  void fill_image(const On& on, const T (&color)[4], Triple origin, Triple region, OnError error = {}) {
    static_assert(std::is_trivially_copyable<T>::value, "devices copy bytes");
    error(clpool_image_fill(on.queue(), get(), color, sizeof color, origin.data(), region.data(),
                            on.wait_count(), on.waits(), on.event()));
  }
  /// Of an image of CL_DEPTH.
  void fill_image(const On& on, float depth, Triple origin, Triple region, OnError error = {}) {
    error(clpool_image_fill(on.queue(), get(), &depth, sizeof depth, origin.data(), region.data(),
                            on.wait_count(), on.waits(), on.event()));
  }
  void read_image(const On& on, Triple origin, Triple region, void* host, std::size_t host_size,
                  std::size_t row_pitch = 0, std::size_t slice_pitch = 0, OnError error = {}) const {
    error(clpool_image_read(on.queue(), get(), origin.data(), region.data(), row_pitch, slice_pitch, host,
                            host_size, on.blocking(), on.wait_count(), on.waits(), on.event()));
  }
  void write_image(const On& on, Triple origin, Triple region, const void* host, std::size_t host_size,
                   std::size_t row_pitch = 0, std::size_t slice_pitch = 0, OnError error = {}) {
    error(clpool_image_write(on.queue(), get(), origin.data(), region.data(), row_pitch, slice_pitch, host,
                             host_size, on.blocking(), on.wait_count(), on.waits(), on.event()));
  }
  void copy_image_from(const On& on, Triple origin, const Mem& source, Triple source_origin, Triple region,
                       OnError error = {}) {
    error(clpool_image_copy(on.queue(), get(), origin.data(), source.get(), source_origin.data(),
                            region.data(), on.wait_count(), on.waits(), on.event()));
  }
  void copy_image_to_buffer(const On& on, Triple origin, Triple region, const Mem& buffer,
                            std::size_t offset = 0, OnError error = {}) const {
    error(clpool_image_copy_to_buffer(on.queue(), buffer.get(), offset, get(), origin.data(), region.data(),
                                      on.wait_count(), on.waits(), on.event()));
  }
  void copy_image_from_buffer(const On& on, Triple origin, Triple region, const Mem& buffer,
                              std::size_t offset = 0, OnError error = {}) {
    error(clpool_image_copy_from_buffer(on.queue(), get(), origin.data(), region.data(), buffer.get(), offset,
                                        on.wait_count(), on.waits(), on.event()));
  }
  Map map_image(const On& on, cl_map_flags flags, Triple origin, Triple region, OnError error = {}) const {
    clpool_map* map = nullptr;
    error(clpool_image_map(on.queue(), get(), flags, origin.data(), region.data(), on.blocking(),
                           on.wait_count(), on.waits(), on.event(), &map));
    return Map(map);
  }

  clpool_mem* get() const noexcept {
    return mem_.get();
  }
  explicit operator bool() const noexcept {
    return mem_ != nullptr;
  }
  /// Hands the reference to the caller.
  clpool_mem* detach() noexcept {
    return mem_.release();
  }

 private:
  struct Release {
    void operator()(clpool_mem* mem) const noexcept { clpool_mem_release(mem); }
  };
  void release_after(const cl_event* events, std::size_t count, OnError error) {
    error(clpool_mem_release_after(get(), static_cast<uint32_t>(count), events));
  }
  template <typename Function, typename... Arguments>
  static Mem made(OnError error, Function function, Arguments... arguments) {
    clpool_mem* mem = nullptr;
    error(function(arguments..., &mem));
    return Mem(mem);
  }
  std::unique_ptr<clpool_mem, Release> mem_;
};

namespace detail {

inline const Mem* address_of(const Mem& mem) noexcept {
  return &mem;
}
inline const Mem* address_of(const Mem* mem) noexcept {
  return mem;
}

template <typename Mems>
void migrate(const On& on, const Mems& mems, cl_mem_migration_flags flags, OnError error) {
  std::vector<clpool_mem*> handles;
  for (const auto& mem : mems) {
    const Mem* const address = address_of(mem);
    handles.push_back(address != nullptr ? address->get() : nullptr);
  }
  error(clpool_mem_migrate(on.queue(), handles.data(), static_cast<uint32_t>(handles.size()), flags,
                           on.wait_count(), on.waits(), on.event()));
}

}  // namespace detail

/// Moves memory to the queue's device, or to the host.
inline void migrate(const On& on, std::initializer_list<const Mem*> mems, cl_mem_migration_flags flags = 0,
                    OnError error = {}) {
  detail::migrate(on, mems, flags, error);
}
inline void migrate(const On& on, const std::vector<const Mem*>& mems, cl_mem_migration_flags flags = 0,
                    OnError error = {}) {
  detail::migrate(on, mems, flags, error);
}
inline void migrate(const On& on, const std::vector<Mem>& mems, cl_mem_migration_flags flags = 0,
                    OnError error = {}) {
  detail::migrate(on, mems, flags, error);
}

inline cl_bitfield svm_capabilities(cl_device_id device, OnError error = {}) {
  cl_bitfield capabilities = 0;
  error(clpool_svm_capabilities(device, &capabilities));
  return capabilities;
}

}  // namespace clpool

#endif
