// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Creation of samplers by whichever call the devices have.
#include "memory/sampler.hpp"

#include <cstddef>
#include <cstdio>

#include "allocator/facts.hpp"

namespace clpool::core {
namespace {

/// What is known of a property's value: drivers take any.
Status check_property(cl_bitfield name, cl_bitfield value) noexcept {
  const auto number = static_cast<unsigned long long>(value);
  switch (name) {
    case CL_SAMPLER_ADDRESSING_MODE:
      if (value < CL_ADDRESS_NONE || value > CL_ADDRESS_MIRRORED_REPEAT) {
        return fail(Status::invalid_value,
                    "addressing mode is 0x%llX, valid are CL_ADDRESS_NONE (0x%X) to "
                    "CL_ADDRESS_MIRRORED_REPEAT (0x%X)",
                    number, CL_ADDRESS_NONE, CL_ADDRESS_MIRRORED_REPEAT);
      }
      break;
    case CL_SAMPLER_FILTER_MODE:
      if (value != CL_FILTER_NEAREST && value != CL_FILTER_LINEAR) {
        return fail(Status::invalid_value,
                    "filter mode is 0x%llX, valid are CL_FILTER_NEAREST (0x%X) and CL_FILTER_LINEAR (0x%X)",
                    number, CL_FILTER_NEAREST, CL_FILTER_LINEAR);
      }
      break;
    default:
      break;
  }
  return Status::success;
}

Status check_properties(const cl_bitfield* properties) noexcept {
  cl_bitfield normalized = CL_TRUE;
  cl_bitfield addressing = CL_ADDRESS_CLAMP;
  for (const cl_bitfield* property = properties; *property != 0; property += 2) {
    CLPOOL_TRY(check_property(property[0], property[1]));
    if (property[0] == CL_SAMPLER_NORMALIZED_COORDS) {
      normalized = property[1];
    } else if (property[0] == CL_SAMPLER_ADDRESSING_MODE) {
      addressing = property[1];
    }
  }
  if (normalized == CL_FALSE &&
      (addressing == CL_ADDRESS_REPEAT || addressing == CL_ADDRESS_MIRRORED_REPEAT)) {
    return fail(Status::invalid_value,
                "addressing mode is 0x%llX, CL_ADDRESS_REPEAT and CL_ADDRESS_MIRRORED_REPEAT need normalized "
                "coordinates",
                static_cast<unsigned long long>(addressing));
  }
  return Status::success;
}

Status created(cl_int code, const char* routine, const cl_bitfield* properties) noexcept {
  if (code == CL_SUCCESS) {
    return Status::success;
  }
  char text[160] = "";
  std::size_t length = 0;
  for (const cl_bitfield* property = properties; *property != 0 && length < 120; property += 2) {
    length += static_cast<std::size_t>(std::snprintf(text + length, sizeof text - length, " 0x%llX=0x%llX",
                                                     static_cast<unsigned long long>(property[0]),
                                                     static_cast<unsigned long long>(property[1])));
  }
  return fail_cl(code, routine, "no sampler with the properties%s", text);
}

Status create_classic(cl_context context, bool normalized, cl_addressing_mode addressing,
                      cl_filter_mode filter, const cl_bitfield* properties, cl_sampler& result) noexcept {
  cl_int code = CL_SUCCESS;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  result = clCreateSampler(context, normalized ? CL_TRUE : CL_FALSE, addressing, filter, &code);
#pragma GCC diagnostic pop
  return created(code, "clCreateSampler", properties);
}

/// The properties as the classic call takes them.
Status create_from_properties(cl_context context, const cl_bitfield* properties,
                              cl_sampler& result) noexcept {
  bool normalized = true;
  cl_addressing_mode addressing = CL_ADDRESS_CLAMP;
  cl_filter_mode filter = CL_FILTER_NEAREST;
  for (const cl_bitfield* property = properties; *property != 0; property += 2) {
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
  return create_classic(context, normalized, addressing, filter, properties, result);
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
  constexpr cl_bitfield defaults[] = {0};  // PoCL refuses NULL
  properties = properties != nullptr ? properties : defaults;
  CLPOOL_TRY(check_properties(properties));
  ContextFacts facts;
  CLPOOL_TRY(read_context_facts(context, facts));
  if (facts.newest < cl::Version{2, 0}) {
    return create_from_properties(context, properties, result);
  }
  cl_int code = CL_SUCCESS;
  result = clCreateSamplerWithProperties(context, properties, &code);
  return created(code, "clCreateSamplerWithProperties", properties);
}

}  // namespace clpool::core
