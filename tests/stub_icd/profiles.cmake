# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
# The suites that use a device once more on the fake driver, one entry for each program and profile: stub.PROFILE.PROGRAM. Not
# one entry for each test: names of some tests have the device in them, which is another one when they are listed.

# add_stub_run(PROFILE OPTIONS TARGET [FILTER [OBSERVED]]): runs the program TARGET, a gtest program if there is a filter.
# With OBSERVED the calls of its functions are compared with what the headers say of them: see ../abi/README.md.
# Under AddressSanitizer the profiles default and nvidia do, which differ in what is allocated and released; under
# ThreadSanitizer the default one. Those with the label long see little that others do not: packaging/check --long runs them.
function(add_stub_run profile options target)
  if(NOT TARGET ${target} OR (CLPOOL_SANITIZE STREQUAL thread AND NOT profile STREQUAL default) OR
     (CLPOOL_SANITIZE AND profile MATCHES "shuffled|opencl_1_1"))
    return()
  endif()
  string(REGEX REPLACE "^clpool_(.*)$" "\\1" program ${target})
  set(command ${target})
  if(ARGC GREATER 3)
    list(APPEND command --gtest_brief=1 "--gtest_filter=${ARGV3}")
  endif()
  set(labels "")
  if(CLPOOL_SANITIZE STREQUAL thread)
    list(APPEND labels threads)
  elseif(target MATCHES "(pool|unit|program)_tests" AND
         (profile STREQUAL shuffled OR (CLPOOL_SANITIZE AND profile STREQUAL nvidia)))
    list(APPEND labels long)
  endif()
  if(ARGC GREATER 4 AND TARGET clpool_observed_calls)
    set(preload ";LD_PRELOAD=$<TARGET_FILE:clpool_observed_calls>")
  endif()
  add_test(NAME stub.${profile}.${program} COMMAND ${command})
  set_tests_properties(stub.${profile}.${program} PROPERTIES TIMEOUT 600 COST 300 SKIP_RETURN_CODE 77 LABELS "${labels}" ENVIRONMENT
    "${clpool_stub_environment};CLPOOL_DEVICE=clpool stub;CLPOOL_STUB=${options}${preload}")
  if(options MATCHES "leaks" AND NOT target STREQUAL "clpool_exit_test")  # which leaves everything on purpose
    set_tests_properties(stub.${profile}.${program} PROPERTIES FAIL_REGULAR_EXPRESSION "left at the end of the process")
  endif()
endfunction()

# Commands of OpenCL 1.2 on a device of 1.1; and tests that take sub-buffers at multiples of less than 4096.
set(stub_needs_1_2
    "CppLayer.*:Image.EveryTypeTellsItsShape:*.LayersOfAnArrayAreCopied*:Map.ChangesHostAllocated*:On/DeviceHppOn.*"
    "*/MemoOfObjects.*:*.FillsRepeatThePattern*:*.WrongPatternsAre*:*.ZeroBytes*:MemoryCommands.*"
    "DriverWithABug.*:*PoolReuseOnQueues.*:AddressesUnderAQueue.*:PoolContract.*:PoolQueues.*:OutOfOrderIndexing.*")
set(stub_small_alignment "*/CopyBoxWithinOneRoot:Buffer.SubRegionsOfHostPointer*:*.ASubRegionIsThatPart*:*.ASubRegionKeepsItsParent*")
list(JOIN stub_needs_1_2 ":" stub_needs_1_2)

set(stub_left_out "")
if(CLPOOL_SANITIZE STREQUAL thread)
  # In a child of fork() its runtime cannot start threads; and the others are long, and have one thread.
  set(stub_left_out "*PoolFork*:*CountsRandomOperationsExactly*:*Guard*")
endif()
# Programs that run on the stub alone, under sanitizers as one process each, as processes begin slowly there.
if(CLPOOL_SANITIZE)
  add_stub_run(default "" clpool_ordering_tests "*")
  add_stub_run(default "" clpool_stub_tests "*")
endif()
foreach(target clpool_conformance_tests clpool_pool_tests clpool_unit_tests clpool_program_tests)
  set(observed "")
  if(target MATCHES "conformance|pool_tests")  # those of the C interface, in this process
    set(observed OBSERVED)
  endif()
  add_stub_run(default "leaks" ${target} "*-${stub_left_out}" ${observed})
  add_stub_run(nvidia "nvidia=1,align=512,leaks" ${target} "*-${stub_left_out}" ${observed})
  add_stub_run(shuffled "seed=7,leaks" ${target} "*-${stub_left_out}")
  add_stub_run(opencl_1_1 "version=1.1,svm=none,align=4096,leaks" ${target}
               "-${stub_needs_1_2}:${stub_small_alignment}")
endforeach()
if(CLPOOL_SANITIZE STREQUAL thread)
  add_stub_run(default "leaks" clpool_lifetime_tests "*PoolEnds*")
else()
  add_stub_run(default "leaks" clpool_lifetime_tests "*" OBSERVED)
endif()
add_stub_run(shuffled "seed=7,leaks" clpool_lifetime_tests "*PoolEnds*")
add_stub_run(two_devices "devices=2,leaks" clpool_pool_tests "*PoolOfSeveralDevices*")
add_stub_run(nvidia "nvidia=1,align=512,leaks" clpool_lifetime_tests "*PoolEnds*" OBSERVED)
foreach(target clpool_example_first_pool clpool_example_saxpy clpool_example_svm_pool clpool_example_pinned_upload
               clpool_example_custom_allocator clpool_exit_test)
  add_stub_run(default "leaks" ${target})
  add_stub_run(nvidia "nvidia=1,align=512,leaks" ${target})
endforeach()
