// The one place that calls clCreateSubBuffer.
#include "cl/sub_buffer.hpp"

#include <cstddef>
#include <new>

#include "cl/info.hpp"
#include "cl/order.hpp"

namespace clpool::core::cl {

Status make_sub_buffer(cl_mem root, std::uint64_t origin, std::uint64_t size, cl_mem_flags flags,
                       cl_mem* out) noexcept {
  constexpr cl_mem_flags host_pointer_flags =
      CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;
  const cl_buffer_region region = {static_cast<std::size_t>(origin), static_cast<std::size_t>(size)};
  cl_int code = CL_SUCCESS;
  *out = clCreateSubBuffer(root, flags & ~host_pointer_flags, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
  if (code != CL_SUCCESS) {
    *out = nullptr;
    return fail_cl(code, "clCreateSubBuffer", "%llu bytes at offset %llu",
                   static_cast<unsigned long long>(size), static_cast<unsigned long long>(origin));
  }
  return Status::success;
}

cl_int release_sub_buffer(cl_mem part) noexcept {
  return clReleaseMemObject(part);
}

Status touch(cl_command_queue queue, cl_mem buffer) noexcept {
  try {
    cl_device_id device = nullptr;
    CLPOOL_TRY(queue_device(queue, device));
    Version version;
    CLPOOL_TRY(device_version(device, version));
    if (version < Version{1, 2}) {
      return Status::success;
    }
  } catch (const std::bad_alloc&) {
    return fail(Status::out_of_host_memory, "no host memory to ask for a device's version");
  }
  const cl_int code = clEnqueueMigrateMemObjects(queue, 1, &buffer, CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED,
                                                 0, nullptr, nullptr);
  return code == CL_SUCCESS
             ? Status::success
             : fail_cl(code, "clEnqueueMigrateMemObjects", "a buffer cannot be made resident on queue %p",
                       static_cast<void*>(queue));
}

}  // namespace clpool::core::cl
