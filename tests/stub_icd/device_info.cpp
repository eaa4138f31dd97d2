// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// clGetDeviceInfo and the other calls about devices: a table of answers, each with its OpenCL version.
#include <CL/cl_ext.h>

#include <functional>
#include <unordered_map>

#include "api.hpp"
#include "device_profile.hpp"
#include "info.hpp"
#include "objects.hpp"

namespace stub {
namespace {

struct Property {
  Version since;
  std::function<void(const Answer&, const Device&)> give;
};
using Table = std::unordered_map<cl_device_info, Property>;

template <typename T>
std::function<void(const Answer&, const Device&)> constant(T value) {
  return [value](const Answer& answer, const Device&) { answer.value(value); };
}

std::function<void(const Answer&, const Device&)> words(const char* value) {
  return [value](const Answer& answer, const Device&) { answer.text(value); };
}

/// Of the options as they are when the question is asked.
template <typename F>
std::function<void(const Answer&, const Device&)> option(F f) {
  return [f](const Answer& answer, const Device&) { answer.value(f(state().options)); };
}

void add_identity(Table& table) {
  table[CL_DEVICE_TYPE] = {{1, 0}, [](const Answer& a, const Device&) { a.value(device_type()); }};
  table[CL_DEVICE_VENDOR_ID] = {
      {1, 0}, option([](const Options& o) { return o.nvidia ? cl_uint{0x10DE} : cl_uint{0xC1}; })};
  table[CL_DEVICE_NAME] = {{1, 0}, [](const Answer& a, const Device& d) {
                             a.text("clpool stub device " + std::to_string(d.number));
                           }};
  table[CL_DEVICE_VENDOR] = {
      {1, 0}, [](const Answer& a, const Device&) {
        a.text(state().options.nvidia ? "NVIDIA Corporation" : "The libclpool project");
      }};
  table[CL_DRIVER_VERSION] = {{1, 0}, words("1.0")};
  table[CL_DEVICE_PROFILE] = {{1, 0}, words("FULL_PROFILE")};
  table[CL_DEVICE_VERSION] = {
      {1, 0}, [](const Answer& a, const Device&) { a.text(version_text() + " clpool-stub"); }};
  table[CL_DEVICE_OPENCL_C_VERSION] = {{1, 1}, words("OpenCL C 1.2 ")};
  table[CL_DEVICE_EXTENSIONS] = {{1, 0}, [](const Answer& a, const Device&) { a.text(extension_list()); }};
  table[CL_DEVICE_PLATFORM] = {
      {1, 0}, [](const Answer& a, const Device&) { a.value<cl_platform_id>(&the_platform()); }};
  table[CL_DEVICE_BUILT_IN_KERNELS] = {{1, 2}, words("")};
  table[CL_DEVICE_NUMERIC_VERSION] = {{3, 0},
                                      [](const Answer& a, const Device&) { a.value(numeric_version()); }};
  table[CL_DEVICE_IL_VERSION] = {{2, 1}, words("")};
  table[CL_DEVICE_PARENT_DEVICE] = {{1, 2}, constant<cl_device_id>(nullptr)};
  table[CL_DEVICE_REFERENCE_COUNT] = {{1, 2}, constant<cl_uint>(1)};
  table[CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED] = {{3, 0}, words("")};
}

void add_memory(Table& table) {
  table[CL_DEVICE_GLOBAL_MEM_SIZE] = {{1, 0}, option([](const Options& o) { return cl_ulong{o.global}; })};
  table[CL_DEVICE_MAX_MEM_ALLOC_SIZE] = {
      {1, 0}, option([](const Options& o) { return cl_ulong{o.largest_allocation()}; })};
  table[CL_DEVICE_MEM_BASE_ADDR_ALIGN] = {
      {1, 0}, option([](const Options& o) { return static_cast<cl_uint>(o.alignment * 8); })};
  table[CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE] = {{1, 0}, constant<cl_uint>(128)};
  table[CL_DEVICE_HOST_UNIFIED_MEMORY] = {{1, 1},
                                          option([](const Options& o) { return cl_bool{o.unified}; })};
  table[CL_DEVICE_LOCAL_MEM_TYPE] = {{1, 0}, constant<cl_device_local_mem_type>(CL_LOCAL)};
  table[CL_DEVICE_LOCAL_MEM_SIZE] = {{1, 0}, constant<cl_ulong>(48 << 10)};
  table[CL_DEVICE_GLOBAL_MEM_CACHE_TYPE] = {{1, 0}, constant<cl_device_mem_cache_type>(CL_READ_WRITE_CACHE)};
  table[CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE] = {{1, 0}, constant<cl_uint>(64)};
  table[CL_DEVICE_GLOBAL_MEM_CACHE_SIZE] = {{1, 0}, constant<cl_ulong>(1 << 20)};
  table[CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE] = {{1, 0}, constant<cl_ulong>(64 << 10)};
  table[CL_DEVICE_MAX_CONSTANT_ARGS] = {{1, 0}, constant<cl_uint>(9)};
  table[CL_DEVICE_SVM_CAPABILITIES] = {{2, 0},
                                       [](const Answer& a, const Device&) { a.value(svm_capabilities()); }};
  table[CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE] = {{2, 0}, constant<std::size_t>(0)};
  for (const cl_device_info name :
       {CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT, CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT,
        CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT, CL_DEVICE_MAX_PIPE_ARGS,
        CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS}) {
    table[name] = {{2, 0}, constant<cl_uint>(16)};
  }
  table[CL_DEVICE_PIPE_MAX_PACKET_SIZE] = {{2, 0}, constant<cl_uint>(1024)};
  table[CL_DEVICE_PIPE_SUPPORT] = {{3, 0}, constant<cl_bool>(CL_TRUE)};
}

void add_execution(Table& table) {
  table[CL_DEVICE_MAX_COMPUTE_UNITS] = {{1, 0}, constant<cl_uint>(4)};
  table[CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS] = {{1, 0}, constant<cl_uint>(3)};
  table[CL_DEVICE_MAX_WORK_GROUP_SIZE] = {{1, 0}, constant<std::size_t>(1024)};
  table[CL_DEVICE_MAX_WORK_ITEM_SIZES] = {
      {1, 0}, [](const Answer& a, const Device&) { a.list(std::vector<std::size_t>(3, 1024)); }};
  table[CL_DEVICE_MAX_CLOCK_FREQUENCY] = {{1, 0}, constant<cl_uint>(1000)};
  table[CL_DEVICE_ADDRESS_BITS] = {{1, 0}, constant<cl_uint>(64)};
  table[CL_DEVICE_MAX_PARAMETER_SIZE] = {{1, 0}, constant<std::size_t>(4096)};
  table[CL_DEVICE_ERROR_CORRECTION_SUPPORT] = {{1, 0}, constant<cl_bool>(CL_FALSE)};
  table[CL_DEVICE_PROFILING_TIMER_RESOLUTION] = {{1, 0}, constant<std::size_t>(1)};
  for (const cl_device_info name : {CL_DEVICE_ENDIAN_LITTLE, CL_DEVICE_AVAILABLE}) {
    table[name] = {{1, 0}, constant<cl_bool>(CL_TRUE)};
  }
  for (const cl_device_info name : {CL_DEVICE_COMPILER_AVAILABLE, CL_DEVICE_LINKER_AVAILABLE}) {
    table[name] = {{1, 0}, option([](const Options& o) { return cl_bool{o.compiler}; })};
  }
  table[CL_DEVICE_EXECUTION_CAPABILITIES] = {{1, 0}, constant<cl_device_exec_capabilities>(CL_EXEC_KERNEL)};
  table[CL_DEVICE_QUEUE_PROPERTIES] = {
      {1, 0}, option([](const Options& o) {
        constexpr cl_command_queue_properties in_order = CL_QUEUE_PROFILING_ENABLE;
        return o.out_of_order ? in_order | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : in_order;
      })};
  table[CL_DEVICE_SINGLE_FP_CONFIG] = {{1, 0},
                                       constant<cl_device_fp_config>(CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN)};
  table[CL_DEVICE_DOUBLE_FP_CONFIG] = {
      {1, 2}, [](const Answer& a, const Device&) {
        a.value(cl_device_fp_config{has_extension("cl_khr_fp64") ? 63U : 0U});
      }};
  for (cl_device_info name = CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR;
       name <= CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE; ++name) {
    table[name] = {{1, 0}, constant<cl_uint>(1)};
  }
  for (cl_device_info name = CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR; name <= CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF;
       ++name) {
    table[name] = {{1, 1}, constant<cl_uint>(1)};
  }
  table[CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF] = {{1, 1}, constant<cl_uint>(0)};
  table[CL_DEVICE_PRINTF_BUFFER_SIZE] = {{1, 2}, constant<std::size_t>(1 << 20)};
  table[CL_DEVICE_PREFERRED_INTEROP_USER_SYNC] = {{1, 2}, constant<cl_bool>(CL_TRUE)};
  table[CL_DEVICE_PARTITION_MAX_SUB_DEVICES] = {{1, 2}, constant<cl_uint>(1)};
  table[CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE] = {{3, 0}, constant<std::size_t>(32)};
  table[CL_DEVICE_MAX_NUM_SUB_GROUPS] = {{2, 1}, constant<cl_uint>(32)};
  table[CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS] = {{2, 1}, constant<cl_bool>(CL_TRUE)};
}

void add_images(Table& table) {
  table[CL_DEVICE_IMAGE_SUPPORT] = {{1, 0}, option([](const Options& o) { return cl_bool{o.images}; })};
  // Each another one.
  table[CL_DEVICE_IMAGE2D_MAX_WIDTH] = {
      {1, 0}, option([](const Options& o) { return std::size_t{o.images ? 16384U : 0U}; })};
  table[CL_DEVICE_IMAGE2D_MAX_HEIGHT] = {
      {1, 0}, option([](const Options& o) { return std::size_t{o.images ? 8192U : 0U}; })};
  table[CL_DEVICE_IMAGE3D_MAX_WIDTH] = {
      {1, 0}, option([](const Options& o) { return std::size_t{o.images ? 4096U : 0U}; })};
  table[CL_DEVICE_IMAGE3D_MAX_HEIGHT] = {
      {1, 0}, option([](const Options& o) { return std::size_t{o.images ? 3072U : 0U}; })};
  table[CL_DEVICE_IMAGE3D_MAX_DEPTH] = {
      {1, 0}, option([](const Options& o) { return std::size_t{o.images ? 2560U : 0U}; })};
  table[CL_DEVICE_IMAGE_MAX_BUFFER_SIZE] = {
      {1, 2}, option([](const Options& o) { return std::size_t{o.images ? 1U << 24 : 0U}; })};
  table[CL_DEVICE_IMAGE_MAX_ARRAY_SIZE] = {
      {1, 2}, option([](const Options& o) { return std::size_t{o.images ? 2048U : 0U}; })};
  for (const cl_device_info name :
       {CL_DEVICE_MAX_READ_IMAGE_ARGS, CL_DEVICE_MAX_WRITE_IMAGE_ARGS, CL_DEVICE_MAX_SAMPLERS}) {
    table[name] = {{1, 0}, option([](const Options& o) { return o.images ? cl_uint{128} : cl_uint{0}; })};
  }
  for (const cl_device_info name :
       {CL_DEVICE_IMAGE_PITCH_ALIGNMENT, CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT}) {
    table[name] = {{2, 0}, constant<cl_uint>(1)};
  }
  table[CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS] = {{2, 0}, constant<cl_uint>(0)};
}

/// Of cl_nv_device_attribute_query.
void add_nvidia(Table& table) {
  const auto nv = [](cl_uint value) {
    return [value](const Answer& answer, const Device&) {
      require(has_extension("cl_nv_device_attribute_query"), CL_INVALID_VALUE);
      answer.value(value);
    };
  };
  table[CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV] = {{1, 0}, nv(9)};
  table[CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV] = {{1, 0}, nv(0)};
  table[CL_DEVICE_REGISTERS_PER_BLOCK_NV] = {{1, 0}, nv(65536)};
  table[CL_DEVICE_WARP_SIZE_NV] = {{1, 0}, nv(32)};
  for (const cl_device_info name :
       {CL_DEVICE_GPU_OVERLAP_NV, CL_DEVICE_KERNEL_EXEC_TIMEOUT_NV, CL_DEVICE_INTEGRATED_MEMORY_NV}) {
    table[name] = {{1, 0}, nv(0)};
  }
}

const Table& properties() {
  static const Table& table = *[] {
    auto* t = new Table;
    add_identity(*t);
    add_memory(*t);
    add_execution(*t);
    add_images(*t);
    add_nvidia(*t);
    return t;
  }();
  return table;
}

}  // namespace

namespace api {

cl_int CL_API_CALL clGetDeviceInfo(cl_device_id device, cl_device_info name, size_t size, void* value,
                                   size_t* needed) {
  return run(Entry::clGetDeviceInfo, [&](Call&) {
    checked(device, CL_INVALID_DEVICE);
    const auto found = properties().find(name);
    require(found != properties().end() && state().options.version >= found->second.since, CL_INVALID_VALUE);
    found->second.give(Answer(size, value, needed), *device);
  });
}

cl_int CL_API_CALL clCreateSubDevices(cl_device_id device, const cl_device_partition_property*, cl_uint,
                                      cl_device_id*, cl_uint*) {
  return run(Entry::clCreateSubDevices, [&](Call&) {
    checked(device, CL_INVALID_DEVICE);
    refuse(CL_DEVICE_PARTITION_FAILED);
  });
}

/// Devices that are no sub-devices are not counted.
cl_int CL_API_CALL clRetainDevice(cl_device_id device) {
  return run(Entry::clRetainDevice, [&](Call&) { checked(device, CL_INVALID_DEVICE); });
}

cl_int CL_API_CALL clReleaseDevice(cl_device_id device) {
  return run(Entry::clReleaseDevice, [&](Call&) { checked(device, CL_INVALID_DEVICE); });
}

cl_int CL_API_CALL clGetDeviceAndHostTimer(cl_device_id device, cl_ulong* device_time, cl_ulong* host_time) {
  return run(Entry::clGetDeviceAndHostTimer, [&](Call&) {
    checked(device, CL_INVALID_DEVICE);
    require(device_time != nullptr && host_time != nullptr, CL_INVALID_VALUE);
    *device_time = *host_time = state().now;
  });
}

cl_int CL_API_CALL clGetHostTimer(cl_device_id device, cl_ulong* host_time) {
  return run(Entry::clGetHostTimer, [&](Call&) {
    checked(device, CL_INVALID_DEVICE);
    require(host_time != nullptr, CL_INVALID_VALUE);
    *host_time = state().now;
  });
}

}  // namespace api
}  // namespace stub
