# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
# clpool_finds_library(TARGET FOLDER…): TARGET, which is installed in each FOLDER, finds libclpool.so by a path from there, so
# that an installed tree can be moved; only where one of both folders is absolute, by libclpool.so's own. The same in the
# build folder. CMAKE_INSTALL_RPATH is another choice, and CMAKE_SKIP_INSTALL_RPATH leaves it to the loader.
function(clpool_finds_library target)
  set_target_properties(${target} PROPERTIES BUILD_RPATH_USE_ORIGIN ON)
  if(NOT CLPOOL_INSTALL OR NOT BUILD_SHARED_LIBS OR DEFINED CMAKE_INSTALL_RPATH)
    return()
  endif()
  set(paths "")
  foreach(folder IN LISTS ARGN)
    set(library "${CMAKE_INSTALL_LIBDIR}")
    if(NOT IS_ABSOLUTE "${folder}" AND NOT IS_ABSOLUTE "${library}")
      string(PREPEND folder "/")
      string(PREPEND library "/")
    endif()
    if(IS_ABSOLUTE "${folder}" AND IS_ABSOLUTE "${library}")
      file(RELATIVE_PATH path "${folder}" "${library}")
      string(REGEX REPLACE "/$" "" path "$ORIGIN/${path}")
      list(APPEND paths "${path}")
    else()
      list(APPEND paths "${CMAKE_INSTALL_FULL_LIBDIR}")
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES INSTALL_RPATH "${paths}")
endfunction()
