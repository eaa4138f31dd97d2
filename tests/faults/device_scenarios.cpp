// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Facts about devices: choice, characterization, device data and occupancy, the speed.
#include "faults/world.hpp"

namespace clpool::test {
namespace {

using Context = Owned<cl_context, release_aside<clReleaseContext, cl_context>>;
using Queue = Owned<cl_command_queue, release_aside<clReleaseCommandQueue, cl_command_queue>>;
using DeviceData = Owned<clpool_device_data*, clpool_device_data_release>;

clpool_status choose(World& world) {
  cl_device_id device = nullptr;
  clpool_device_options options = CLPOOL_DEVICE_OPTIONS_INIT;
  options.flags = CLPOOL_DEVICE_IGNORE_ENVIRONMENT;
  options.types = CL_DEVICE_TYPE_GPU;
  CALL(clpool_device_choose(&options, &device));
  world.require(device == world.cl.device, "another device is chosen");
  options.selector = "clpool stub";
  CALL(clpool_device_choose(&options, &device));
  std::size_t count = 0;
  CALL(clpool_device_list(nullptr, &device, 1, &count));
  CALL(clpool_device_list_for_tests(&device, 1, &count));
  char text[64] = "";
  CALL(clpool_device_describe(world.cl.device, text, sizeof text, &count));
  return CLPOOL_SUCCESS;
}

clpool_status make_context(World& world) {
  cl_device_id device = nullptr;
  Context context;
  Queue queue;
  CALL(clpool_context_create_default(nullptr, &device, context.receive(), queue.receive()));
  world.require(context != nullptr && queue != nullptr, "a default context lacks something");
  return CLPOOL_SUCCESS;
}

template <uint32_t memory>
clpool_status make_pool_of_default_context(World& world) {
  cl_device_id device = nullptr;
  Context context;
  Queue queue;
  Pool pool;
  CALL(clpool_pool_create_default(nullptr, memory, nullptr, pool.receive(), &device, context.receive(),
                                  queue.receive()));
  world.require(context != nullptr && queue != nullptr, "a pool of a default context lacks something");
  Mem mem;
  CALL(clpool_pool_allocate(pool, 5000, mem.receive()));
  return CLPOOL_SUCCESS;
}

template <uint32_t model>
clpool_status characterize(World& world) {
  const cl_device_id device = world.cl.device;
  clpool_answer answer = CLPOOL_ANSWER_INIT;
  char text[256] = "";
  std::size_t needed = 0;
  CALL(clpool_characterize_fast_build_options(device, model, text, sizeof text, &needed));
  CALL(clpool_characterize_amd_double_support(device, &answer));
  CALL(clpool_characterize_double_support(device, model, &answer));
  CALL(clpool_characterize_local_access_granularity(device, model, &answer));
  CALL(clpool_characterize_local_access_work_items(device, model, &answer));
  CALL(clpool_characterize_local_bank_count(device, model, &answer));
  CALL(clpool_characterize_simd_group_size(device, model, &answer));
  CALL(clpool_characterize_source_build_cache(device, &answer));
  CALL(clpool_characterize_sub_groups(device, &answer));
  cl_bitfield svm = 0;
  CALL(clpool_svm_capabilities(device, &svm));
  uint32_t sizes[8] = {};
  CALL(clpool_characterize_simd_group_sizes(device, sizes, 8, &needed, &answer));
  CALL(clpool_characterize_usable_local_memory(device, -1, &answer));
  const std::size_t shape[] = {16, 33};
  CALL(clpool_characterize_local_access_conflicts(device, model, 4, shape, 2, nullptr, 0, &answer, text,
                                                  sizeof text, &needed));
  for (uint32_t kind = CLPOOL_SVM_KIND_COARSE_BUFFER; kind <= CLPOOL_SVM_KIND_FINE_SYSTEM_ATOMICS; ++kind) {
    CALL(clpool_characterize_svm(device, kind, model, &answer));
  }
  return CLPOOL_SUCCESS;
}

clpool_status characterize_by_kernels(World& world) {
  const cl_device_id device = world.cl.device;
  clpool_answer answer = CLPOOL_ANSWER_INIT;
  CALL(clpool_characterize_work_group_size_multiple(device, world.cl.context, CLPOOL_MODEL_CURRENT, &answer));
  CALL(clpool_characterize_work_group_size_multiple(device, nullptr, CLPOOL_MODEL_PYOPENCL, &answer));
  CALL(clpool_characterize_struct_argument_bug(device, world.cl.context, &answer));
  if (world.kernel != nullptr) {
    CALL(clpool_characterize_simd_group_size_of_kernel(device, world.kernel, &answer));
    CALL(clpool_characterize_usable_local_memory_of_kernel(device, world.kernel, &answer));
  }
  return CLPOOL_SUCCESS;
}

clpool_status measure(World& world) {
  clpool_performance_options options = CLPOOL_PERFORMANCE_OPTIONS_INIT;
  options.repetitions = 1;
  options.warm_ups = 1;
  options.transfer_bytes = 4096;
  options.least_ns = 1;
  clpool_performance performance = CLPOOL_PERFORMANCE_INIT;
  CALL(clpool_characterize_performance(world.cl.context, world.cl.device, &options, &performance));
  return CLPOOL_SUCCESS;
}

clpool_status occupancy(World& world) {
  for (const uint32_t model : {CLPOOL_MODEL_CURRENT, CLPOOL_MODEL_PYOPENCL}) {
    DeviceData data;
    CALL(clpool_device_data_create_from_device(world.cl.device, model, data.receive()));
    clpool_device_limits limits = CLPOOL_DEVICE_LIMITS_INIT;
    CALL(clpool_device_data_limits(data, &limits));
    clpool_occupancy_request request = CLPOOL_OCCUPANCY_REQUEST_INIT;
    request.threads = 32;
    clpool_occupancy occupancy = CLPOOL_OCCUPANCY_INIT;
    CALL(clpool_occupancy_compute(data, &request, &occupancy));
    uint32_t sizes[4] = {};
    std::size_t count = 0;
    CALL(clpool_occupancy_suggest(data, &request, sizes, 4, &count, &occupancy));
  }
  return CLPOOL_SUCCESS;
}

}  // namespace

std::vector<Scenario> device_scenarios() {
  return {{"DeviceChoice", choose},
          {"DefaultContext", make_context},
          {"PoolOfADefaultContext", make_pool_of_default_context<CLPOOL_MEMORY_BUFFER>},
          {"SvmPoolOfADefaultContext", make_pool_of_default_context<CLPOOL_MEMORY_SVM>},
          {"Characterize", characterize<CLPOOL_MODEL_CURRENT>},
          {"CharacterizeAsPyOpenCL", characterize<CLPOOL_MODEL_PYOPENCL>},
          {"CharacterizeByKernels", characterize_by_kernels},
          {"Performance", measure},
          {"Occupancy", occupancy}};
}

}  // namespace clpool::test
