# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
# clpool::warnings: what our own sources are compiled with in the developer and sanitizer presets. It is linked
# privately, so it never reaches a program that uses the library.
add_library(clpool_warnings INTERFACE)
add_library(clpool::warnings ALIAS clpool_warnings)
if(CLPOOL_DEVELOPER)
  target_compile_options(clpool_warnings INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wshadow)
  if(CLPOOL_UNITY)  # a source's names stand above those of the others
    target_compile_options(clpool_warnings INTERFACE -Wno-shadow)
  endif()
  if(NOT CLPOOL_SANITIZE)  # what sanitizers add to the code confuses gcc 13's array-bounds and uninitialized warnings
    target_compile_options(clpool_warnings INTERFACE -Werror)
  endif()
endif()
if(CLPOOL_SANITIZE)  # all of the project, so that folders may leave something out (tests/sanitizers/README.md)
  set(clpool_fewer_checks -O0 -fno-sanitize=null,alignment,vptr)
  if(CLPOOL_SANITIZE MATCHES undefined)
    set(clpool_all_checks -fsanitize=null,alignment,vptr)
  endif()
  add_compile_options(-fsanitize=${CLPOOL_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${CLPOOL_SANITIZE})
endif()
