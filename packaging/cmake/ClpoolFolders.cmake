# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
# clpool_install_folders(COMPONENT FOLDER…): makes those of the folders, and of what is above them, that are missing when COMPONENT is
# installed, so that everybody can read them: left to itself, CMake obeys the umask even where it is given permissions.
# This file is also the script that does so, with clpool_folders.
if(DEFINED clpool_folders)
  foreach(folder IN LISTS clpool_folders)
    cmake_path(ABSOLUTE_PATH folder BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}" NORMALIZE)
    set(folder "$ENV{DESTDIR}${folder}")
    set(missing "")
    while(NOT EXISTS "${folder}")
      list(PREPEND missing "${folder}")
      cmake_path(GET folder PARENT_PATH folder)
    endwhile()
    foreach(folder IN LISTS missing)
      file(MAKE_DIRECTORY "${folder}")
      file(CHMOD "${folder}" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
    endforeach()
  endforeach()
  return()
endif()

set(clpool_folders_script "${CMAKE_CURRENT_LIST_FILE}")
function(clpool_install_folders component)
  install(CODE "set(clpool_folders \"${ARGN}\")\ninclude(\"${clpool_folders_script}\")" COMPONENT ${component})
endfunction()
