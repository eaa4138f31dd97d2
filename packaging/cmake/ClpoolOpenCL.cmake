# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
# clpool::opencl: the OpenCL headers and any ICD loader. Khronos' config packages are taken where they are
# installed, else CMake's own finder (which finds ocl-icd as well). Used by our build and, installed beside
# clpoolConfig.cmake, by the builds of programs that use the library. Makes no target where OpenCL is missing.
if(NOT TARGET clpool::opencl)
  find_package(OpenCLHeaders CONFIG QUIET)
  find_package(OpenCLICDLoader CONFIG QUIET)
  if(TARGET OpenCL::Headers AND TARGET OpenCL::OpenCL)
    add_library(clpool::opencl INTERFACE IMPORTED)
    set_target_properties(clpool::opencl PROPERTIES INTERFACE_LINK_LIBRARIES "OpenCL::Headers;OpenCL::OpenCL")
  else()
    find_package(OpenCL QUIET)
    if(OpenCL_FOUND)
      add_library(clpool::opencl INTERFACE IMPORTED)
      set_target_properties(clpool::opencl PROPERTIES INTERFACE_LINK_LIBRARIES OpenCL::OpenCL)
    endif()
  endif()
endif()
