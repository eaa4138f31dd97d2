// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Building of probe kernels.
#include "device/probe.hpp"

namespace clpool::core::device {

Status build_probe(cl_device_id device, cl_context context_or_null, const char* source, Probe& probe) {
  cl_int code = CL_SUCCESS;
  if (context_or_null != nullptr) {
    CLPOOL_TRY(cl::Context::share(context_or_null, probe.context));
  } else {
    probe.context = cl::Context::adopt(clCreateContext(nullptr, 1, &device, nullptr, nullptr, &code));
    if (code != CL_SUCCESS) {
      return fail_cl(code, "clCreateContext", "no context to build a probe kernel in");
    }
  }
  probe.program =
      cl::Program::adopt(clCreateProgramWithSource(probe.context.get(), 1, &source, nullptr, &code));
  if (code != CL_SUCCESS) {
    return fail_cl(code, "clCreateProgramWithSource", "the probe kernel cannot be built");
  }
  code = clBuildProgram(probe.program.get(), 1, &device, "", nullptr, nullptr);
  if (code != CL_SUCCESS) {
    return fail_cl(code, "clBuildProgram", "the probe kernel cannot be built");
  }
  probe.kernel = cl::Kernel::adopt(clCreateKernel(probe.program.get(), "probe", &code));
  if (code != CL_SUCCESS) {
    return fail_cl(code, "clCreateKernel", "the probe kernel cannot be made");
  }
  return Status::success;
}

Status probe_group_size_multiple(cl_device_id device, cl_context context_or_null, std::size_t& multiple) {
  Probe probe;
  CLPOOL_TRY(build_probe(device, context_or_null,
                         "__kernel void probe(__global float* values) { values[get_global_id(0)] = 0; }",
                         probe));
  const cl_int code =
      clGetKernelWorkGroupInfo(probe.kernel.get(), device, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE,
                               sizeof multiple, &multiple, nullptr);
  return code == CL_SUCCESS
             ? Status::success
             : fail_cl(code, "clGetKernelWorkGroupInfo", "no preferred multiple of the work-group size");
}

Status probe_struct_arguments(cl_device_id device, cl_context context_or_null, cl_uint& arguments) {
  Probe probe;
  CLPOOL_TRY(build_probe(device, context_or_null,
                         "struct pair { int first; int second; };"
                         "__kernel void probe(struct pair both) { }",
                         probe));
  const cl_int code =
      clGetKernelInfo(probe.kernel.get(), CL_KERNEL_NUM_ARGS, sizeof arguments, &arguments, nullptr);
  return code == CL_SUCCESS ? Status::success
                            : fail_cl(code, "clGetKernelInfo", "no number of arguments of the probe kernel");
}

}  // namespace clpool::core::device
