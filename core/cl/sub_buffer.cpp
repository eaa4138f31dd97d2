// The one place that calls clCreateSubBuffer.
#include "cl/sub_buffer.hpp"

#include <cstddef>

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

}  // namespace clpool::core::cl
