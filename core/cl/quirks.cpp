// Which driver has which bug.
#include "cl/quirks.hpp"

#include <string>

#include "cl/info.hpp"

namespace clpool::core::cl {

Status crashes_on_boxes_of_sub_buffers(cl_command_queue queue, bool& result) {
  cl_device_id device = nullptr;
  CLPOOL_TRY(query(queue, CL_QUEUE_DEVICE, device));
  cl_platform_id platform = nullptr;
  CLPOOL_TRY(query(device, CL_DEVICE_PLATFORM, platform));
  std::string name;
  CLPOOL_TRY(query_text(platform, CL_PLATFORM_NAME, name));
  result = name == "Portable Computing Language";
  return Status::success;
}

}  // namespace clpool::core::cl
