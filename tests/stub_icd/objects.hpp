// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The objects behind OpenCL's handles: fields, and who keeps whom. What is done with them has its own files.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "state.hpp"

namespace stub {

/// Host memory of the driver's own: what buffers, SVM and mapped regions are made of.
struct HostBlock {
  unsigned char* data = nullptr;
  std::size_t size = 0;
  bool is_mmapped = false;
};

using Triple = std::array<std::size_t, 3>;

/// A box of bytes in memory: where it begins, and how far rows and slices lie apart.
struct Box {
  std::size_t begin = 0;
  std::size_t row_pitch = 0;
  std::size_t slice_pitch = 0;
};

/// Memory that a program knows by address: SVM, and regions of mapped buffers and images. A dead one stays
/// for a while, so that who still uses its address is found out.
struct Range : Object {
  using Object::Object;
  Ref<_cl_context> context;
  HostBlock block;  ///< empty: the program's own memory (CL_MEM_USE_HOST_PTR)
  unsigned char* begin = nullptr;
  std::size_t size = 0;
  const char* death = nullptr;  ///< the call that ended it; null: it lives
  bool is_ending = false;       ///< its unmap or free is enqueued
  cl_mem_flags flags = 0;       ///< of SVM
  cl_uint alignment = 0;        ///< of SVM
  std::uint64_t device_bytes = 0;
  std::uint64_t device_address = 0;
  std::multiset<const void*> mapped;  ///< of SVM: pointers of its maps
  Box in_memory, in_region;           ///< of a mapped region: what it mirrors, and how
  Triple extent = {};
};

}  // namespace stub

struct _cl_platform_id : stub::Object {
  static constexpr stub::Kind own_kind = stub::Kind::platform;
  static bool is_usable(const _cl_platform_id&) { return true; }
  _cl_platform_id() : Object(own_kind) {}
};

struct _cl_device_id : stub::Object {
  static constexpr stub::Kind own_kind = stub::Kind::device;
  static bool is_usable(const _cl_device_id&) { return true; }
  explicit _cl_device_id(int n) : Object(own_kind), number(n) {}
  int number;
  std::map<std::uint64_t, _cl_event*> ready;  ///< commands that may run, by age
  _cl_event* running = nullptr;
  bool has_worker = false;
};

struct _cl_context : stub::Object {
  static constexpr stub::Kind own_kind = stub::Kind::context;
  /// While an object of it lives it may be asked for and used (clGet…Info gives it without a reference).
  static bool is_usable(const _cl_context&) { return true; }
  _cl_context() : Object(own_kind) {}
  std::vector<_cl_device_id*> devices;
  std::vector<cl_context_properties> properties;
  std::vector<std::function<void()>> destructors;
};

struct _cl_command_queue : stub::Object {
  static constexpr stub::Kind own_kind = stub::Kind::queue;
  static bool is_usable(const _cl_command_queue& queue) { return queue.references > 0; }
  _cl_command_queue() : Object(own_kind) {}
  stub::Ref<_cl_context> context;
  _cl_device_id* device = nullptr;
  cl_command_queue_properties properties = 0;
  std::vector<cl_queue_properties> property_list;
  std::map<std::uint64_t, stub::Ref<_cl_event>> pending;  ///< by age
  stub::Ref<_cl_event> barrier;                           ///< the last one, while it has not run
  bool has_unflushed = false;                             ///< commands since the last flush
  bool is_at_first_use = false;                           ///< a thread enqueues the first use of memory
  std::uint64_t busy_until = 0;                           ///< simulated
  bool is_out_of_order() const { return (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0; }
};

struct _cl_mem : stub::Object {
  static constexpr stub::Kind own_kind = stub::Kind::mem;
  static bool is_usable(const _cl_mem& mem) { return mem.references > 0; }
  _cl_mem() : Object(own_kind) {}
  stub::Ref<_cl_context> context;
  stub::Ref<_cl_mem> parent;   ///< of a sub-buffer, and of an image in a buffer
  stub::Ref<stub::Range> svm;  ///< that the host pointer lies in
  cl_mem_object_type type = CL_MEM_OBJECT_BUFFER;
  cl_mem_flags flags = 0;
  std::size_t size = 0;
  std::size_t offset = 0;  ///< in the parent
  void* host_pointer = nullptr;
  unsigned char* data = nullptr;
  stub::HostBlock block;
  std::vector<cl_mem_properties> properties;
  std::vector<std::function<void()>> destructors;
  std::vector<stub::Ref<stub::Range>> maps;

  bool is_resident = false;
  std::uint64_t device_address = 0;
  bool is_used = false;         ///< by a command
  bool is_touched = false;      ///< used as a whole, not by a part
  std::vector<_cl_mem*> parts;  ///< sub-buffers that the program has, oldest first

  cl_image_format format = {};
  std::size_t item_size = 0;
  std::size_t shape[3] = {1, 1, 1};  ///< pixels, rows, slices; layers count as the last one in use
  std::size_t row_pitch = 0;
  std::size_t slice_pitch = 0;
  cl_uint packet_size = 0;
  cl_uint packets = 0;

  bool is_sub_buffer() const { return type == CL_MEM_OBJECT_BUFFER && parent; }
  bool is_image() const { return type != CL_MEM_OBJECT_BUFFER && type != CL_MEM_OBJECT_PIPE; }
  _cl_mem& root() { return parent ? parent->root() : *this; }
};

/// A command and its event are one object; a user event is one without a command.
struct _cl_event : stub::Object {
  static constexpr stub::Kind own_kind = stub::Kind::event;
  static bool is_usable(const _cl_event& event) { return event.references > 0 || event.calls_back != 0; }
  _cl_event() : Object(own_kind) {}
  struct Dependent {
    stub::Ref<_cl_event> event;
    bool by_wait_list;
  };
  struct Callback {
    cl_int when;
    void(CL_CALLBACK* function)(cl_event, cl_int, void*);
    void* user;
  };
  stub::Ref<_cl_context> context;
  stub::Ref<_cl_command_queue> queue;  ///< null for a user event
  cl_command_type type = 0;
  cl_int status = CL_QUEUED;
  unsigned unmet = 0;  ///< what has to happen before it may run: dependencies, and a flush
  bool awaits_flush = false;
  bool wait_failed = false;
  std::vector<stub::Ref<_cl_event>> dependencies;
  std::vector<Dependent> dependents;
  std::function<void()> effect;
  std::vector<Callback> callbacks;
  unsigned calls_back = 0;  ///< callbacks under way: they may use the event
  cl_ulong queued = 0, submitted = 0, started = 0, ended = 0;  ///< simulated
  bool is_done() const { return status <= CL_COMPLETE; }
};

struct _cl_sampler : stub::Object {
  static constexpr stub::Kind own_kind = stub::Kind::sampler;
  static bool is_usable(const _cl_sampler& sampler) { return sampler.references > 0; }
  _cl_sampler() : Object(own_kind) {}
  stub::Ref<_cl_context> context;
  cl_bool normalized = CL_TRUE;
  cl_addressing_mode addressing = CL_ADDRESS_CLAMP;
  cl_filter_mode filter = CL_FILTER_NEAREST;
  std::vector<cl_sampler_properties> properties;
};

namespace stub {

struct KernelArgument {
  stub_arg_kind kind;
  std::string type;
  std::string name;
  std::size_t size;  ///< of a value; 0: unknown
};

struct KernelPlan {
  std::string name;
  std::vector<KernelArgument> arguments;
  stub_kernel_function function = nullptr;
  void* user = nullptr;
};

}  // namespace stub

struct _cl_program : stub::Object {
  static constexpr stub::Kind own_kind = stub::Kind::program;
  static bool is_usable(const _cl_program& program) { return program.references > 0; }
  _cl_program() : Object(own_kind) {}
  stub::Ref<_cl_context> context;
  std::string source;
  std::string log;
  std::string build_options;
  cl_build_status status = CL_BUILD_NONE;
  bool is_binary = false;
  std::vector<stub::KernelPlan> kernels;
};

struct _cl_kernel : stub::Object {
  static constexpr stub::Kind own_kind = stub::Kind::kernel;
  static bool is_usable(const _cl_kernel& kernel) { return kernel.references > 0; }
  _cl_kernel() : Object(own_kind) {}
  struct Value {
    bool is_set = false;
    std::vector<unsigned char> bytes;
    cl_mem mem = nullptr;  ///< not held, as OpenCL has it: it must live when the kernel is enqueued
    std::uint64_t mem_id = 0;
    cl_sampler sampler = nullptr;
    void* svm = nullptr;
    std::size_t local_size = 0;
  };
  stub::Ref<_cl_program> program;
  stub::KernelPlan plan;
  std::vector<Value> values;
  std::vector<void*> svm_pointers;  ///< reached indirectly
};

namespace stub {

using Context = _cl_context;
using Queue = _cl_command_queue;
using Device = _cl_device_id;
using Platform = _cl_platform_id;
using Mem = _cl_mem;
using Event = _cl_event;
using Sampler = _cl_sampler;
using Program = _cl_program;
using Kernel = _cl_kernel;

/// Gives up what a destroyed object has; and later its shell.
void clear(Object& object);
void delete_shell(Object& object);

Platform& the_platform();
/// There are always most_devices; as many as the option says can be found.
Device& device_at(int number);

}  // namespace stub
