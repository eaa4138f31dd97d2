// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Contexts.
#include "api.hpp"
#include "info.hpp"
#include "objects.hpp"

namespace stub {
namespace {

cl_context make_context(const cl_context_properties* properties, std::vector<Device*> devices) {
  auto list = property_list(properties);
  for (std::size_t i = 0; i + 1 < list.size(); i += 2) {
    require(list[i] == CL_CONTEXT_PLATFORM || list[i] == CL_CONTEXT_INTEROP_USER_SYNC, CL_INVALID_PROPERTY);
    require(list[i] != CL_CONTEXT_PLATFORM ||
                list[i + 1] == reinterpret_cast<cl_context_properties>(&the_platform()),
            CL_INVALID_PLATFORM);
  }
  auto* const context = new Context;
  enlist(*context, STUB_CONTEXT);
  context->devices = std::move(devices);
  context->properties = std::move(list);
  return context;
}

}  // namespace

namespace api {

cl_context CL_API_CALL clCreateContext(const cl_context_properties* properties, cl_uint count,
                                       const cl_device_id* devices,
                                       void(CL_CALLBACK* notify)(const char*, const void*, size_t, void*),
                                       void* user, cl_int* code) {
  return make(Entry::clCreateContext, code, [&](Call&) {
    require(count > 0 && devices != nullptr && (notify != nullptr || user == nullptr), CL_INVALID_VALUE);
    std::vector<Device*> list;
    for (cl_uint i = 0; i < count; ++i) {
      list.push_back(&checked(devices[i], CL_INVALID_DEVICE));
    }
    return make_context(properties, std::move(list));
  });
}

cl_context CL_API_CALL clCreateContextFromType(const cl_context_properties* properties, cl_device_type type,
                                               void(CL_CALLBACK*)(const char*, const void*, size_t, void*),
                                               void*, cl_int* code) {
  std::vector<Device*> list(most_devices);
  cl_uint count = 0;
  const cl_int found = api::clGetDeviceIDs(&the_platform(), type, most_devices, list.data(), &count);
  list.resize(count);
  return make(Entry::clCreateContextFromType, code, [&](Call&) {
    require(found == CL_SUCCESS, found);
    return make_context(properties, std::move(list));
  });
}

cl_int CL_API_CALL clRetainContext(cl_context context) {
  return run(Entry::clRetainContext, [&](Call&) { add_reference(checked(context, CL_INVALID_CONTEXT)); });
}

cl_int CL_API_CALL clReleaseContext(cl_context context) {
  return run(Entry::clReleaseContext, [&](Call&) { drop_reference(checked(context, CL_INVALID_CONTEXT)); });
}

cl_int CL_API_CALL clGetContextInfo(cl_context context, cl_context_info name, size_t size, void* value,
                                    size_t* needed) {
  return run(Entry::clGetContextInfo, [&](Call&) {
    const Context& c = checked(context, CL_INVALID_CONTEXT);
    const Answer answer(size, value, needed);
    switch (name) {
      case CL_CONTEXT_REFERENCE_COUNT:
        return answer.value(static_cast<cl_uint>(c.references));
      case CL_CONTEXT_NUM_DEVICES:
        require(state().options.version >= Version{1, 1}, CL_INVALID_VALUE);
        return answer.value(static_cast<cl_uint>(c.devices.size()));
      case CL_CONTEXT_DEVICES:
        return answer.list(c.devices);
      case CL_CONTEXT_PROPERTIES:
        return answer.list(c.properties);
      default:
        refuse(CL_INVALID_VALUE);
    }
  });
}

cl_int CL_API_CALL clSetContextDestructorCallback(cl_context context,
                                                  void(CL_CALLBACK* notify)(cl_context, void*), void* user) {
  return run(Entry::clSetContextDestructorCallback, [&](Call&) {
    Context& c = checked(context, CL_INVALID_CONTEXT);
    require(notify != nullptr, CL_INVALID_VALUE);
    c.destructors.push_back([=] { notify(context, user); });
  });
}

}  // namespace api
}  // namespace stub
