// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The measurements behind this: driver 580 on an H200, OpenCL 3.0. "Touched" is a chunk that a command once
// used whole.
#include "nvidia.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "schedule.hpp"

namespace stub {
namespace {

bool overlap(const Mem& a, const Mem& b) {
  return a.offset < b.offset + b.size && b.offset < a.offset + a.size;
}

bool is_inside(const Mem& inner, const Mem& outer) {
  return inner.offset >= outer.offset && inner.offset + inner.size <= outer.offset + outer.size;
}

bool same_region(const Mem& a, const Mem& b) {
  return a.offset == b.offset && a.size == b.size;
}

unsigned long long number(const Mem& mem) {
  return static_cast<unsigned long long>(mem.id);
}

void wait_and_count(Call& call, const char* counter) {
  if (state().options.nvidia && wait_for_running(call)) {
    ++state().counters[counter];
  }
}

/// The older of two used, living, overlapping sub-buffers is released first: the driver's segmentation fault.
void die_of_newer_overlap(const Mem& part) {
  const Mem& root = *part.parent;
  for (const Mem* newer : root.parts) {
    const bool matters =
        newer->id > part.id && newer->is_used && overlap(*newer, part) && !same_region(*newer, part);
    if (matters && !(root.is_touched && is_inside(*newer, part))) {
      die("sub-buffer %llu, bytes %zu to %zu, is released before the newer, used sub-buffer %llu, bytes %zu "
          "to %zu, that it "
          "overlaps: NVIDIA's driver crashes here",
          number(part), part.offset, part.offset + part.size, number(*newer), newer->offset,
          newer->offset + newer->size);
    }
  }
}

/// A thread is at the driver's lists of used memory, or at those of parts; under the state's lock.
bool at_the_lists = false;
bool at_those_of_parts = false;

/// The command that this thread is about to enqueue uses a part, or a buffer that is not page-locked, for the first time.
thread_local bool uses_new_memory = false;

/// The state is as it is for other threads, for a moment in which they may come.
void let_others_come(Call& call) {
  call.lock().unlock();
  std::this_thread::sleep_for(std::chrono::microseconds(20));
  call.lock().lock();
}

/// What NVIDIA's driver does not protect: a thread that comes while another is at it finds it in pieces. Seen with parts
/// of one buffer, whatever the queues, and with parts and other buffers of one queue; here it is all the same. Not with
/// page-locked memory. So with a marker beside parts: on queues on which threads use parts, here on any.
void change_lists(Call& call, Mem& mem, const char* what) {
  if (!state().options.mixes_up_parts) {
    return;
  }
  if (at_the_lists) {
    die("memory %llu is %s while another thread does so: NVIDIA's driver crashes here", number(mem), what);
  }
  const Ref<Mem> alive(&mem);
  at_the_lists = true;
  at_those_of_parts = mem.is_sub_buffer();
  let_others_come(call);
  at_the_lists = at_those_of_parts = false;
}

}  // namespace

void note_new_part(Mem& part) {
  State& s = state();
  const Mem& root = *part.parent;
  s.counters["siblings_walked"] += root.parts.size();
  for (const Mem* sibling : root.parts) {
    if (!overlap(*sibling, part)) {
      continue;
    }
    ++s.counters["overlapping_parts"];
    if (s.options.dies_of_overlap) {
      die("a sub-buffer of bytes %zu to %zu overlaps the living sub-buffer %llu, bytes %zu to %zu",
          part.offset, part.offset + part.size, number(*sibling), sibling->offset,
          sibling->offset + sibling->size);
    }
  }
}

void note_use(Call& call, Mem& mem) {
  if (!mem.is_sub_buffer()) {
    Mem& root = mem.root();
    const bool is_first = !std::exchange(root.is_used, true);
    mem.is_used = root.is_touched = true;
    if (is_first && (mem.flags & CL_MEM_ALLOC_HOST_PTR) == 0) {
      change_lists(call, mem, "first used");
      uses_new_memory = state().options.mixes_up_parts;
    }
    return;
  }
  Mem& root = *mem.parent;
  State& s = state();
  for (const Mem* sibling : root.parts) {
    s.counters["overlaps_walked"] += sibling != &mem && overlap(*sibling, mem) ? 1 : 0;
  }
  if (!mem.is_used) {
    mem.is_used = true;
    if (!root.is_touched) {
      wait_and_count(call, "first_use_waits");
    }
    change_lists(call, mem, "first used");
    uses_new_memory = state().options.mixes_up_parts;
  }
}

void note_enqueue(Call& call, Queue& queue, cl_command_type type) {
  if (at_those_of_parts && type == CL_COMMAND_MARKER) {
    die("a marker is put into queue %llu while another thread first uses or releases a part: NVIDIA's driver "
        "never "
        "comes back, or crashes",
        static_cast<unsigned long long>(queue.id));
  }
  if (queue.is_at_first_use) {
    die("a command is put into queue %llu while another thread first uses memory there: NVIDIA's driver "
        "never "
        "comes back, or crashes",
        static_cast<unsigned long long>(queue.id));
  }
  if (std::exchange(uses_new_memory, false)) {
    const Ref<Queue> alive(&queue);
    queue.is_at_first_use = true;
    let_others_come(call);
    queue.is_at_first_use = false;
  }
}

void note_release(Call& call, Mem& mem) {
  State& s = state();
  if (!mem.is_sub_buffer()) {
    if (mem.is_used && mem.type == CL_MEM_OBJECT_BUFFER) {
      wait_and_count(call, "release_waits");
    }
    return;
  }
  s.counters["siblings_walked"] += mem.parent->parts.size();
  if (mem.is_used && s.options.nvidia) {
    die_of_newer_overlap(mem);
    if (!mem.parent->is_touched) {
      wait_and_count(call, "release_waits");
    }
  }
  if (mem.is_used) {
    change_lists(call, mem, "released after use");
  }
}

void note_svm_free(Call& call) {
  wait_and_count(call, "svm_free_waits");
}

void note_migration(const Mem& mem) {
  if (mem.is_sub_buffer() && state().options.nvidia) {
    die("sub-buffer %llu is migrated: NVIDIA's driver crashes on sub-buffers here", number(mem));
  }
}

}  // namespace stub
