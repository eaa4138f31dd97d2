// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Creation of samplers by whichever call the devices have.
#include "memory/sampler.hpp"

#include "allocator/facts.hpp"

namespace clpool::core {
namespace {

Status created(cl_int code, const char* routine) noexcept {
  return code == CL_SUCCESS ? Status::success : fail_cl(code, routine, "the sampler cannot be made");
}

Status create_classic(cl_context context, bool normalized, cl_addressing_mode addressing,
                      cl_filter_mode filter, cl_sampler& result) noexcept {
  cl_int code = CL_SUCCESS;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  result = clCreateSampler(context, normalized ? CL_TRUE : CL_FALSE, addressing, filter, &code);
#pragma GCC diagnostic pop
  return created(code, "clCreateSampler");
}

/// The properties as the classic call takes them.
Status create_from_properties(cl_context context, const cl_bitfield* properties,
                              cl_sampler& result) noexcept {
  bool normalized = true;
  cl_addressing_mode addressing = CL_ADDRESS_CLAMP;
  cl_filter_mode filter = CL_FILTER_NEAREST;
  for (const cl_bitfield* property = properties; property != nullptr && *property != 0; property += 2) {
    switch (property[0]) {
      case CL_SAMPLER_NORMALIZED_COORDS:
        normalized = property[1] != CL_FALSE;
        break;
      case CL_SAMPLER_ADDRESSING_MODE:
        addressing = static_cast<cl_addressing_mode>(property[1]);
        break;
      case CL_SAMPLER_FILTER_MODE:
        filter = static_cast<cl_filter_mode>(property[1]);
        break;
      default:
        return fail(Status::not_supported, "sampler property 0x%llX needs OpenCL 2.0",
                    static_cast<unsigned long long>(property[0]));
    }
  }
  return create_classic(context, normalized, addressing, filter, result);
}

}  // namespace

Status create_sampler(cl_context context, bool normalized, cl_addressing_mode addressing,
                      cl_filter_mode filter, cl_sampler& result) {
  const cl_bitfield properties[] = {CL_SAMPLER_NORMALIZED_COORDS,
                                    static_cast<cl_bitfield>(normalized ? CL_TRUE : CL_FALSE),
                                    CL_SAMPLER_ADDRESSING_MODE,
                                    addressing,
                                    CL_SAMPLER_FILTER_MODE,
                                    filter,
                                    0};
  return create_sampler(context, properties, result);
}

Status create_sampler(cl_context context, const cl_bitfield* properties, cl_sampler& result) {
  ContextFacts facts;
  CLPOOL_TRY(read_context_facts(context, facts));
  if (facts.newest < cl::Version{2, 0}) {
    return create_from_properties(context, properties, result);
  }
  cl_int code = CL_SUCCESS;
  result = clCreateSamplerWithProperties(context, properties, &code);
  return created(code, "clCreateSamplerWithProperties");
}

}  // namespace clpool::core
