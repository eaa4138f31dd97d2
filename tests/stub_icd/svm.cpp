// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Shared virtual memory: allocation, and commands on it.
#include <bit>
#include <cstring>

#include "api.hpp"
#include "commands.hpp"
#include "device_profile.hpp"
#include "nvidia.hpp"

namespace stub {
namespace {

/// SVM of a context that `size` bytes at `pointer` lie in; null for the program's own memory.
Ref<Range> svm_at(const Context& context, const void* pointer, std::size_t size) {
  Range* const range = find_range(pointer);
  if (range == nullptr || range->kind != Kind::svm) {
    return {};
  }
  if (range->death != nullptr) {
    die("%p lies in SVM that %s freed", pointer, range->death);
  }
  const auto* const begin = static_cast<const unsigned char*>(pointer);
  require(range->context.get() == &context && begin + size <= range->begin + range->size, CL_INVALID_VALUE);
  return Ref<Range>(range);
}

/// The same, refusing memory that no device of the context shares.
Ref<Range> shared_at(const Context& context, const void* pointer, std::size_t size) {
  require(pointer != nullptr && size != 0, CL_INVALID_VALUE);
  Ref<Range> range = svm_at(context, pointer, size);
  require(range || (svm_capabilities() & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM) != 0, CL_INVALID_VALUE);
  return range;
}

bool is_allowed(cl_svm_mem_flags flags, std::size_t size, cl_uint alignment) {
  constexpr cl_svm_mem_flags access = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
  constexpr cl_svm_mem_flags grain = CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS;
  const bool fine = (flags & CL_MEM_SVM_FINE_GRAIN_BUFFER) != 0;
  const bool atomics = (flags & CL_MEM_SVM_ATOMICS) != 0;
  return (flags & ~(access | grain)) == 0 && std::popcount(flags & access) <= 1 && (fine || !atomics) &&
         (!fine || (svm_capabilities() & CL_DEVICE_SVM_FINE_GRAIN_BUFFER) != 0) &&
         (!atomics || (svm_capabilities() & CL_DEVICE_SVM_ATOMICS) != 0) && svm_capabilities() != 0 &&
         size != 0 && size <= state().options.largest_allocation() &&
         (alignment == 0 || (std::has_single_bit(alignment) && alignment <= 4096));
}

void end_svm(Range& range, const char* death) {
  if (range.death != nullptr) {
    die("SVM at %p is freed again: %s did before", static_cast<void*>(range.begin), range.death);
  }
  end_range(range, death);
  drop_reference(range);
}

/// The allocation that begins at `pointer`, to be freed.
Range& allocation_at(const Context& context, const void* pointer) {
  Range* const range = find_range(pointer);
  if (range == nullptr || range->kind != Kind::svm || range->begin != pointer ||
      range->context.get() != &context) {
    die("%p is not what clSVMAlloc gave for this context", pointer);
  }
  if (range->death != nullptr || range->is_ending) {
    die("SVM at %p is freed again: %s did before", pointer,
        range->death != nullptr ? range->death : "an enqueued clEnqueueSVMFree");
  }
  return *range;
}

using FreeCallback = void(CL_CALLBACK*)(cl_command_queue, cl_uint, void**, void*);

}  // namespace

namespace api {

void* CL_API_CALL clSVMAlloc(cl_context context, cl_svm_mem_flags flags, size_t size, cl_uint alignment) {
  return make(Entry::clSVMAlloc, nullptr, [&](Call&) -> void* {
    Context& c = checked(context, CL_INVALID_CONTEXT);
    require(is_allowed(flags, size, alignment), CL_INVALID_VALUE);
    std::uint64_t address = 0;
    require(take_device_memory(size, address), CL_MEM_OBJECT_ALLOCATION_FAILURE);
    auto* const range = new Range(Kind::svm);
    enlist(*range, STUB_SVM);
    range->context = Ref<Context>(&c);
    range->block = allocate_block(size, alignment == 0 ? 128 : alignment, true);
    range->begin = range->block.data;
    range->size = size;
    range->flags = flags;
    range->alignment = alignment;
    range->device_bytes = size;
    range->device_address = address;
    add_range(*range);
    return range->begin;
  });
}

void CL_API_CALL clSVMFree(cl_context context, void* pointer) {
  run(Entry::clSVMFree, [&](Call& call) {
    Context& c = checked(context, CL_INVALID_CONTEXT);
    if (pointer != nullptr) {
      const Ref<Range> range(&allocation_at(c, pointer));
      note_svm_free(call);  // may wait
      end_svm(*range, "clSVMFree");
    }
  });
}

cl_int CL_API_CALL clEnqueueSVMFree(cl_command_queue queue, cl_uint pointer_count, void** pointers,
                                    FreeCallback callback, void* user, cl_uint count, const cl_event* waits,
                                    cl_event* event) {
  return run(Entry::clEnqueueSVMFree, [&](Call& call) {
    Queue& q = checked(queue, CL_INVALID_COMMAND_QUEUE);
    require((pointer_count == 0) == (pointers == nullptr), CL_INVALID_VALUE);
    const Order order{CL_FALSE, count, waits, event};
    check_order(q, order);
    std::vector<Ref<Range>> ranges;
    std::vector<void*> list;
    for (cl_uint i = 0; i < pointer_count; ++i) {
      list.push_back(pointers[i]);
      if (callback == nullptr && pointers[i] != nullptr) {
        ranges.emplace_back(&allocation_at(*q.context, pointers[i]));
        ranges.back()->is_ending = true;
      }
    }
    enqueue(call, q, CL_COMMAND_SVM_FREE, order, [=, held = Ref<Queue>(&q)] {
      for (const Ref<Range>& range : ranges) {
        end_svm(*range, "clEnqueueSVMFree");
      }
      if (callback != nullptr) {
        state().callbacks.push_back([=, alive = held]() mutable {
          auto copy = list;
          callback(alive.get(), static_cast<cl_uint>(copy.size()), copy.data(), user);
          const std::lock_guard lock(state().mutex);
          alive = {};
        });
      }
    });
  });
}

cl_int CL_API_CALL clEnqueueSVMMemcpy(cl_command_queue queue, cl_bool blocking, void* target,
                                      const void* source, size_t size, cl_uint count, const cl_event* waits,
                                      cl_event* event) {
  return run(Entry::clEnqueueSVMMemcpy, [&](Call& call) {
    Queue& q = checked(queue, CL_INVALID_COMMAND_QUEUE);
    require(target != nullptr && source != nullptr && size != 0, CL_INVALID_VALUE);
    const auto* const to = static_cast<const unsigned char*>(target);
    const auto* const from = static_cast<const unsigned char*>(source);
    require(from + size <= to || to + size <= from, CL_MEM_COPY_OVERLAP);
    svm_at(*q.context, target, size);
    svm_at(*q.context, source, size);
    const Order order{blocking, count, waits, event};
    check_order(q, order);
    enqueue(call, q, CL_COMMAND_SVM_MEMCPY, order,
            [=, t = place_at(target), s = place_at(source)] { std::memcpy(t.bytes(), s.bytes(), size); });
  });
}

cl_int CL_API_CALL clEnqueueSVMMemFill(cl_command_queue queue, void* pointer, const void* pattern,
                                       size_t pattern_size, size_t size, cl_uint count, const cl_event* waits,
                                       cl_event* event) {
  return run(Entry::clEnqueueSVMMemFill, [&](Call& call) {
    Queue& q = checked(queue, CL_INVALID_COMMAND_QUEUE);
    shared_at(*q.context, pointer, size);
    require(pattern != nullptr && std::has_single_bit(pattern_size) && pattern_size <= 128 &&
                size % pattern_size == 0 && reinterpret_cast<std::uintptr_t>(pointer) % pattern_size == 0,
            CL_INVALID_VALUE);
    const Order order{CL_FALSE, count, waits, event};
    check_order(q, order);
    const auto* const first = static_cast<const unsigned char*>(pattern);
    enqueue(call, q, CL_COMMAND_SVM_MEMFILL, order,
            [=, t = place_at(pointer), bytes = std::vector<unsigned char>(first, first + pattern_size)] {
              repeat(bytes, t.bytes(), size);
            });
  });
}

cl_int CL_API_CALL clEnqueueSVMMap(cl_command_queue queue, cl_bool blocking, cl_map_flags flags,
                                   void* pointer, size_t size, cl_uint count, const cl_event* waits,
                                   cl_event* event) {
  return run(Entry::clEnqueueSVMMap, [&](Call& call) {
    Queue& q = checked(queue, CL_INVALID_COMMAND_QUEUE);
    const Ref<Range> range = shared_at(*q.context, pointer, size);
    require((flags & ~cl_map_flags{CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION}) == 0,
            CL_INVALID_VALUE);
    const Order order{blocking, count, waits, event};
    check_order(q, order);
    if (range) {
      range->mapped.insert(pointer);
    }
    enqueue(call, q, CL_COMMAND_SVM_MAP, order, [=] { require_alive(range, pointer); });
  });
}

cl_int CL_API_CALL clEnqueueSVMUnmap(cl_command_queue queue, void* pointer, cl_uint count,
                                     const cl_event* waits, cl_event* event) {
  return run(Entry::clEnqueueSVMUnmap, [&](Call& call) {
    Queue& q = checked(queue, CL_INVALID_COMMAND_QUEUE);
    const Ref<Range> range = shared_at(*q.context, pointer, 1);
    const Order order{CL_FALSE, count, waits, event};
    check_order(q, order);
    if (range) {
      const auto map = range->mapped.find(pointer);
      require(map != range->mapped.end(), CL_INVALID_VALUE);
      range->mapped.erase(map);
    }
    enqueue(call, q, CL_COMMAND_SVM_UNMAP, order, [=] { require_alive(range, pointer); });
  });
}

cl_int CL_API_CALL clEnqueueSVMMigrateMem(cl_command_queue queue, cl_uint pointer_count,
                                          const void** pointers, const size_t* sizes,
                                          cl_mem_migration_flags flags, cl_uint count, const cl_event* waits,
                                          cl_event* event) {
  return run(Entry::clEnqueueSVMMigrateMem, [&](Call& call) {
    Queue& q = checked(queue, CL_INVALID_COMMAND_QUEUE);
    constexpr cl_mem_migration_flags known =
        CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
    require(pointer_count != 0 && pointers != nullptr && (flags & ~known) == 0, CL_INVALID_VALUE);
    const Order order{CL_FALSE, count, waits, event};
    check_order(q, order);
    std::vector<Place> places;
    for (cl_uint i = 0; i < pointer_count; ++i) {
      shared_at(*q.context, pointers[i], sizes != nullptr && sizes[i] != 0 ? sizes[i] : 1);
      places.push_back(place_at(pointers[i]));
    }
    enqueue(call, q, CL_COMMAND_SVM_MIGRATE_MEM, order, [=] {
      for (const Place& place : places) {
        place.bytes();
      }
    });
  });
}

}  // namespace api
}  // namespace stub
