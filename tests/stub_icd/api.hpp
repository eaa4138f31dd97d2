// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The entry points, each declared with the type that the ICD loader's table has for it.
#pragma once

#include <type_traits>

#include "state.hpp"

namespace stub::api {

/// The loader's table, and entry points that it has no place for: they are found by name.
struct Table : cl_icd_dispatch {
  decltype(cl_icd_dispatch::clGetPlatformIDs) clIcdGetPlatformIDsKHR;
  decltype(cl_icd_dispatch::clEnqueueCopyBuffer) clEnqueueCopyBufferP2PAMD;
};

#define ENTRY(name, major, minor) std::remove_pointer_t<decltype(Table::name)> name;
#include "entry_points.def"
#undef ENTRY

}  // namespace stub::api
