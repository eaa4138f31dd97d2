// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The table by which the ICD loader calls the driver. Sharing with graphics is not there.
#include "api.hpp"

namespace stub {
namespace {

constexpr cl_icd_dispatch make_table() {
  api::Table table = {};
#define ENTRY(name, major, minor) table.name = api::name;
#include "entry_points.def"
#undef ENTRY
  return table;
}

}  // namespace

constinit const cl_icd_dispatch dispatch_table = make_table();

}  // namespace stub
