# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
# Packs all files under FOLDERS into the jar OUTPUT; that of a module says VERSION. It has the same bytes whenever and wherever it
# is made: files by their names, all of one time, that of SOURCE_DATE_EPOCH or the first that a jar can have. JDKs whose
# jar knows no --date (before 17) use the time of the day.
if(NOT "$ENV{SOURCE_DATE_EPOCH}" GREATER 315532802)
  set(ENV{SOURCE_DATE_EPOCH} 315532802)
endif()
string(TIMESTAMP date "%Y-%m-%dT%H:%M:%SZ" UTC)
set(options --create --file "${OUTPUT}")
execute_process(COMMAND "${JAR}" --help OUTPUT_VARIABLE help)
if(help MATCHES "--date")
  list(APPEND options "--date=${date}")
endif()

set(arguments "")
foreach(folder IN LISTS FOLDERS)
  if(EXISTS "${folder}/module-info.class")
    list(APPEND options --module-version "${VERSION}")
  endif()
  file(GLOB_RECURSE names RELATIVE "${folder}" "${folder}/*")
  foreach(name IN LISTS names)
    string(APPEND arguments "-C \"${folder}\" \"${name}\"\n")
  endforeach()
endforeach()
file(WRITE "${OUTPUT}.txt" "${arguments}")
execute_process(COMMAND "${JAR}" ${options} "@${OUTPUT}.txt" RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "jar failed for ${OUTPUT}")
endif()
