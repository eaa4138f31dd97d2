// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Programs. What they "compile" to is in compiler.cpp.
#include "api.hpp"
#include "info.hpp"
#include "kernels.hpp"

namespace stub {
namespace {

using Notify = void(CL_CALLBACK*)(cl_program, void*);

Program* make_program(Context& context, std::string source) {
  auto* const program = new Program;
  enlist(*program, STUB_PROGRAM);
  program->context = Ref<Context>(&context);
  program->source = std::move(source);
  return program;
}

std::string joined(cl_uint count, const char** strings, const size_t* lengths) {
  require(count != 0 && strings != nullptr, CL_INVALID_VALUE);
  std::string source;
  for (cl_uint i = 0; i < count; ++i) {
    require(strings[i] != nullptr, CL_INVALID_VALUE);
    source += lengths != nullptr && lengths[i] != 0 ? std::string(strings[i], lengths[i]) : strings[i];
  }
  return source;
}

void build(cl_program program, const char* options, cl_int failure, Notify notify, void* user) {
  Program& p = checked(program, CL_INVALID_PROGRAM);
  require(state().options.compiler || p.is_binary, CL_COMPILER_NOT_AVAILABLE);
  p.build_options = options == nullptr ? "" : options;
  const bool is_built = compile(p.source, p.kernels, p.log);
  p.status = is_built ? CL_BUILD_SUCCESS : CL_BUILD_ERROR;
  if (notify != nullptr) {
    state().callbacks.push_back([=] { notify(program, user); });
    return;
  }
  require(is_built, failure);
}

}  // namespace

namespace api {

cl_program CL_API_CALL clCreateProgramWithSource(cl_context context, cl_uint count, const char** strings,
                                                 const size_t* lengths, cl_int* code) {
  return make(Entry::clCreateProgramWithSource, code, [&](Call&) {
    Context& c = checked(context, CL_INVALID_CONTEXT);
    return make_program(c, joined(count, strings, lengths));
  });
}

/// A binary is the source.
cl_program CL_API_CALL clCreateProgramWithBinary(cl_context context, cl_uint count,
                                                 const cl_device_id* devices, const size_t* lengths,
                                                 const unsigned char** binaries, cl_int* statuses,
                                                 cl_int* code) {
  return make(Entry::clCreateProgramWithBinary, code, [&](Call&) {
    Context& c = checked(context, CL_INVALID_CONTEXT);
    require(count != 0 && devices != nullptr && lengths != nullptr && binaries != nullptr &&
                lengths[0] != 0 && binaries[0] != nullptr,
            CL_INVALID_VALUE);
    Program* const program =
        make_program(c, std::string(reinterpret_cast<const char*>(binaries[0]), lengths[0]));
    program->is_binary = true;
    for (cl_uint i = 0; statuses != nullptr && i < count; ++i) {
      statuses[i] = CL_SUCCESS;
    }
    return program;
  });
}

cl_program CL_API_CALL clCreateProgramWithBuiltInKernels(cl_context context, cl_uint, const cl_device_id*,
                                                         const char*, cl_int* code) {
  return make(Entry::clCreateProgramWithBuiltInKernels, code, [&](Call&) -> cl_program {
    checked(context, CL_INVALID_CONTEXT);
    refuse(CL_INVALID_VALUE);
  });
}

cl_program CL_API_CALL clCreateProgramWithIL(cl_context context, const void*, size_t, cl_int* code) {
  return make(Entry::clCreateProgramWithIL, code, [&](Call&) -> cl_program {
    checked(context, CL_INVALID_CONTEXT);
    refuse(CL_INVALID_OPERATION);
  });
}

cl_int CL_API_CALL clRetainProgram(cl_program program) {
  return run(Entry::clRetainProgram, [&](Call&) { add_reference(checked(program, CL_INVALID_PROGRAM)); });
}

cl_int CL_API_CALL clReleaseProgram(cl_program program) {
  return run(Entry::clReleaseProgram, [&](Call&) { drop_reference(checked(program, CL_INVALID_PROGRAM)); });
}

cl_int CL_API_CALL clBuildProgram(cl_program program, cl_uint, const cl_device_id*, const char* options,
                                  Notify notify, void* user) {
  return run(Entry::clBuildProgram,
             [&](Call&) { build(program, options, CL_BUILD_PROGRAM_FAILURE, notify, user); });
}

cl_int CL_API_CALL clCompileProgram(cl_program program, cl_uint, const cl_device_id*, const char* options,
                                    cl_uint, const cl_program*, const char**, Notify notify, void* user) {
  return run(Entry::clCompileProgram,
             [&](Call&) { build(program, options, CL_COMPILE_PROGRAM_FAILURE, notify, user); });
}

cl_program CL_API_CALL clLinkProgram(cl_context context, cl_uint, const cl_device_id*, const char* options,
                                     cl_uint count, const cl_program* programs, Notify notify, void* user,
                                     cl_int* code) {
  return make(Entry::clLinkProgram, code, [&](Call&) {
    Context& c = checked(context, CL_INVALID_CONTEXT);
    std::string source;
    for (cl_uint i = 0; i < count; ++i) {
      source += checked(programs[i], CL_INVALID_PROGRAM).source + '\n';
    }
    Program* const program = make_program(c, source);
    build(program, options, CL_LINK_PROGRAM_FAILURE, notify, user);
    return program;
  });
}

cl_int CL_API_CALL clUnloadCompiler() {
  return run(Entry::clUnloadCompiler, [](Call&) {});
}

cl_int CL_API_CALL clUnloadPlatformCompiler(cl_platform_id) {
  return run(Entry::clUnloadPlatformCompiler, [](Call&) {});
}

cl_int CL_API_CALL clGetProgramInfo(cl_program program, cl_program_info name, size_t size, void* value,
                                    size_t* needed) {
  return run(Entry::clGetProgramInfo, [&](Call&) {
    const Program& p = checked(program, CL_INVALID_PROGRAM);
    const Answer answer(size, value, needed);
    switch (name) {
      case CL_PROGRAM_REFERENCE_COUNT:
        return answer.value(static_cast<cl_uint>(p.references));
      case CL_PROGRAM_CONTEXT:
        return answer.value(p.context.get());
      case CL_PROGRAM_NUM_DEVICES:
        return answer.value(static_cast<cl_uint>(p.context->devices.size()));
      case CL_PROGRAM_DEVICES:
        return answer.list(p.context->devices);
      case CL_PROGRAM_SOURCE:
        return answer.text(p.source);
      case CL_PROGRAM_BINARY_SIZES:
        return answer.list(std::vector<std::size_t>(p.context->devices.size(), p.source.size()));
      case CL_PROGRAM_BINARIES: {
        const std::size_t devices = p.context->devices.size();
        answer.bytes(value, devices * sizeof(void*));  // the pointers stay as they are
        for (std::size_t i = 0; value != nullptr && i < devices; ++i) {
          if (auto* const target = static_cast<unsigned char**>(value)[i]) {
            std::memcpy(target, p.source.data(), p.source.size());
          }
        }
        return;
      }
      case CL_PROGRAM_NUM_KERNELS:
        require(p.status == CL_BUILD_SUCCESS, CL_INVALID_PROGRAM_EXECUTABLE);
        return answer.value(p.kernels.size());
      case CL_PROGRAM_KERNEL_NAMES: {
        std::string names;
        for (const KernelPlan& kernel : p.kernels) {
          names += (names.empty() ? "" : ";") + kernel.name;
        }
        return answer.text(names);
      }
      default:
        refuse(CL_INVALID_VALUE);
    }
  });
}

cl_int CL_API_CALL clGetProgramBuildInfo(cl_program program, cl_device_id device, cl_program_build_info name,
                                         size_t size, void* value, size_t* needed) {
  return run(Entry::clGetProgramBuildInfo, [&](Call&) {
    const Program& p = checked(program, CL_INVALID_PROGRAM);
    checked(device, CL_INVALID_DEVICE);
    const Answer answer(size, value, needed);
    switch (name) {
      case CL_PROGRAM_BUILD_STATUS:
        return answer.value(p.status);
      case CL_PROGRAM_BUILD_OPTIONS:
        return answer.text(p.build_options);
      case CL_PROGRAM_BUILD_LOG:
        return answer.text(p.log);
      case CL_PROGRAM_BINARY_TYPE:
        return answer.value<cl_program_binary_type>(CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
      default:
        refuse(CL_INVALID_VALUE);
    }
  });
}

}  // namespace api
}  // namespace stub
