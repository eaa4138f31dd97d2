// The table by which the ICD loader calls the driver. Sharing with graphics is not there.
#include "api.hpp"

namespace stub {
namespace {

/// Entry points that the table has no place for: they are found by name.
struct Table : cl_icd_dispatch {
  cl_api_clGetPlatformIDs clIcdGetPlatformIDsKHR;
  cl_api_clEnqueueCopyBuffer clEnqueueCopyBufferP2PAMD;
};

constexpr cl_icd_dispatch make_table() {
  Table table = {};
#define ENTRY(name, major, minor) table.name = api::name;
#include "entry_points.def"
#undef ENTRY
  return table;
}

}  // namespace

constinit const cl_icd_dispatch dispatch_table = make_table();

}  // namespace stub
