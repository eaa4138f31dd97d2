# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
# Compiles all Java sources under FOLDERS against CLASSPATH and packs them into the jar OUTPUT; warnings are errors.
set(sources "")
foreach(folder IN LISTS FOLDERS)
  file(GLOB_RECURSE found "${folder}/*.java")
  list(APPEND sources ${found})
endforeach()
# The one class that SWIG makes public whatever it is told: it is empty.
set(constants ${sources})
list(FILTER constants INCLUDE REGEX "/NativeConstants\\.java$")
foreach(source IN LISTS constants)
  file(READ "${source}" text)
  string(REPLACE "public interface" "interface" text "${text}")
  file(WRITE "${source}" "${text}")
endforeach()

string(REGEX REPLACE "\\.jar$" ".classes" classes "${OUTPUT}")
file(REMOVE_RECURSE "${classes}")
file(MAKE_DIRECTORY "${classes}")
list(JOIN sources "\"\n\"" arguments)
file(WRITE "${classes}.txt" "\"${arguments}\"\n")
# "try": values that are closed on purpose elsewhere.
execute_process(COMMAND "${JAVAC}" --release 11 -encoding UTF-8 -Xlint:all,-try,-processing,-path -Werror -d "${classes}"
                        --class-path "${CLASSPATH}" "@${classes}.txt"
                RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "javac failed for ${OUTPUT}")
endif()
set(FOLDERS "${classes}")
include("${CMAKE_CURRENT_LIST_DIR}/pack.cmake")
