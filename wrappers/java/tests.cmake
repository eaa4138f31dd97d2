# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
# What is run against clpool.jar: JUnit tests (plain and under -Xcheck:jni), examples, programs that end in special
# ways, and the documentation's own check. All have the label wrappers. Benchmarks are built, not run.
set(clpool_jar_folder "/usr/share/java" CACHE PATH "Folder of JUnit's and JNA's jars")
set(junit_jars "")
foreach(name junit-jupiter-api junit-jupiter-engine junit-jupiter-params junit-platform-commons junit-platform-console
        junit-platform-engine junit-platform-launcher junit-platform-reporting opentest4j apiguardian-api picocli)
  find_file(CLPOOL_${name}_JAR ${name}.jar PATHS "${clpool_jar_folder}" NO_DEFAULT_PATH)
  if(NOT CLPOOL_${name}_JAR)
    message(FATAL_ERROR "the Java tests need ${name}.jar, which is not in ${clpool_jar_folder} "
                        "(on Debian: junit5, libpicocli-java); -DCLPOOL_BUILD_TESTS=OFF builds without tests")
  endif()
  list(APPEND junit_jars "${CLPOOL_${name}_JAR}")
endforeach()
find_file(CLPOOL_JNA_JAR jna.jar PATHS "${clpool_jar_folder}" NO_DEFAULT_PATH)
if(NOT CLPOOL_JNA_JAR)
  message(FATAL_ERROR "the Java examples need jna.jar, which is not in ${clpool_jar_folder} (on Debian: libjna-java)")
endif()

file(GLOB_RECURSE test_sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/tests/*.java")
list(JOIN junit_jars ":" junit_path)
clpool_java_jar(clpool-tests "${clpool_jar}:${junit_path}" "${test_sources};${clpool_jar}"
                "${CMAKE_CURRENT_SOURCE_DIR}/tests")
file(GLOB example_sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/examples/*.java")
clpool_java_jar(clpool-examples "${clpool_jar}:${CLPOOL_JNA_JAR}" "${example_sources};${clpool_jar}"
                "${CMAKE_CURRENT_SOURCE_DIR}/examples")
file(GLOB benchmark_sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/benchmarks/*.java")
clpool_java_jar(clpool-benchmarks "${clpool_jar}" "${benchmark_sources};${clpool_jar}"
                "${CMAKE_CURRENT_SOURCE_DIR}/benchmarks")
foreach(name clpool-tests clpool-examples clpool-benchmarks)
  add_dependencies(${name}_jar clpool_jar)
endforeach()

set(java_command "${Java_JAVA_EXECUTABLE}" -ea -Xmx512m -XX:TieredStopAtLevel=1
    "-Dorg.clpool.library.path=$<TARGET_FILE:clpooljni>" "-Dorg.clpool.headers=${PROJECT_SOURCE_DIR}/capi/include")
set(test_path "${CMAKE_CURRENT_BINARY_DIR}/clpool-tests.jar:${clpool_jar}:${junit_path}")
set(example_path "${CMAKE_CURRENT_BINARY_DIR}/clpool-examples.jar:${clpool_jar}:${CLPOOL_JNA_JAR}")
set(junit org.junit.platform.console.ConsoleLauncher --scan-classpath
    "${CMAKE_CURRENT_BINARY_DIR}/clpool-tests.jar" --disable-banner --details=tree --disable-ansi-colors
    --fail-if-no-tests)

add_test(NAME wrappers.java.junit COMMAND ${java_command} -cp "${test_path}" ${junit})
# Where the kernel refuses what makes a pool's requests cheap.
if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
  add_executable(clpool_without_membarrier "${CMAKE_CURRENT_SOURCE_DIR}/tests/without_membarrier/without_membarrier.c")
  list(APPEND junit_of_races ${junit})
  list(REMOVE_ITEM junit_of_races --scan-classpath "${CMAKE_CURRENT_BINARY_DIR}/clpool-tests.jar")
  add_test(NAME wrappers.java.races_without_membarrier COMMAND clpool_without_membarrier ${java_command} -cp "${test_path}"
                                                               ${junit_of_races} --select-class org.clpool.CloseRaceTest)
  set_tests_properties(wrappers.java.races_without_membarrier PROPERTIES LABELS wrappers TIMEOUT 300)
endif()
# The virtual machine's own check of every call between Java and C.
add_test(NAME wrappers.java.junit_with_checked_jni COMMAND ${java_command} -Xcheck:jni -cp "${test_path}" ${junit})
set_tests_properties(wrappers.java.junit_with_checked_jni PROPERTIES
                     FAIL_REGULAR_EXPRESSION "in native method;FATAL ERROR")
# On a Java that can end the use of memory (22 and later), if the one that builds cannot and another one is installed.
set(clpool_newer_java "")
if(Java_VERSION VERSION_LESS 22)
  file(GLOB releases "/usr/lib/jvm/*/release")
  foreach(release IN LISTS releases)
    file(STRINGS "${release}" version REGEX "^JAVA_VERSION=")
    string(REGEX MATCH "[0-9]+" version "${version}")
    get_filename_component(folder "${release}" DIRECTORY)
    if(version VERSION_GREATER_EQUAL 22 AND EXISTS "${folder}/bin/java")
      set(clpool_newer_java "${folder}/bin/java")
    endif()
  endforeach()
endif()
set(CLPOOL_NEWER_JAVA "${clpool_newer_java}" CACHE FILEPATH "java of 22 or later, on which the Java tests run too; may be empty")
if(CLPOOL_NEWER_JAVA)
  set(newer_java_command ${java_command} --enable-native-access=ALL-UNNAMED)
  list(REMOVE_AT newer_java_command 0)
  add_test(NAME wrappers.java.junit_on_newer_java COMMAND "${CLPOOL_NEWER_JAVA}" ${newer_java_command} -cp "${test_path}" ${junit})
  set_tests_properties(wrappers.java.junit_on_newer_java PROPERTIES LABELS wrappers TIMEOUT 1200
                       FAIL_REGULAR_EXPRESSION "restricted method")
endif()
# On the fake driver, which can leave commands alone until their queue is flushed. Its folder comes later.
set(clpool_java_stub "${PROJECT_BINARY_DIR}/tests/stub_icd")
list(APPEND junit_of_one ${junit})
list(REMOVE_ITEM junit_of_one --scan-classpath "${CMAKE_CURRENT_BINARY_DIR}/clpool-tests.jar")
set(on_java_stub "OCL_ICD_VENDORS=${clpool_java_stub}/vendors;OPENCL_VENDOR_PATH=${clpool_java_stub}/vendors;OCL_ICD_FILENAMES=${clpool_java_stub}/libclpool_stub_icd.so;CLPOOL_DEVICE=clpool stub")
add_test(NAME wrappers.java.flushes_on_the_fake_driver
         COMMAND ${java_command} -cp "${test_path}" ${junit_of_one} --select-class org.clpool.HostMemoryTest
                 --select-class org.clpool.AwaitTest)
set_tests_properties(wrappers.java.flushes_on_the_fake_driver PROPERTIES LABELS wrappers TIMEOUT 300 ENVIRONMENT
                     "${on_java_stub};CLPOOL_STUB=needs_flush=1")
foreach(nth 1 2)
  add_test(NAME wrappers.java.a_question_to_an_event_fails_once_${nth}
           COMMAND ${java_command} -cp "${test_path}" ${junit_of_one} --select-method "org.clpool.AwaitTest#unmappingEnds"
                   --select-method "org.clpool.AwaitTest#whatFailedIsToldToWhoWaits")
  set_tests_properties(wrappers.java.a_question_to_an_event_fails_once_${nth} PROPERTIES LABELS wrappers TIMEOUT 120 ENVIRONMENT
                       "${on_java_stub};CLPOOL_STUB=needs_flush=1,fail=clGetEventInfo:${nth}:-6")
endforeach()
add_test(NAME wrappers.java.ends_that_no_driver_tells_of_are_found
         COMMAND ${java_command} -cp "${test_path}" ${junit_of_one} --select-class org.clpool.AwaitTest)
set_tests_properties(wrappers.java.ends_that_no_driver_tells_of_are_found PROPERTIES LABELS wrappers TIMEOUT 120 ENVIRONMENT
                     "${on_java_stub};CLPOOL_STUB=needs_flush=1,fail=clSetEventCallback:1:-6:on")
add_test(NAME wrappers.java.a_refused_wait_is_told
         COMMAND ${java_command} -cp "${test_path}" ${junit_of_one}
                 --select-method "org.clpool.AwaitTest#aRefusedWaitIsToldToWhoWaits")
set_tests_properties(wrappers.java.a_refused_wait_is_told PROPERTIES LABELS wrappers TIMEOUT 120 ENVIRONMENT
                     "${on_java_stub};CLPOOL_STUB=fail=clWaitForEvents:1:-5:on;CLPOOL_TEST_FAILS=wait")
add_test(NAME wrappers.java.what_no_flush_handed_on_is_waited_for
         COMMAND ${java_command} -cp "${test_path}" ${junit_of_one}
                 --select-method "org.clpool.AwaitTest#whatAClosedQueueThatIsKeptWasGivenEnds")
set_tests_properties(wrappers.java.what_no_flush_handed_on_is_waited_for PROPERTIES LABELS wrappers TIMEOUT 120 ENVIRONMENT
                     "${on_java_stub};CLPOOL_STUB=needs_flush=1,fail=clFlush:1:-5:on")
# Host memory of commands whose events the driver does not retain.
add_test(NAME wrappers.java.host_memory_where_events_are_not_retained
         COMMAND ${java_command} -cp "${test_path}" org.clpool.KeepsNothingForEver)
set_tests_properties(wrappers.java.host_memory_where_events_are_not_retained PROPERTIES
                     LABELS wrappers TIMEOUT 120 PASS_REGULAR_EXPRESSION "^0 blocks are out|[^0-9]0 blocks are out" ENVIRONMENT
                     "${on_java_stub};CLPOOL_STUB=fail=clRetainEvent:1:-5:on")
add_test(NAME wrappers.java.close_tells_what_unmapping_fails_of
         COMMAND ${java_command} -cp "${test_path}" org.clpool.ClosesMapsThatAreNotUnmapped)
set_tests_properties(wrappers.java.close_tells_what_unmapping_fails_of PROPERTIES
                     LABELS wrappers TIMEOUT 120 PASS_REGULAR_EXPRESSION "close\\(\\) said -5\nand it is closed" ENVIRONMENT
                     "${on_java_stub};CLPOOL_STUB=fail=clEnqueueUnmapMemObject:1:-5")
# Where Java's common pool has no thread.
add_test(NAME wrappers.java.futures_without_a_common_pool
         COMMAND ${java_command} -Djava.util.concurrent.ForkJoinPool.common.parallelism=0 -cp "${test_path}" ${junit_of_one}
                 --select-class org.clpool.HostMemoryTest)
set_tests_properties(wrappers.java.futures_without_a_common_pool PROPERTIES LABELS wrappers TIMEOUT 300)
# Under valgrind, which takes minutes: not one of the tests, but of `packaging/check --long`.
add_custom_target(memcheck-java USES_TERMINAL
                  COMMAND ${Python3_EXECUTABLE} "${PROJECT_SOURCE_DIR}/wrappers/tests/memcheck.py"
                          "${PROJECT_BINARY_DIR}/tests/stub_icd/vendors" ${java_command} -cp "${test_path}" ${junit})
add_dependencies(memcheck-java clpooljni clpool-tests_jar clpool_stub_icd)
add_dependencies(memcheck-wrappers memcheck-java)
# In a module of its own: the jar is one.
add_test(NAME wrappers.java.module COMMAND ${java_command} --module-path "${clpool_jar}" --describe-module org.clpool)
set_tests_properties(wrappers.java.module PROPERTIES PASS_REGULAR_EXPRESSION "exports org.clpool")
add_test(NAME wrappers.java.program_that_exits_with_live_objects
         COMMAND ${java_command} -cp "${test_path}" org.clpool.ExitsWithLiveObjects)
# A request that waited for a collection that never comes would take half a second.
add_test(NAME wrappers.java.requests_that_fail_where_collections_are_switched_off
         COMMAND ${java_command} -XX:+DisableExplicitGC -cp "${test_path}" org.clpool.FailsWithoutCollections)
set_tests_properties(wrappers.java.requests_that_fail_where_collections_are_switched_off PROPERTIES
                     LABELS wrappers TIMEOUT 120 PASS_REGULAR_EXPRESSION "1000 requests failed")
# Where Java's heap is full.
add_test(NAME wrappers.java.blocks_where_java_has_no_memory
         COMMAND "${Java_JAVA_EXECUTABLE}" -ea -Xmx32m -XX:+UseSerialGC "-Dorg.clpool.library.path=$<TARGET_FILE:clpooljni>" -cp
                 "${test_path}" org.clpool.RunsOutOfJavaMemory)
set_tests_properties(wrappers.java.blocks_where_java_has_no_memory PROPERTIES
                     LABELS wrappers TIMEOUT 600 PASS_REGULAR_EXPRESSION "[1-9][0-9]* errors, 0 blocks are lost, 0 futures never complete, 0 chunks are lost")
foreach(collector IN ITEMS G1 Serial)
  add_test(NAME wrappers.java.host_memory_where_java_has_no_memory.${collector}
           COMMAND "${Java_JAVA_EXECUTABLE}" -ea -Xmx32m -XX:+Use${collector}GC "-Dorg.clpool.library.path=$<TARGET_FILE:clpooljni>" -cp
                   "${test_path}" org.clpool.RunsOutOfJavaMemory host)
  set_tests_properties(wrappers.java.host_memory_where_java_has_no_memory.${collector} PROPERTIES
                       LABELS wrappers TIMEOUT 600 PASS_REGULAR_EXPRESSION "errors, host memory of 0 buffers and commands is kept")
endforeach()
# Where the stack ends.
add_test(NAME wrappers.java.commands_where_the_stack_ends
         COMMAND ${java_command} -cp "${test_path}" org.clpool.OverflowsItsStack)
set_tests_properties(wrappers.java.commands_where_the_stack_ends PROPERTIES
                     LABELS wrappers TIMEOUT 120 PASS_REGULAR_EXPRESSION "[1-9][0-9]* errors, 0 commands are waited for, all commands ended")
add_test(NAME wrappers.java.closes_where_the_stack_ends
         COMMAND ${java_command} -cp "${test_path}" org.clpool.ClosesWhereTheStackEnds)
set_tests_properties(wrappers.java.closes_where_the_stack_ends PROPERTIES
                     LABELS wrappers TIMEOUT 120 PASS_REGULAR_EXPRESSION "[1-9][0-9]* errors, 0 blocks are out"
                     FAIL_REGULAR_EXPRESSION "left at the end of the process" ENVIRONMENT
                     "${on_java_stub};CLPOOL_STUB=leaks")
foreach(mode -Xint -XX:TieredStopAtLevel=1 -Xcomp)
  string(MAKE_C_IDENTIFIER "${mode}" name)
  add_test(NAME wrappers.java.divides_by_zero.${name}
           COMMAND "${Java_JAVA_EXECUTABLE}" ${mode} "-Dorg.clpool.library.path=$<TARGET_FILE:clpooljni>" -cp "${test_path}" org.clpool.DividesByZero)
  set_tests_properties(wrappers.java.divides_by_zero.${name} PROPERTIES LABELS wrappers TIMEOUT 120 PASS_REGULAR_EXPRESSION
                       "7 / 0 is no number")
endforeach()
# The jar with the libraries inside: nothing else says where they are.
add_test(NAME wrappers.java.natives_in_the_jar
         COMMAND "${Java_JAVA_EXECUTABLE}" -Djava.library.path= -cp
                 "${clpool_natives_jar}:${CMAKE_CURRENT_BINARY_DIR}/clpool-tests.jar" org.clpool.ExitsWithLiveObjects)
# Nothing says where they are.
add_test(NAME wrappers.java.says_where_it_looked_for_the_native_part
         COMMAND "${Java_JAVA_EXECUTABLE}" -Djava.library.path=/nowhere -cp
                 "${clpool_jar}:${CMAKE_CURRENT_BINARY_DIR}/clpool-tests.jar" org.clpool.ExitsWithLiveObjects)
set_tests_properties(wrappers.java.says_where_it_looked_for_the_native_part PROPERTIES PASS_REGULAR_EXPRESSION
                     "clpooljni in java.library.path: /nowhere.*native/linux-.*libclpooljni.so.*org.clpool.library.path")
add_test(NAME wrappers.java.names_the_property_that_is_wrong
         COMMAND "${Java_JAVA_EXECUTABLE}" -Dorg.clpool.library.path=/nowhere -cp
                 "${clpool_jar}:${CMAKE_CURRENT_BINARY_DIR}/clpool-tests.jar" org.clpool.ExitsWithLiveObjects)
set_tests_properties(wrappers.java.names_the_property_that_is_wrong PROPERTIES PASS_REGULAR_EXPRESSION
                     "the property org.clpool.library.path is \"/nowhere\": ")
add_test(NAME wrappers.java.natives_name_no_folder
         COMMAND "${CMAKE_READELF}" --dynamic "${clpool_natives_folder}/$<TARGET_FILE_NAME:clpooljni>")
set_tests_properties(wrappers.java.natives_name_no_folder PROPERTIES PASS_REGULAR_EXPRESSION "libclpool.so.1"
                     FAIL_REGULAR_EXPRESSION "RPATH;RUNPATH")
set(java_tests wrappers.java.junit wrappers.java.natives_in_the_jar
    wrappers.java.junit_with_checked_jni wrappers.java.module wrappers.java.names_the_property_that_is_wrong
    wrappers.java.program_that_exits_with_live_objects wrappers.java.says_where_it_looked_for_the_native_part)

find_program(CLPOOL_JAVADOC javadoc HINTS "${clpool_jdk}/bin")
add_test(NAME wrappers.java.documentation
         COMMAND "${CLPOOL_JAVADOC}" -Xdoclint:all -Xwerror -quiet --release 11 -encoding UTF-8
                 -d "${CMAKE_CURRENT_BINARY_DIR}/javadoc" "@${CMAKE_CURRENT_BINARY_DIR}/clpool.classes.txt")
list(APPEND java_tests wrappers.java.documentation)

foreach(source IN LISTS example_sources)
  get_filename_component(name "${source}" NAME_WE)
  add_test(NAME wrappers.java.example.${name} COMMAND ${java_command} -cp "${example_path}" ${name})
  list(APPEND java_tests wrappers.java.example.${name})
endforeach()
set_tests_properties(${java_tests} PROPERTIES LABELS wrappers TIMEOUT 300)
set_tests_properties(wrappers.java.junit wrappers.java.junit_with_checked_jni PROPERTIES TIMEOUT 1200)  # with CLPOOL_LONG_TESTS
