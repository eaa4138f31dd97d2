// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Kernels: making, arguments, queries.
#include <CL/cl_ext.h>

#include "api.hpp"
#include "device_profile.hpp"
#include "info.hpp"
#include "kernels.hpp"
#include "memory.hpp"

namespace stub {
namespace {

constexpr cl_kernel_work_group_info compile_sub_group_size_intel = 0x410A;

Kernel* make_kernel(Program& program, const KernelPlan& plan) {
  auto* const kernel = new Kernel;
  enlist(*kernel, STUB_KERNEL);
  kernel->program = Ref<Program>(&program);
  kernel->plan = plan;
  kernel->values.resize(plan.arguments.size());
  return kernel;
}

Program& built(cl_program program) {
  Program& p = checked(program, CL_INVALID_PROGRAM);
  require(p.status == CL_BUILD_SUCCESS, CL_INVALID_PROGRAM_EXECUTABLE);
  return p;
}

Kernel::Value read_value(const KernelArgument& argument, std::size_t size, const void* value) {
  Kernel::Value result;
  result.is_set = true;
  switch (argument.kind) {
    case STUB_LOCAL:
      require(value == nullptr, CL_INVALID_ARG_VALUE);
      require(size != 0, CL_INVALID_ARG_SIZE);
      result.local_size = size;
      return result;
    case STUB_GLOBAL:
    case STUB_IMAGE_ARG:
      require(size == sizeof(cl_mem), CL_INVALID_ARG_SIZE);
      if (value != nullptr && *static_cast<const cl_mem*>(value) != nullptr) {
        Mem& mem = checked(*static_cast<const cl_mem*>(value), CL_INVALID_MEM_OBJECT);
        require(mem.is_image() == (argument.kind == STUB_IMAGE_ARG), CL_INVALID_ARG_VALUE);
        result.mem = &mem;
        result.mem_id = mem.id;
      }
      require(result.mem != nullptr || argument.kind == STUB_GLOBAL, CL_INVALID_ARG_VALUE);
      return result;
    case STUB_SAMPLER_ARG:
      require(size == sizeof(cl_sampler), CL_INVALID_ARG_SIZE);
      require(value != nullptr, CL_INVALID_ARG_VALUE);
      result.sampler = &checked(*static_cast<const cl_sampler*>(value), CL_INVALID_SAMPLER);
      return result;
    case STUB_VALUE:
      require(argument.size == 0 || size == argument.size, CL_INVALID_ARG_SIZE);
      require(value != nullptr, CL_INVALID_ARG_VALUE);
      result.bytes.assign(static_cast<const unsigned char*>(value),
                          static_cast<const unsigned char*>(value) + size);
      return result;
  }
  refuse(CL_INVALID_ARG_VALUE);
}

}  // namespace

namespace api {

cl_kernel CL_API_CALL clCreateKernel(cl_program program, const char* name, cl_int* code) {
  return make(Entry::clCreateKernel, code, [&](Call&) {
    Program& p = built(program);
    require(name != nullptr, CL_INVALID_VALUE);
    for (const KernelPlan& plan : p.kernels) {
      if (plan.name == name) {
        return make_kernel(p, plan);
      }
    }
    refuse(CL_INVALID_KERNEL_NAME);
  });
}

cl_int CL_API_CALL clCreateKernelsInProgram(cl_program program, cl_uint size, cl_kernel* kernels,
                                            cl_uint* count) {
  return run(Entry::clCreateKernelsInProgram, [&](Call&) {
    Program& p = built(program);
    require(kernels == nullptr || size >= p.kernels.size(), CL_INVALID_VALUE);
    for (std::size_t i = 0; kernels != nullptr && i < p.kernels.size(); ++i) {
      kernels[i] = make_kernel(p, p.kernels[i]);
    }
    if (count != nullptr) {
      *count = static_cast<cl_uint>(p.kernels.size());
    }
  });
}

cl_kernel CL_API_CALL clCloneKernel(cl_kernel kernel, cl_int* code) {
  return make(Entry::clCloneKernel, code, [&](Call&) {
    Kernel& original = checked(kernel, CL_INVALID_KERNEL);
    Kernel* const clone = make_kernel(*original.program, original.plan);
    clone->values = original.values;
    clone->svm_pointers = original.svm_pointers;
    return clone;
  });
}

cl_int CL_API_CALL clRetainKernel(cl_kernel kernel) {
  return run(Entry::clRetainKernel, [&](Call&) { add_reference(checked(kernel, CL_INVALID_KERNEL)); });
}

cl_int CL_API_CALL clReleaseKernel(cl_kernel kernel) {
  return run(Entry::clReleaseKernel, [&](Call&) { drop_reference(checked(kernel, CL_INVALID_KERNEL)); });
}

cl_int CL_API_CALL clSetKernelArg(cl_kernel kernel, cl_uint index, size_t size, const void* value) {
  return run(Entry::clSetKernelArg, [&](Call&) {
    Kernel& k = checked(kernel, CL_INVALID_KERNEL);
    require(index < k.values.size(), CL_INVALID_ARG_INDEX);
    k.values[index] = read_value(k.plan.arguments[index], size, value);
  });
}

cl_int CL_API_CALL clSetKernelArgSVMPointer(cl_kernel kernel, cl_uint index, const void* pointer) {
  return run(Entry::clSetKernelArgSVMPointer, [&](Call&) {
    Kernel& k = checked(kernel, CL_INVALID_KERNEL);
    require(index < k.values.size(), CL_INVALID_ARG_INDEX);
    require(k.plan.arguments[index].kind == STUB_GLOBAL, CL_INVALID_ARG_VALUE);
    Kernel::Value value;
    value.is_set = true;
    value.svm = const_cast<void*>(pointer);
    k.values[index] = value;
  });
}

cl_int CL_API_CALL clSetKernelExecInfo(cl_kernel kernel, cl_kernel_exec_info name, size_t size,
                                       const void* value) {
  return run(Entry::clSetKernelExecInfo, [&](Call&) {
    Kernel& k = checked(kernel, CL_INVALID_KERNEL);
    require(value != nullptr && size != 0, CL_INVALID_VALUE);
    if (name == CL_KERNEL_EXEC_INFO_SVM_PTRS) {
      require(size % sizeof(void*) == 0, CL_INVALID_VALUE);
      const auto* const first = static_cast<void* const*>(value);
      k.svm_pointers.assign(first, first + size / sizeof(void*));
      return;
    }
    require(name == CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM && size == sizeof(cl_bool), CL_INVALID_VALUE);
  });
}

cl_int CL_API_CALL clGetKernelInfo(cl_kernel kernel, cl_kernel_info name, size_t size, void* value,
                                   size_t* needed) {
  return run(Entry::clGetKernelInfo, [&](Call&) {
    const Kernel& k = checked(kernel, CL_INVALID_KERNEL);
    const Answer answer(size, value, needed);
    switch (name) {
      case CL_KERNEL_FUNCTION_NAME:
        return answer.text(k.plan.name);
      case CL_KERNEL_NUM_ARGS:
        return answer.value(static_cast<cl_uint>(k.plan.arguments.size()));
      case CL_KERNEL_REFERENCE_COUNT:
        return answer.value(static_cast<cl_uint>(k.references));
      case CL_KERNEL_CONTEXT:
        return answer.value(k.program->context.get());
      case CL_KERNEL_PROGRAM:
        return answer.value(k.program.get());
      case CL_KERNEL_ATTRIBUTES:
        return answer.text("");
      default:
        refuse(CL_INVALID_VALUE);
    }
  });
}

cl_int CL_API_CALL clGetKernelArgInfo(cl_kernel kernel, cl_uint index, cl_kernel_arg_info name, size_t size,
                                      void* value, size_t* needed) {
  return run(Entry::clGetKernelArgInfo, [&](Call&) {
    const Kernel& k = checked(kernel, CL_INVALID_KERNEL);
    require(index < k.plan.arguments.size(), CL_INVALID_ARG_INDEX);
    require(k.program->build_options.find("-cl-kernel-arg-info") != std::string::npos,
            CL_KERNEL_ARG_INFO_NOT_AVAILABLE);
    const Answer answer(size, value, needed);
    switch (name) {
      case CL_KERNEL_ARG_TYPE_NAME:
        return answer.text(k.plan.arguments[index].type);
      case CL_KERNEL_ARG_NAME:
        return answer.text(k.plan.arguments[index].name);
      default:
        refuse(CL_INVALID_VALUE);
    }
  });
}

cl_int CL_API_CALL clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device,
                                            cl_kernel_work_group_info name, size_t size, void* value,
                                            size_t* needed) {
  return run(Entry::clGetKernelWorkGroupInfo, [&](Call&) {
    const Kernel& k = checked(kernel, CL_INVALID_KERNEL);
    if (device != nullptr) {
      checked(device, CL_INVALID_DEVICE);
    }
    const Answer answer(size, value, needed);
    switch (name) {
      case CL_KERNEL_WORK_GROUP_SIZE:
        return answer.value<std::size_t>(1024);
      case CL_KERNEL_COMPILE_WORK_GROUP_SIZE:
        return answer.list(std::vector<std::size_t>(3, 0));
      case CL_KERNEL_LOCAL_MEM_SIZE:
        return answer.value<cl_ulong>(k.plan.name == "with_local" ? 4096 : 0);
      case CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
        return answer.value<std::size_t>(32);
      case CL_KERNEL_PRIVATE_MEM_SIZE:
        return answer.value<cl_ulong>(0);
      case compile_sub_group_size_intel:
        require(has_extension("cl_intel_required_subgroup_size"), CL_INVALID_VALUE);
        return answer.value<std::size_t>(8);
      default:
        refuse(CL_INVALID_VALUE);
    }
  });
}

cl_int CL_API_CALL clGetKernelSubGroupInfo(cl_kernel kernel, cl_device_id, cl_kernel_sub_group_info name,
                                           size_t, const void*, size_t size, void* value, size_t* needed) {
  return run(Entry::clGetKernelSubGroupInfo, [&](Call&) {
    checked(kernel, CL_INVALID_KERNEL);
    const Answer answer(size, value, needed);
    switch (name) {
      case CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE:
        return answer.value<std::size_t>(32);
      case CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE:
      case CL_KERNEL_MAX_NUM_SUB_GROUPS:
        return answer.value<std::size_t>(32);
      case CL_KERNEL_COMPILE_NUM_SUB_GROUPS:
        return answer.value<std::size_t>(0);
      default:
        refuse(CL_INVALID_VALUE);
    }
  });
}

}  // namespace api
}  // namespace stub
