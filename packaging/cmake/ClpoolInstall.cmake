# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` puts where: library and program (component Runtime), headers, clpool.pc and the CMake
# package (component Development). Install folders may be relative to the prefix, as is the default, or absolute.
include(CMakePackageConfigHelpers)

set(clpool_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/clpool")
clpool_install_folders(Runtime "${CMAKE_INSTALL_LIBDIR}" "${CMAKE_INSTALL_DOCDIR}")
clpool_install_folders(Development "${CMAKE_INSTALL_INCLUDEDIR}" "${clpool_package_dir}" "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
install(TARGETS clpool EXPORT clpoolTargets
        RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT Runtime
        LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT Runtime NAMELINK_COMPONENT Development
        ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT Development
        INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
if(TARGET clpool_static)  # in a file of its own: a distribution may put libclpool.a into another package
  install(TARGETS clpool_static EXPORT clpoolStaticTargets
          ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT Development
          INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
  install(EXPORT clpoolStaticTargets NAMESPACE clpool:: DESTINATION "${clpool_package_dir}" COMPONENT Development)
endif()
if(TARGET clpool_program)
  clpool_install_folders(Runtime "${CMAKE_INSTALL_BINDIR}" "${CMAKE_INSTALL_MANDIR}/man1")
  install(TARGETS clpool_program RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT Runtime)
  install(FILES "${PROJECT_SOURCE_DIR}/capi/program/clpool.1" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1"
          COMPONENT Runtime)
  get_target_property(completions clpool_program CLPOOL_COMPLETIONS)
  if(completions)
    set(bash_folder "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
    set(zsh_folder "${CMAKE_INSTALL_DATADIR}/zsh/site-functions")
    clpool_install_folders(Runtime "${bash_folder}" "${zsh_folder}")
    install(FILES "${completions}/clpool" DESTINATION "${bash_folder}" COMPONENT Runtime)
    install(FILES "${completions}/_clpool" DESTINATION "${zsh_folder}" COMPONENT Runtime)
  endif()
endif()
install(DIRECTORY "${PROJECT_SOURCE_DIR}/capi/include/clpool" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
        COMPONENT Development FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
clpool_install_folders(Development "${CMAKE_INSTALL_MANDIR}/man3")
install(FILES "${PROJECT_SOURCE_DIR}/capi/libclpool.3" DESTINATION "${CMAKE_INSTALL_MANDIR}/man3" COMPONENT Development)
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT Runtime)

install(EXPORT clpoolTargets NAMESPACE clpool:: DESTINATION "${clpool_package_dir}" COMPONENT Development)
# In a folder where find_package() does not look: a build tree is not installed, and the file could not be read there.
set(clpool_package_files "${PROJECT_BINARY_DIR}/installed")
configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/clpoolConfig.cmake.in"
                              "${clpool_package_files}/clpoolConfig.cmake"
                              INSTALL_DESTINATION "${clpool_package_dir}")
write_basic_package_version_file("${clpool_package_files}/clpoolConfigVersion.cmake" COMPATIBILITY SameMajorVersion)
install(FILES "${clpool_package_files}/clpoolConfig.cmake" "${clpool_package_files}/clpoolConfigVersion.cmake"
              "${CMAKE_CURRENT_LIST_DIR}/ClpoolOpenCL.cmake"
        DESTINATION "${clpool_package_dir}" COMPONENT Development)

# clpool.pc names its folders relative to itself, so that an installed tree can be moved; a folder that was given as
# an absolute path outside the prefix stays where it was said. Below /usr nothing moves, and pkg-config leaves out what
# compilers know.
set(clpool_pc_dir "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig")
cmake_path(IS_PREFIX CMAKE_INSTALL_PREFIX "${clpool_pc_dir}" NORMALIZE clpool_pc_is_relocatable)
if(clpool_pc_is_relocatable AND NOT CMAKE_INSTALL_PREFIX STREQUAL "/usr")
  cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY "${clpool_pc_dir}" OUTPUT_VARIABLE clpool_pc_up)
  set(clpool_pc_prefix "\${pcfiledir}/${clpool_pc_up}")
else()
  set(clpool_pc_prefix "${CMAKE_INSTALL_PREFIX}")
endif()
foreach(folder libdir includedir)
  string(TOUPPER ${folder} name)
  set(path "${CMAKE_INSTALL_FULL_${name}}")
  cmake_path(IS_PREFIX CMAKE_INSTALL_PREFIX "${path}" NORMALIZE is_below)
  if(is_below)
    cmake_path(RELATIVE_PATH path BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}" OUTPUT_VARIABLE path)
    set(clpool_pc_${folder} "\${prefix}/${path}")
  else()
    set(clpool_pc_${folder} "${path}")
  endif()
endforeach()
# What libclpool.a needs besides OpenCL: for `pkg-config --static`, and always where there is no libclpool.so.
set(clpool_pc_libs "")
set(clpool_pc_libs_private "")
if(TARGET clpool_static)
  get_target_property(clpool_pc_libs_private clpool_static CLPOOL_PKG_CONFIG_LIBS)
elseif(NOT BUILD_SHARED_LIBS)
  get_target_property(clpool_pc_libs clpool CLPOOL_PKG_CONFIG_LIBS)
endif()
list(JOIN clpool_pc_libs " " clpool_pc_libs)
list(JOIN clpool_pc_libs_private " " clpool_pc_libs_private)
configure_file("${CMAKE_CURRENT_LIST_DIR}/../clpool.pc.in" "${PROJECT_BINARY_DIR}/clpool.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/clpool.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig"
        COMPONENT Development)
