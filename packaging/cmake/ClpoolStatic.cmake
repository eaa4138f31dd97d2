# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
# libclpool.a: one object, in which every symbol but the public ones is local, so that none meets a program's own. What the
# C++ standard library's templates became stays weak, as in any program. Included by capi/CMakeLists.txt.
if(NOT CMAKE_OBJCOPY)
  message(FATAL_ERROR "libclpool.a needs objcopy, which was not found (CMAKE_OBJCOPY); "
                      "-DBUILD_SHARED_LIBS=ON -DCLPOOL_BUILD_STATIC=OFF builds libclpool.so alone")
endif()
include(CheckCXXCompilerFlag)
include(CheckLinkerFlag)

# Variables of inline functions would be "unique" symbols, which objcopy leaves global.
check_cxx_compiler_flag(-fno-gnu-unique CLPOOL_HAS_NO_GNU_UNIQUE)
if(CLPOOL_HAS_NO_GNU_UNIQUE)
  target_compile_options(clpool_core PRIVATE -fno-gnu-unique)
  target_compile_options(clpool_capi PRIVATE -fno-gnu-unique)
endif()

# Under link-time optimization gcc's objects have both code and what the optimizer reads: here the code is taken, as `-r`
# makes no whole debug information of the other.
separate_arguments(clpool_static_link UNIX_COMMAND "${CMAKE_CXX_FLAGS}")
list(APPEND clpool_static_link -r -nostdlib)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND clpool_static_link -fno-lto -fno-use-linker-plugin)
  target_compile_options(clpool_core PRIVATE -ffat-lto-objects)
  target_compile_options(clpool_capi PRIVATE -ffat-lto-objects)
endif()
# No function is shared with a program's of the same name, whose local symbols would be missed.
check_linker_flag(CXX "LINKER:--force-group-allocation" CLPOOL_HAS_FORCE_GROUP_ALLOCATION)
if(CLPOOL_HAS_FORCE_GROUP_ALLOCATION)
  list(APPEND clpool_static_link -Wl,--force-group-allocation)
endif()

set(clpool_static_object "${CMAKE_CURRENT_BINARY_DIR}/clpool.o")
if(clpool_has_configurations)
  set(clpool_static_object "${CMAKE_CURRENT_BINARY_DIR}/$<CONFIG>/clpool.o")
endif()
add_custom_command(
  OUTPUT "${clpool_static_object}"
  COMMAND "${CMAKE_CXX_COMPILER}" ${clpool_static_link} -o "${clpool_static_object}" "$<TARGET_OBJECTS:clpool_capi>"
          "$<TARGET_FILE:clpool_core>"
  COMMAND "${CMAKE_OBJCOPY}" --localize-hidden --wildcard "--remove-section=.gnu.lto_*"
          "--remove-section=.gnu.debuglto_*" "${clpool_static_object}"
  DEPENDS "$<TARGET_OBJECTS:clpool_capi>" clpool_core
  COMMENT "Linking libclpool.a's object" COMMAND_EXPAND_LISTS VERBATIM)

# Programs in C link it too: it names what g++ would add, and is no C++ library to CMake.
set(clpool_cxx_runtime ${CMAKE_CXX_IMPLICIT_LINK_LIBRARIES})
list(REMOVE_ITEM clpool_cxx_runtime ${CMAKE_C_IMPLICIT_LINK_LIBRARIES})
if(BUILD_SHARED_LIBS)
  set(clpool_static clpool_static)
else()
  set(clpool_static clpool)
endif()
add_library(${clpool_static} STATIC "${clpool_static_object}")
add_dependencies(${clpool_static} clpool_capi)  # files alone are none to makefiles, where they are another target's
list(TRANSFORM clpool_cxx_runtime PREPEND "-l" OUTPUT_VARIABLE clpool_static_needs)
set_target_properties(${clpool_static} PROPERTIES OUTPUT_NAME clpool LINKER_LANGUAGE C
                      CLPOOL_PKG_CONFIG_LIBS
                      "-Wl,-z,nodelete;-Wl,--exclude-libs,libclpool.a;${clpool_static_needs};-pthread")
target_link_libraries(${clpool_static} INTERFACE clpool::opencl Threads::Threads ${clpool_cxx_runtime})
# A plug-in that it is linked into must not be unloaded either, and does not hand its functions on.
target_link_options(${clpool_static} INTERFACE "LINKER:-z,nodelete" "LINKER:--exclude-libs,libclpool.a")
list(APPEND clpool_libraries ${clpool_static})
