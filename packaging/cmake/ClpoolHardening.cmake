# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
# clpool::hardening: what makes mistakes in the library and the program harder to exploit. It is linked privately by what
# is installed, so it never reaches a program that uses the library. Distributions that set such flags themselves switch
# it off with -DCLPOOL_HARDENING=OFF; sanitizers, which look closer and get in its way, are built without it.
option(CLPOOL_HARDENING "Build the library, the program and the wrappers with the compiler's and linker's protections" ON)
add_library(clpool_hardening INTERFACE)
add_library(clpool::hardening ALIAS clpool_hardening)
set(CLPOOL_IS_HARDENED OFF)
if(NOT CLPOOL_HARDENING OR CLPOOL_SANITIZE)
  return()
endif()
set(CLPOOL_IS_HARDENED ON)
include(CheckCXXCompilerFlag)
include(CheckCXXSourceCompiles)
include(CheckLinkerFlag)

# Shadow stacks by marking alone: userland has no branch tracking under Linux, whose landing pads every call would pay
# for; a compiler that is configured to add them is left alone. On 64-bit Arm returns are signed likewise.
set(clpool_hardening_flags -fstack-protector-strong -fstack-clash-protection)
check_cxx_source_compiles("
#if defined __CET__
#error already on
#endif
int main() {}" CLPOOL_HAS_CET_OFF)
if(CLPOOL_HAS_CET_OFF)
  list(APPEND clpool_hardening_flags -fcf-protection=return)
endif()
list(APPEND clpool_hardening_flags -mbranch-protection=pac-ret)
foreach(flag IN LISTS clpool_hardening_flags)
  string(MAKE_C_IDENTIFIER "CLPOOL_HAS${flag}" known)
  check_cxx_compiler_flag(${flag} ${known})
  if(${known})
    target_compile_options(clpool_hardening INTERFACE ${flag})
  endif()
endforeach()

# Calls of the C library that write are checked where the compiler optimizes, which that needs; what the distribution's
# compiler or flags have set already stays.
set(CMAKE_REQUIRED_FLAGS "-O2")
check_cxx_source_compiles("
#if defined _FORTIFY_SOURCE
#error already set
#endif
int main() {}" CLPOOL_FORTIFY_IS_FREE)
unset(CMAKE_REQUIRED_FLAGS)
if(CLPOOL_FORTIFY_IS_FREE)
  target_compile_definitions(clpool_hardening INTERFACE "$<$<CONFIG:Release,RelWithDebInfo,MinSizeRel>:_FORTIFY_SOURCE=2>")
endif()

# Addresses of functions are found when the library is loaded, and are read-only from then on; no stack is executable.
foreach(option relro now noexecstack)
  check_linker_flag(CXX "LINKER:-z,${option}" CLPOOL_HAS_Z_${option})
  if(CLPOOL_HAS_Z_${option})
    target_link_options(clpool_hardening INTERFACE "LINKER:-z,${option}")
  endif()
endforeach()

# Programs at addresses that nobody can guess.
include(CheckPIESupported)
check_pie_supported(LANGUAGES C CXX)
