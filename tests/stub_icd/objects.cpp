// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Ends of objects.
#include "objects.hpp"

#include "memory.hpp"

namespace stub {
namespace {

template <typename F>
void with_type(Object& object, F&& f) {
  switch (object.kind) {
    case Kind::platform:
    case Kind::device:
      return;
    case Kind::context:
      return f(static_cast<Context&>(object));
    case Kind::queue:
      return f(static_cast<Queue&>(object));
    case Kind::mem:
      return f(static_cast<Mem&>(object));
    case Kind::event:
      return f(static_cast<Event&>(object));
    case Kind::sampler:
      return f(static_cast<Sampler&>(object));
    case Kind::program:
      return f(static_cast<Program&>(object));
    case Kind::kernel:
      return f(static_cast<Kernel&>(object));
    case Kind::svm:
    case Kind::map:
      return f(static_cast<Range&>(object));
  }
}

void make_destructor_calls(std::vector<std::function<void()>>& destructors) {
  for (auto call = destructors.rbegin(); call != destructors.rend(); ++call) {
    state().callbacks.push_back(std::move(*call));  // the last registered first
  }
  destructors.clear();
}

void give_up(Context& context) {
  make_destructor_calls(context.destructors);
}

void give_up(Queue& queue) {
  queue.context = {};
  queue.barrier = {};
}

void give_up(Mem& mem) {
  free_memory(mem);
  make_destructor_calls(mem.destructors);
  mem.parent = {};
  mem.context = {};
}

void give_up(Event& event) {
  event.effect = nullptr;
  event.dependencies.clear();
  event.dependents.clear();
  event.queue = {};
  event.context = {};
}

void give_up(Sampler& sampler) {
  sampler.context = {};
}

void give_up(Program& program) {
  program.source.clear();
  program.kernels.clear();
  program.context = {};
}

void give_up(Kernel& kernel) {
  kernel.values.clear();
  kernel.program = {};
}

void give_up(Range& range) {
  free_range(range);
  range.context = {};
}

}  // namespace

void clear(Object& object) {
  with_type(object, [](auto& typed) { give_up(typed); });
}

void delete_shell(Object& object) {
  with_type(object, [](auto& typed) { delete &typed; });
}

Platform& the_platform() {
  static Platform& platform = *[] {
    auto* p = new Platform;
    enlist(*p, STUB_KINDS);
    return p;
  }();
  return platform;
}

Device& device_at(int number) {
  static Device** const devices = [] {
    auto** all = new Device*[most_devices];
    for (int i = 0; i < most_devices; ++i) {
      all[i] = new Device(i);
      enlist(*all[i], STUB_KINDS);
    }
    return all;
  }();
  return *devices[number];
}

}  // namespace stub
