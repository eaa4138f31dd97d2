// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Pipes and samplers: objects with queries and no commands.
#include "api.hpp"
#include "info.hpp"
#include "memory_object.hpp"

namespace stub {
namespace {

Sampler* make_sampler(cl_context context, cl_bool normalized, cl_addressing_mode addressing,
                      cl_filter_mode filter, std::vector<cl_sampler_properties> properties) {
  Context& c = checked(context, CL_INVALID_CONTEXT);
  require(state().options.images, CL_INVALID_OPERATION);
  require(addressing >= CL_ADDRESS_NONE && addressing <= CL_ADDRESS_MIRRORED_REPEAT &&
              (filter == CL_FILTER_NEAREST || filter == CL_FILTER_LINEAR) && normalized <= CL_TRUE,
          CL_INVALID_VALUE);
  auto* const sampler = new Sampler;
  enlist(*sampler, STUB_SAMPLER);
  sampler->context = Ref<Context>(&c);
  sampler->normalized = normalized;
  sampler->addressing = addressing;
  sampler->filter = filter;
  sampler->properties = std::move(properties);
  return sampler;
}

}  // namespace

namespace api {

cl_mem CL_API_CALL clCreatePipe(cl_context context, cl_mem_flags flags, cl_uint packet_size, cl_uint packets,
                                const cl_pipe_properties* properties, cl_int* code) {
  return make(Entry::clCreatePipe, code, [&](Call&) {
    Context& c = checked(context, CL_INVALID_CONTEXT);
    require(properties == nullptr || properties[0] == 0, CL_INVALID_VALUE);
    require((flags & ~cl_mem_flags{CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS}) == 0, CL_INVALID_VALUE);
    require(packet_size != 0 && packets != 0 && packet_size <= 1024, CL_INVALID_PIPE_SIZE);
    auto* const mem = new Mem;
    enlist(*mem, STUB_PIPE);
    mem->context = Ref<Context>(&c);
    mem->type = CL_MEM_OBJECT_PIPE;
    mem->flags = CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS;
    mem->packet_size = packet_size;
    mem->packets = packets;
    mem->size = std::size_t{packet_size} * packets;
    set_memory(*mem, nullptr);
    return mem;
  });
}

cl_int CL_API_CALL clGetPipeInfo(cl_mem pipe, cl_pipe_info name, size_t size, void* value, size_t* needed) {
  return run(Entry::clGetPipeInfo, [&](Call&) {
    const Mem& m = checked(pipe, CL_INVALID_MEM_OBJECT);
    require(m.type == CL_MEM_OBJECT_PIPE, CL_INVALID_MEM_OBJECT);
    const Answer answer(size, value, needed);
    switch (name) {
      case CL_PIPE_PACKET_SIZE:
        return answer.value(m.packet_size);
      case CL_PIPE_MAX_PACKETS:
        return answer.value(m.packets);
      case CL_PIPE_PROPERTIES:
        require(state().options.version >= Version{3, 0}, CL_INVALID_VALUE);
        return answer.bytes(nullptr, 0);
      default:
        refuse(CL_INVALID_VALUE);
    }
  });
}

cl_sampler CL_API_CALL clCreateSampler(cl_context context, cl_bool normalized, cl_addressing_mode addressing,
                                       cl_filter_mode filter, cl_int* code) {
  return make(Entry::clCreateSampler, code,
              [&](Call&) { return make_sampler(context, normalized, addressing, filter, {}); });
}

cl_sampler CL_API_CALL clCreateSamplerWithProperties(cl_context context,
                                                     const cl_sampler_properties* properties, cl_int* code) {
  return make(Entry::clCreateSamplerWithProperties, code, [&](Call&) {
    cl_sampler_properties normalized = CL_TRUE;
    cl_sampler_properties addressing = CL_ADDRESS_CLAMP;
    cl_sampler_properties filter = CL_FILTER_NEAREST;
    const auto list = property_list(properties);
    for (std::size_t i = 0; i + 1 < list.size(); i += 2) {
      cl_sampler_properties* const known = list[i] == CL_SAMPLER_NORMALIZED_COORDS ? &normalized
                                           : list[i] == CL_SAMPLER_ADDRESSING_MODE ? &addressing
                                           : list[i] == CL_SAMPLER_FILTER_MODE     ? &filter
                                                                                   : nullptr;
      require(known != nullptr, CL_INVALID_VALUE);
      *known = list[i + 1];
    }
    return make_sampler(context, static_cast<cl_bool>(normalized),
                        static_cast<cl_addressing_mode>(addressing), static_cast<cl_filter_mode>(filter),
                        list);
  });
}

cl_int CL_API_CALL clRetainSampler(cl_sampler sampler) {
  return run(Entry::clRetainSampler, [&](Call&) { add_reference(checked(sampler, CL_INVALID_SAMPLER)); });
}

cl_int CL_API_CALL clReleaseSampler(cl_sampler sampler) {
  return run(Entry::clReleaseSampler, [&](Call&) { drop_reference(checked(sampler, CL_INVALID_SAMPLER)); });
}

cl_int CL_API_CALL clGetSamplerInfo(cl_sampler sampler, cl_sampler_info name, size_t size, void* value,
                                    size_t* needed) {
  return run(Entry::clGetSamplerInfo, [&](Call&) {
    const Sampler& s = checked(sampler, CL_INVALID_SAMPLER);
    const Answer answer(size, value, needed);
    switch (name) {
      case CL_SAMPLER_REFERENCE_COUNT:
        return answer.value(static_cast<cl_uint>(s.references));
      case CL_SAMPLER_CONTEXT:
        return answer.value(s.context.get());
      case CL_SAMPLER_NORMALIZED_COORDS:
        return answer.value(s.normalized);
      case CL_SAMPLER_ADDRESSING_MODE:
        return answer.value(s.addressing);
      case CL_SAMPLER_FILTER_MODE:
        return answer.value(s.filter);
      case CL_SAMPLER_PROPERTIES:
        require(state().options.version >= Version{3, 0}, CL_INVALID_VALUE);
        return answer.list(s.properties);
      default:
        refuse(CL_INVALID_VALUE);
    }
  });
}

}  // namespace api
}  // namespace stub
