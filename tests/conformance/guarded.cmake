# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
# The suites that use pools once more with CLPOOL_GUARD=1, on the device at hand and on the fake driver: a right program is
# served as before, and nothing is found in it. One entry for each program and driver: guarded.DRIVER.PROGRAM.

# Tests that ask for a guard themselves need no other one. What a guarded pool does not promise: that memory is reused,
# or back with the driver, as soon as it is released; and that blocks take no more than they need.
set(guarded_differs
    "GuardedPool.*:*.CountsASlidingWindowOfBlocksExactly*:*.GivesAnEmptyRequestABlockOfItsOwn*:*.ReturnsWhatIsHeldAndKeepsWhatIsInUse*"
    "*.StopsHoldingForGoodAndGoesOnWorking*:*.TrimsTheLargestFirst*:*.ServesWhatRepeatsWithoutTheDriver*"
    "*.TriesWithoutWaitingOrCallingTheDriver*:BinnedPool.HandsOutTheMostRecentlyReturned*:PoolOptionsTest.WhatIsOldGoesBack*"
    "PoolOptionsTest.ATickGivesBack*:PoolOptionsTest.LittleIsHeldWhereLittleMayBe"
    "*.AnUndeclaredUseOnAnotherQueueIsNotProtected*:*.AnUnboundBlockIsFreeToBeReused*:PoolReuseOnQueues.*HandedOutWhileACommandUsesIt*"
    "PoolReuseOnQueues.ABlockForOneQueueIsReusedAtOnce*:TraceReplay.APoolServesTheLog*:CppSource.PoolsOverItNeedNoDevice"
    "CppQueues.BlocksWaitForListsOfEvents*:CppQueues.BlocksGoBackIdle*"
    "*.AnOutOfOrderQueueWaitsForAllThatItWasToWaitFor*:*.ReturnsABlockWhoseLast*AtOnce*")
# Tests that use what they have released; guard_test.cpp says what is found then.
set(guarded_misuse "*.RefusesASecondRelease*:*.ASecondReleaseIsAnErrorThough*:*.ShowsNothingOfAReleasedBlock*:*.UseAfterReleaseIsAnError*:*.CarriesOutLateReleasesInItsNextCall*:*.ReleasesWithoutWaitingOrNotAtAll*")
list(JOIN guarded_differs ":" guarded_differs)

# add_guarded_run(DRIVER ENVIRONMENT TARGET LEFT_OUT [FILTER])
function(add_guarded_run driver environment target left_out)
  if(NOT TARGET ${target} OR (CLPOOL_SANITIZE AND NOT driver STREQUAL "device"))  # the others are long
    return()
  endif()
  string(REGEX REPLACE "^clpool_(.*)$" "\\1" program ${target})
  set(name guarded.${driver}.${program})
  add_test(NAME ${name} COMMAND ${target} --gtest_brief=1 "--gtest_filter=${ARGN}-${left_out}:${guarded_differs}:${guarded_misuse}")
  set(labels "")
  if(driver MATCHES "nvidia|shuffled")  # long ones, of which those on the device and on a driver of OpenCL 1.1 see most
    set(labels long)
  endif()
  set_tests_properties(${name} PROPERTIES TIMEOUT 900 COST 300 LABELS "${labels}" ENVIRONMENT "CLPOOL_GUARD=1;${environment}"
                       FAIL_REGULAR_EXPRESSION "clpool guard: ;left at the end of the process")
endfunction()

set(guarded_stub "${clpool_stub_environment}")
# These two are long: once is enough, and not under sanitizers, whose allocators' locks the parent's other threads may
# hold when they are copied to a child.
set(guarded_once "*PoolFork*:*.CountsRandomOperationsExactly*")
add_guarded_run(once "" clpool_pool_tests "" "${guarded_once}")
foreach(target clpool_pool_tests clpool_conformance_tests)
  add_guarded_run(device "" ${target} "${guarded_once}")
  add_guarded_run(nvidia "${guarded_stub};CLPOOL_STUB=nvidia=1,align=512,leaks" ${target} "${guarded_once}")
  add_guarded_run(shuffled "${guarded_stub};CLPOOL_STUB=seed=7,leaks" ${target} "${guarded_once}")
  add_guarded_run(opencl_1_1 "${guarded_stub};CLPOOL_STUB=version=1.1,svm=none,align=4096,leaks" ${target}
                  "${stub_needs_1_2}:${stub_small_alignment}:${guarded_once}")
endforeach()
if(TARGET clpool_stress_tests)
  add_guarded_run(device "" clpool_stress_tests "")
  set_tests_properties(guarded.device.stress_tests PROPERTIES LABELS threads)
endif()
