# clpool::opencl: the OpenCL headers and any ICD loader. Khronos' config packages are taken where they are
# installed, else CMake's own finder (which finds ocl-icd as well).
find_package(OpenCLHeaders CONFIG QUIET)
find_package(OpenCLICDLoader CONFIG QUIET)
add_library(clpool_opencl INTERFACE)
add_library(clpool::opencl ALIAS clpool_opencl)
if(OpenCLHeaders_FOUND AND OpenCLICDLoader_FOUND)
  target_link_libraries(clpool_opencl INTERFACE OpenCL::Headers OpenCL::OpenCL)
else()
  find_package(OpenCL REQUIRED)
  target_link_libraries(clpool_opencl INTERFACE OpenCL::OpenCL)
endif()
target_compile_definitions(clpool_opencl INTERFACE CL_TARGET_OPENCL_VERSION=300)
