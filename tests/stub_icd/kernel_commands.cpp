// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Running kernels and native functions.
#include <algorithm>

#include "api.hpp"
#include "commands.hpp"
#include "device_profile.hpp"
#include "image.hpp"

namespace stub {
namespace {

/// An argument as it is when the kernel is enqueued, holding what it needs.
struct BoundArgument {
  stub_arg_kind kind;
  std::string type;
  std::vector<unsigned char> bytes;
  Ref<Mem> mem;
  Place svm;
  std::size_t local_size = 0;
};

BoundArgument bind(Call& call, const Queue& queue, const KernelArgument& argument,
                   const Kernel::Value& value) {
  require(value.is_set, CL_INVALID_KERNEL_ARGS);
  BoundArgument bound{argument.kind, argument.type, value.bytes, {}, {}, value.local_size};
  if (value.mem != nullptr) {
    Mem& mem = operand(queue, value.mem);
    if (mem.id != value.mem_id) {
      die("argument '%s' was set to memory object %llu, which was released", argument.name.c_str(),
          static_cast<unsigned long long>(value.mem_id));
    }
    use(call, mem);
    bound.mem = Ref<Mem>(&mem);
  }
  if (value.svm != nullptr) {
    bound.svm = place_at(value.svm);
    require(bound.svm.range || (svm_capabilities() & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM) != 0,
            CL_INVALID_ARG_VALUE);
  }
  return bound;
}

/// `scratch` keeps local memory for the time of the launch.
stub_arg resolve(const BoundArgument& bound, std::vector<std::vector<unsigned char>>& scratch) {
  stub_arg arg = {};
  arg.kind = bound.kind;
  arg.type = bound.type.c_str();
  std::fill(std::begin(arg.shape), std::end(arg.shape), 1);
  if (bound.mem) {
    arg.data = bytes_of(bound.mem);
    arg.size = bound.mem->size;
    std::copy_n(bound.mem->shape, 3, arg.shape);
    arg.row_pitch = bound.mem->row_pitch;
    arg.slice_pitch = bound.mem->slice_pitch;
  } else if (bound.svm.pointer != nullptr) {
    arg.data = bound.svm.bytes();
    arg.size =
        bound.svm.range
            ? static_cast<std::size_t>(bound.svm.range->begin + bound.svm.range->size - bound.svm.pointer)
            : 0;
  } else if (bound.kind == STUB_LOCAL) {
    scratch.emplace_back(bound.local_size);
    arg.data = scratch.back().data();
    arg.size = bound.local_size;
  } else if (bound.kind == STUB_VALUE) {
    arg.data = const_cast<unsigned char*>(bound.bytes.data());
    arg.size = bound.bytes.size();
  }
  return arg;
}

void launch(const KernelPlan& plan, stub_launch shape, const std::vector<BoundArgument>& arguments) {
  std::vector<std::vector<unsigned char>> scratch;
  std::vector<stub_arg> args;
  for (const BoundArgument& argument : arguments) {
    args.push_back(resolve(argument, scratch));
  }
  shape.arg_count = static_cast<cl_uint>(args.size());
  shape.args = args.data();
  shape.user = plan.user;
  plan.function(&shape);
}

void enqueue_kernel(Call& call, Queue& queue, cl_kernel kernel, const stub_launch& shape,
                    const Order& order) {
  Kernel& k = checked(kernel, CL_INVALID_KERNEL);
  require(k.program->context.get() == queue.context.get(), CL_INVALID_CONTEXT);
  check_order(queue, order);
  std::vector<BoundArgument> arguments;
  for (std::size_t i = 0; i < k.values.size(); ++i) {
    arguments.push_back(bind(call, queue, k.plan.arguments[i], k.values[i]));
  }
  std::vector<Place> reached;
  for (void* const pointer : k.svm_pointers) {
    reached.push_back(place_at(pointer));
  }
  enqueue(call, queue, CL_COMMAND_NDRANGE_KERNEL, order, [=, plan = k.plan] {
    for (const Place& place : reached) {
      place.bytes();
    }
    launch(plan, shape, arguments);
  });
}

stub_launch read_shape(cl_uint dimensions, const size_t* offset, const size_t* global, const size_t* local) {
  require(dimensions >= 1 && dimensions <= 3, CL_INVALID_WORK_DIMENSION);
  require(global != nullptr, CL_INVALID_GLOBAL_WORK_SIZE);
  stub_launch shape = {};
  shape.dimensions = dimensions;
  std::fill(std::begin(shape.global), std::end(shape.global), 1);
  std::size_t items = 1;
  for (cl_uint i = 0; i < dimensions; ++i) {
    require(global[i] != 0, CL_INVALID_GLOBAL_WORK_SIZE);
    require(local == nullptr || (local[i] != 0 && global[i] % local[i] == 0), CL_INVALID_WORK_GROUP_SIZE);
    items *= local == nullptr ? 1 : local[i];
    shape.global[i] = global[i];
    shape.offset[i] = offset == nullptr ? 0 : offset[i];
  }
  require(items <= 1024, CL_INVALID_WORK_GROUP_SIZE);
  return shape;
}

}  // namespace

namespace api {

cl_int CL_API_CALL clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                                          const size_t* offset, const size_t* global, const size_t* local,
                                          cl_uint count, const cl_event* waits, cl_event* event) {
  return run(Entry::clEnqueueNDRangeKernel, [&](Call& call) {
    Queue& q = checked(queue, CL_INVALID_COMMAND_QUEUE);
    enqueue_kernel(call, q, kernel, read_shape(dimensions, offset, global, local),
                   {CL_FALSE, count, waits, event});
  });
}

cl_int CL_API_CALL clEnqueueTask(cl_command_queue queue, cl_kernel kernel, cl_uint count,
                                 const cl_event* waits, cl_event* event) {
  return run(Entry::clEnqueueTask, [&](Call& call) {
    Queue& q = checked(queue, CL_INVALID_COMMAND_QUEUE);
    const std::size_t one = 1;
    enqueue_kernel(call, q, kernel, read_shape(1, nullptr, &one, &one), {CL_FALSE, count, waits, event});
  });
}

/// CL_DEVICE_EXECUTION_CAPABILITIES does not have them.
cl_int CL_API_CALL clEnqueueNativeKernel(cl_command_queue queue, void(CL_CALLBACK*)(void*), void*, size_t,
                                         cl_uint, const cl_mem*, const void**, cl_uint, const cl_event*,
                                         cl_event*) {
  return run(Entry::clEnqueueNativeKernel, [&](Call&) {
    checked(queue, CL_INVALID_COMMAND_QUEUE);
    refuse(CL_INVALID_OPERATION);
  });
}

}  // namespace api
}  // namespace stub
