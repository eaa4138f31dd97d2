// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Creation of pipes.
#include "memory/pipe.hpp"

#include <utility>

#include "allocator/facts.hpp"
#include "memory/object.hpp"

namespace clpool::core {
namespace {

Status require_pipes(const ContextFacts& facts) {
  if (facts.newest < cl::Version{2, 0}) {
    return fail(Status::not_supported, "pipes need OpenCL 2.0, the devices have %d.%d", facts.newest.major,
                facts.newest.minor);
  }
  for (cl_device_id device : facts.devices) {
    cl_uint most = 0;  // 0 where OpenCL 3.0 made pipes optional and the device leaves them out
    CLPOOL_TRY(cl::query(device, CL_DEVICE_MAX_PIPE_ARGS, most));
    if (most != 0) {
      return Status::success;
    }
  }
  return fail(Status::not_supported,
              "pipes need OpenCL 2.0 and a device with CL_DEVICE_MAX_PIPE_ARGS over 0, which none of the "
              "context has");
}

}  // namespace

Status create_pipe(cl_context context, cl_mem_flags flags, cl_uint packet_size, cl_uint max_packets,
                   Mem*& result) {
  ContextFacts facts;
  CLPOOL_TRY(read_context_facts(context, facts));
  CLPOOL_TRY(require_pipes(facts));
  cl_int code = CL_SUCCESS;
  ObjectParts parts;
  parts.kind = MemKind::pipe;
  parts.handle = cl::Memory::adopt(clCreatePipe(context, flags, packet_size, max_packets, nullptr, &code));
  if (code != CL_SUCCESS) {
    return fail_cl(code, "clCreatePipe", "%u packets of %u bytes", max_packets, packet_size);
  }
  CLPOOL_TRY(cl::query(parts.handle.get(), CL_MEM_SIZE, parts.size));
  parts.context = context;
  return make_object(std::move(parts), result);
}

}  // namespace clpool::core
