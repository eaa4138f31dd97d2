# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
# Tests: the same sources by NUnit on Mono and by the small runner of tests/runner on modern .NET.
find_program(CLPOOL_NUNIT NAMES nunit-console nunit-console4 DOC "NUnit 2.6's runner for Mono")
file(GLOB test_sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/tests/*.cs")
file(GLOB runner_sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/tests/runner/*.cs")
set(clpool_csharp_test_environment "CLPOOL_ABI_LAYOUT=${PROJECT_SOURCE_DIR}/tests/abi/layout.txt"
    "CLPOOL_ROOT=${PROJECT_SOURCE_DIR}"
    "HOME=${CMAKE_CURRENT_BINARY_DIR}/home")  # where NUnit keeps settings

# clpool_csharp_memcheck(RUNTIME COMMAND…): the tests under valgrind, which takes minutes: not one of the tests, but of
# `packaging/check --long`.
function(clpool_csharp_memcheck runtime)
  add_custom_target(memcheck-csharp-${runtime} USES_TERMINAL
                    COMMAND "${CMAKE_COMMAND}" -E env ${clpool_csharp_test_environment}
                            ${Python3_EXECUTABLE} "${PROJECT_SOURCE_DIR}/wrappers/tests/memcheck.py"
                            "${PROJECT_BINARY_DIR}/tests/stub_icd/vendors" ${ARGN})
  add_dependencies(memcheck-csharp-${runtime} clpool_csharp clpool_stub_icd)
  add_dependencies(memcheck-wrappers memcheck-csharp-${runtime})
endfunction()

if(clpool_has_mono)
  file(GLOB nunit /usr/lib/cli/nunit.framework-2.*/nunit.framework.dll)
  if(CLPOOL_NUNIT AND nunit)
    list(GET nunit 0 nunit)
    clpool_mono_program(ClPool.Tests.dll ${test_sources} OPTIONS -target:library "-r:${nunit}")
    # In one process and domain: native code may call back as long as the process runs.
    set(mono_tests "${CLPOOL_NUNIT}" -nologo -nodots -noxml -domain:None -process:Single
        "${CMAKE_CURRENT_BINARY_DIR}/ClPool.Tests.dll")
  else()
    message(STATUS "C#: NUnit 2.6 was not found (on Debian: nunit-console libnunit-cil-dev); Mono's tests use tests/runner")
    clpool_mono_program(ClPool.Tests.exe ${test_sources} ${runner_sources})
    set(mono_tests "${CLPOOL_MONO}" "${CMAKE_CURRENT_BINARY_DIR}/ClPool.Tests.exe")
  endif()
  add_test(NAME csharp.mono.tests COMMAND ${mono_tests})
  clpool_csharp_memcheck(mono ${mono_tests})
  add_dependencies(memcheck-csharp-mono clpool_csharp_mono)
  if(TARGET clpool_csharp_ClPool.Tests.dll)
    add_dependencies(memcheck-csharp-mono clpool_csharp_ClPool.Tests.dll)
  endif()
  set_tests_properties(csharp.mono.tests PROPERTIES LABELS "wrappers;csharp" TIMEOUT 1200
                       ENVIRONMENT "${clpool_csharp_test_environment}")
endif()
if(clpool_framework)
  clpool_net_project(ClPool.Tests tests/ClPool.Tests.csproj ${test_sources} ${runner_sources} "${net_assembly}")
  add_dependencies(clpool_csharp_net_ClPool.Tests clpool_csharp_net_ClPool)
  clpool_csharp_memcheck(net "${CLPOOL_DOTNET}" "${net_folder}/ClPool.Tests/ClPool.Tests.dll")
  add_dependencies(memcheck-csharp-net clpool_csharp_net_ClPool.Tests)
  add_test(NAME csharp.net.tests COMMAND "${CLPOOL_DOTNET}" "${net_folder}/ClPool.Tests/ClPool.Tests.dll")
  set_tests_properties(csharp.net.tests PROPERTIES LABELS "wrappers;csharp" TIMEOUT 1200
                       ENVIRONMENT "${clpool_csharp_test_environment}")
  # Where a command runs when it was flushed and not before. The driver's folder comes later.
  set(stub "${PROJECT_BINARY_DIR}/tests/stub_icd")
  set(on_csharp_stub "OCL_ICD_VENDORS=${stub}/vendors;OPENCL_VENDOR_PATH=${stub}/vendors;OCL_ICD_FILENAMES=${stub}/libclpool_stub_icd.so;CLPOOL_TEST=clpool stub")
  add_test(NAME csharp.net.flushes_on_the_fake_driver
           COMMAND "${CLPOOL_DOTNET}" "${net_folder}/ClPool.Tests/ClPool.Tests.dll" AnEventCanBeAwaited
                   AFlushHandsCommandsToTheDevice AnAwaitedEventAsksForNoQueueThatIsGone
                   AnAwaitedEventHandsTheCommandsOfItsOwnQueueOn
                   WhatACallEnqueuesWhileItsQueueIsDisposedOfIsHandedOn)
  set_tests_properties(csharp.net.flushes_on_the_fake_driver PROPERTIES LABELS "wrappers;csharp" TIMEOUT 120 ENVIRONMENT
                       "${on_csharp_stub};CLPOOL_STUB=needs_flush=1")
  add_test(NAME csharp.net.flushes_that_fail_once_are_tried_again
           COMMAND "${CLPOOL_DOTNET}" "${net_folder}/ClPool.Tests/ClPool.Tests.dll" AnAwaitedEventHandsTheCommandsOfItsOwnQueueOn)
  set_tests_properties(csharp.net.flushes_that_fail_once_are_tried_again PROPERTIES LABELS "wrappers;csharp" TIMEOUT 120 ENVIRONMENT
                       "${on_csharp_stub};CLPOOL_STUB=needs_flush=1,fail=clFlush:1:-6")
  foreach(nth 1 2 3)
    add_test(NAME csharp.net.a_question_to_an_event_fails_once_${nth}
             COMMAND "${CLPOOL_DOTNET}" "${net_folder}/ClPool.Tests/ClPool.Tests.dll" UnmappingEnds ATaskEndsWithItsCommand)
    set_tests_properties(csharp.net.a_question_to_an_event_fails_once_${nth} PROPERTIES LABELS "wrappers;csharp" TIMEOUT 120 ENVIRONMENT
                         "${on_csharp_stub};CLPOOL_STUB=needs_flush=1,fail=clGetEventInfo:${nth}:-6")
    add_test(NAME csharp.net.a_question_to_a_failed_event_fails_once_${nth}
             COMMAND "${CLPOOL_DOTNET}" "${net_folder}/ClPool.Tests/ClPool.Tests.dll" AFailedCommandFailsItsTask)
    set_tests_properties(csharp.net.a_question_to_a_failed_event_fails_once_${nth} PROPERTIES LABELS "wrappers;csharp" TIMEOUT 120
                         ENVIRONMENT "${on_csharp_stub};CLPOOL_STUB=fail=clGetEventInfo:${nth}:-6")
  endforeach()
  add_test(NAME csharp.net.a_map_that_is_not_unmapped_is_told
           COMMAND "${CLPOOL_DOTNET}" "${net_folder}/ClPool.Tests/ClPool.Tests.dll" AMapThatTheDriverDoesNotUnmapIsTold)
  set_tests_properties(csharp.net.a_map_that_is_not_unmapped_is_told PROPERTIES LABELS "wrappers;csharp" TIMEOUT 120 ENVIRONMENT
                       "${on_csharp_stub};CLPOOL_STUB=fail=clEnqueueUnmapMemObject:1:-5;CLPOOL_TEST_FAILS=unmap")
  # Where there is no more managed memory.
  add_test(NAME csharp.net.blocks_where_there_is_no_memory
           COMMAND ${Python3_EXECUTABLE} -B "${CMAKE_CURRENT_SOURCE_DIR}/tests/little_memory.py" "${CLPOOL_DOTNET}"
                   "${net_folder}/ClPool.Tests/ClPool.Tests.dll" NoBlockIsLostWhereThereIsNoManagedMemory)
  set_tests_properties(csharp.net.blocks_where_there_is_no_memory PROPERTIES LABELS "wrappers;csharp" TIMEOUT 300 ENVIRONMENT
                       "${clpool_csharp_test_environment};DOTNET_GCHeapHardLimit=0x8000000")
endif()

add_test(NAME csharp.for_mono COMMAND ${Python3_EXECUTABLE} -B "${CMAKE_CURRENT_SOURCE_DIR}/tests/for_mono_test.py"
                                      "${CMAKE_CURRENT_SOURCE_DIR}/for_mono.py")
set_tests_properties(csharp.for_mono PROPERTIES LABELS "wrappers;csharp" TIMEOUT 60)

# Programs that end with everything alive.
set(live_at_exit "${CMAKE_CURRENT_SOURCE_DIR}/tests/exit/LiveAtExit.cs")
if(clpool_has_mono)
  clpool_mono_program(LiveAtExit.exe "${live_at_exit}")
  add_test(NAME csharp.mono.ends_with_live_objects COMMAND "${CLPOOL_MONO}" "${CMAKE_CURRENT_BINARY_DIR}/LiveAtExit.exe")
  set_tests_properties(csharp.mono.ends_with_live_objects PROPERTIES LABELS "wrappers;csharp" TIMEOUT 60)
endif()

# Mono, with the assembly in folders where the glue library is missing, or cannot find libclpool.so.1.
if(clpool_has_mono)
  foreach(case IN ITEMS missing broken)
    set(folder "${CMAKE_CURRENT_BINARY_DIR}/${case}")
    set(program "${folder}/LiveAtExit.exe")
    add_custom_command(
      OUTPUT "${program}"
      COMMAND "${CMAKE_COMMAND}" -E make_directory "${folder}"
      COMMAND "${CMAKE_COMMAND}" -E copy "${mono_assembly}" "${mono_assembly}.config" "${CMAKE_CURRENT_BINARY_DIR}/LiveAtExit.exe" "${folder}"
      COMMAND "$<IF:$<STREQUAL:${case},broken>,${CMAKE_COMMAND};-E;copy;${glue};${folder},${CMAKE_COMMAND};-E;true>"
      DEPENDS clpool_csharp clpool_csharp_LiveAtExit.exe "${CMAKE_CURRENT_BINARY_DIR}/LiveAtExit.exe" "${mono_assembly}"
      COMMAND_EXPAND_LISTS VERBATIM)
    add_custom_target(clpool_csharp_${case} ALL DEPENDS "${program}")
    add_test(NAME csharp.mono.a_glue_library_that_is_${case}_is_named COMMAND "${CLPOOL_MONO}" "${program}")
  endforeach()
  set_tests_properties(csharp.mono.a_glue_library_that_is_missing_is_named PROPERTIES PASS_REGULAR_EXPRESSION
                       "DllNotFoundException.*libclpool-csharp.so.*/missing/libclpool-csharp.so: cannot open.*LD_LIBRARY_PATH \\(.*system's folders: libclpool-csharp.so: cannot open")
  set_tests_properties(csharp.mono.a_glue_library_that_is_broken_is_named PROPERTIES PASS_REGULAR_EXPRESSION
                       "DllNotFoundException.*libclpool-csharp.so.*libclpool.so.1: cannot open")
  set_tests_properties(csharp.mono.a_glue_library_that_is_missing_is_named csharp.mono.a_glue_library_that_is_broken_is_named
                       PROPERTIES LABELS "wrappers;csharp" TIMEOUT 60)
endif()
if(clpool_framework)
  clpool_net_project(ClPool.LiveAtExit tests/exit/ClPool.LiveAtExit.csproj "${live_at_exit}" "${net_assembly}")
  add_dependencies(clpool_csharp_net_ClPool.LiveAtExit clpool_csharp_net_ClPool)
  add_test(NAME csharp.net.ends_with_live_objects
           COMMAND "${CLPOOL_DOTNET}" "${net_folder}/ClPool.LiveAtExit/ClPool.LiveAtExit.dll")
  set_tests_properties(csharp.net.ends_with_live_objects PROPERTIES LABELS "wrappers;csharp" TIMEOUT 60)
  # As the language was with .NET 8.
  file(GLOB csharp12_sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/tests/csharp12/*.cs")
  clpool_net_project(ClPool.CSharp12 tests/csharp12/ClPool.CSharp12.csproj ${csharp12_sources} "${net_assembly}")
  add_dependencies(clpool_csharp_net_ClPool.CSharp12 clpool_csharp_net_ClPool)
  add_test(NAME csharp.net.spans_in_csharp_12 COMMAND "${CLPOOL_DOTNET}" "${net_folder}/ClPool.CSharp12/ClPool.CSharp12.dll")
  set_tests_properties(csharp.net.spans_in_csharp_12 PROPERTIES LABELS "wrappers;csharp" TIMEOUT 60 PASS_REGULAR_EXPRESSION "3 1 3 4")
endif()
