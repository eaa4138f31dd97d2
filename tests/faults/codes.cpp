// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The lists of errors of OpenCL 3.0, without those that a call cannot meet that the library makes right: a
// wrong handle is an error of the driver like any other to it, so those are in.
#include "faults/codes.hpp"

#include <map>

namespace clpool::test {
namespace {

using Codes = std::vector<cl_int>;

Codes with(Codes first, const Codes& more) {
  first.insert(first.end(), more.begin(), more.end());
  return first;
}

const Codes memory = {CL_OUT_OF_RESOURCES, CL_OUT_OF_HOST_MEMORY};
const Codes info = with(memory, {CL_INVALID_VALUE});

/// What every command may return; -9999 is in no list, but is what NVIDIA's driver returns once a kernel has
/// gone beyond its memory.
const Codes command = with(memory, {CL_INVALID_COMMAND_QUEUE, CL_INVALID_CONTEXT, CL_INVALID_EVENT_WAIT_LIST,
                                    CL_INVALID_OPERATION, -9999});
const Codes uses_memory =
    with({CL_MEM_OBJECT_ALLOCATION_FAILURE}, with(command, {CL_INVALID_VALUE, CL_INVALID_MEM_OBJECT}));
const Codes transfer =
    with(uses_memory, {CL_MISALIGNED_SUB_BUFFER_OFFSET, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST});
const Codes image_transfer = with(
    transfer, {CL_INVALID_IMAGE_SIZE, CL_IMAGE_FORMAT_NOT_SUPPORTED, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR});
const Codes svm_command = with(command, {CL_INVALID_VALUE, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST});
const Codes makes_memory = with({CL_MEM_OBJECT_ALLOCATION_FAILURE},
                                with(memory, {CL_INVALID_CONTEXT, CL_INVALID_VALUE, CL_INVALID_HOST_PTR}));
const Codes makes_image =
    with(makes_memory, {CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, CL_INVALID_IMAGE_DESCRIPTOR,
                        CL_INVALID_IMAGE_SIZE, CL_IMAGE_FORMAT_NOT_SUPPORTED, CL_INVALID_OPERATION});
const Codes makes_sampler = with(memory, {CL_INVALID_CONTEXT, CL_INVALID_VALUE, CL_INVALID_OPERATION});

const std::map<std::string, Codes>& table() {
  static const auto& all = *new std::map<std::string, Codes>{
      {"clGetPlatformIDs", {CL_OUT_OF_HOST_MEMORY, CL_INVALID_VALUE, -1001}},
      {"clGetPlatformInfo", {CL_OUT_OF_HOST_MEMORY, CL_INVALID_PLATFORM, CL_INVALID_VALUE}},
      {"clGetDeviceIDs",
       with(memory, {CL_INVALID_PLATFORM, CL_INVALID_DEVICE_TYPE, CL_INVALID_VALUE, CL_DEVICE_NOT_FOUND})},
      {"clGetDeviceInfo", with(info, {CL_INVALID_DEVICE})},
      {"clRetainDevice", with(memory, {CL_INVALID_DEVICE})},
      {"clReleaseDevice", with(memory, {CL_INVALID_DEVICE})},
      {"clCreateContext", with(memory, {CL_INVALID_PLATFORM, CL_INVALID_PROPERTY, CL_INVALID_VALUE,
                                        CL_INVALID_DEVICE, CL_DEVICE_NOT_AVAILABLE})},
      {"clRetainContext", with(memory, {CL_INVALID_CONTEXT})},
      {"clReleaseContext", with(memory, {CL_INVALID_CONTEXT})},
      {"clGetContextInfo", with(info, {CL_INVALID_CONTEXT})},
      {"clCreateCommandQueue",
       with(memory, {CL_INVALID_CONTEXT, CL_INVALID_DEVICE, CL_INVALID_VALUE, CL_INVALID_QUEUE_PROPERTIES})},
      {"clRetainCommandQueue", with(memory, {CL_INVALID_COMMAND_QUEUE})},
      {"clReleaseCommandQueue", with(memory, {CL_INVALID_COMMAND_QUEUE})},
      {"clGetCommandQueueInfo", with(info, {CL_INVALID_COMMAND_QUEUE})},
      {"clFlush", with(memory, {CL_INVALID_COMMAND_QUEUE, -9999})},
      {"clFinish", with(memory, {CL_INVALID_COMMAND_QUEUE, -9999})},
      {"clCreateBuffer", with(makes_memory, {CL_INVALID_BUFFER_SIZE})},
      {"clCreateSubBuffer",
       with(makes_memory, {CL_INVALID_MEM_OBJECT, CL_MISALIGNED_SUB_BUFFER_OFFSET, CL_INVALID_BUFFER_SIZE})},
      {"clCreateImage", makes_image},
      {"clCreateImage2D", makes_image},
      {"clCreateImage3D", makes_image},
      {"clCreatePipe", with(makes_memory, {CL_INVALID_PIPE_SIZE, CL_INVALID_OPERATION})},
      {"clGetPipeInfo", with(info, {CL_INVALID_MEM_OBJECT})},
      {"clRetainMemObject", with(memory, {CL_INVALID_MEM_OBJECT})},
      {"clReleaseMemObject", with(memory, {CL_INVALID_MEM_OBJECT})},
      {"clGetMemObjectInfo", with(info, {CL_INVALID_MEM_OBJECT})},
      {"clGetImageInfo", with(info, {CL_INVALID_MEM_OBJECT})},
      {"clGetSupportedImageFormats", with(info, {CL_INVALID_CONTEXT})},
      {"clCreateSampler", makes_sampler},
      {"clCreateSamplerWithProperties", makes_sampler},
      {"clReleaseSampler", with(memory, {CL_INVALID_SAMPLER})},
      {"clSVMAlloc", {CL_MEM_OBJECT_ALLOCATION_FAILURE}},  // NULL whatever the reason
      {"clEnqueueSVMFree", svm_command},
      {"clEnqueueSVMMemcpy", with(svm_command, {CL_MEM_COPY_OVERLAP})},
      {"clEnqueueSVMMemFill", svm_command},
      {"clEnqueueSVMMap", svm_command},
      {"clEnqueueSVMUnmap", svm_command},
      {"clEnqueueSVMMigrateMem", svm_command},
      {"clCreateProgramWithSource", with(memory, {CL_INVALID_CONTEXT, CL_INVALID_VALUE})},
      {"clReleaseProgram", with(memory, {CL_INVALID_PROGRAM})},
      {"clBuildProgram",
       with(memory, {CL_INVALID_PROGRAM, CL_INVALID_VALUE, CL_INVALID_DEVICE, CL_INVALID_BUILD_OPTIONS,
                     CL_COMPILER_NOT_AVAILABLE, CL_BUILD_PROGRAM_FAILURE, CL_INVALID_OPERATION})},
      {"clCreateKernel", with(memory, {CL_INVALID_PROGRAM, CL_INVALID_PROGRAM_EXECUTABLE,
                                       CL_INVALID_KERNEL_NAME, CL_INVALID_KERNEL_DEFINITION})},
      {"clReleaseKernel", with(memory, {CL_INVALID_KERNEL})},
      {"clSetKernelArg", with(memory, {CL_INVALID_KERNEL, CL_INVALID_ARG_INDEX, CL_INVALID_ARG_VALUE,
                                       CL_INVALID_MEM_OBJECT, CL_INVALID_ARG_SIZE})},
      {"clSetKernelArgSVMPointer",
       with(memory, {CL_INVALID_KERNEL, CL_INVALID_OPERATION, CL_INVALID_ARG_INDEX, CL_INVALID_ARG_VALUE})},
      {"clGetKernelInfo", with(info, {CL_INVALID_KERNEL})},
      {"clGetKernelWorkGroupInfo", with(info, {CL_INVALID_KERNEL, CL_INVALID_DEVICE})},
      {"clGetKernelSubGroupInfo", with(info, {CL_INVALID_KERNEL, CL_INVALID_DEVICE, CL_INVALID_OPERATION})},
      {"clWaitForEvents", with(memory, {CL_INVALID_VALUE, CL_INVALID_CONTEXT, CL_INVALID_EVENT,
                                        CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, -9999})},
      {"clGetEventInfo", with(info, {CL_INVALID_EVENT})},
      {"clGetEventProfilingInfo", with(info, {CL_INVALID_EVENT, CL_PROFILING_INFO_NOT_AVAILABLE})},
      {"clCreateUserEvent", with(memory, {CL_INVALID_CONTEXT})},
      {"clSetUserEventStatus", with(memory, {CL_INVALID_EVENT, CL_INVALID_VALUE, CL_INVALID_OPERATION})},
      {"clRetainEvent", with(memory, {CL_INVALID_EVENT})},
      {"clReleaseEvent", with(memory, {CL_INVALID_EVENT})},
      {"clEnqueueReadBuffer", transfer},
      {"clEnqueueWriteBuffer", transfer},
      {"clEnqueueCopyBuffer", with(transfer, {CL_MEM_COPY_OVERLAP})},
      {"clEnqueueFillBuffer", transfer},
      {"clEnqueueReadBufferRect", transfer},
      {"clEnqueueWriteBufferRect", transfer},
      {"clEnqueueCopyBufferRect", with(transfer, {CL_MEM_COPY_OVERLAP})},
      {"clEnqueueCopyBufferP2PAMD", transfer},
      {"clEnqueueReadImage", image_transfer},
      {"clEnqueueWriteImage", image_transfer},
      {"clEnqueueCopyImage", with(image_transfer, {CL_IMAGE_FORMAT_MISMATCH, CL_MEM_COPY_OVERLAP})},
      {"clEnqueueFillImage", image_transfer},
      {"clEnqueueCopyImageToBuffer", image_transfer},
      {"clEnqueueCopyBufferToImage", image_transfer},
      {"clEnqueueMapBuffer", with(transfer, {CL_MAP_FAILURE})},
      {"clEnqueueMapImage", with(image_transfer, {CL_MAP_FAILURE})},
      {"clEnqueueUnmapMemObject", uses_memory},
      {"clEnqueueMigrateMemObjects", uses_memory},
      {"clEnqueueNDRangeKernel",
       with(uses_memory,
            {CL_INVALID_PROGRAM_EXECUTABLE, CL_INVALID_KERNEL, CL_INVALID_KERNEL_ARGS,
             CL_INVALID_WORK_DIMENSION, CL_INVALID_WORK_GROUP_SIZE, CL_INVALID_GLOBAL_WORK_SIZE})},
      {"clEnqueueMarkerWithWaitList", command},
      {"clEnqueueBarrierWithWaitList", command},
      {"clEnqueueMarker", command},
      {"clEnqueueWaitForEvents", command},
  };
  return all;
}

}  // namespace

const std::vector<cl_int>& codes_of(const std::string& entry_point) {
  static const auto& none = *new Codes;
  const auto found = table().find(entry_point);
  return found != table().end() ? found->second : none;
}

bool is_fallible(const std::string& entry_point) {
  return entry_point.rfind("clRelease", 0) != 0 && entry_point != "clSVMFree" &&
         entry_point != "clIcdGetPlatformIDsKHR" && entry_point != "clGetExtensionFunctionAddress";
}

}  // namespace clpool::test
