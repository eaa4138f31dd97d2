// The entry points, each declared with the type that the ICD loader's header gives it.
#pragma once

#include <type_traits>

#include "state.hpp"

namespace stub::api {

using cl_api_clIcdGetPlatformIDsKHR = cl_api_clGetPlatformIDs;
using cl_api_clEnqueueCopyBufferP2PAMD = cl_api_clEnqueueCopyBuffer;

#define ENTRY(name, major, minor) std::remove_pointer_t<cl_api_##name> name;
#include "entry_points.def"
#undef ENTRY

}  // namespace stub::api
