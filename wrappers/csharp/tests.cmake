# Tests: the same sources by NUnit on Mono and by the small runner of tests/net on modern .NET.
find_program(CLPOOL_NUNIT NAMES nunit-console nunit-console4 DOC "NUnit 2.6's runner for Mono")
file(GLOB test_sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/tests/*.cs")
file(GLOB net_test_sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/tests/net/*.cs")
set(clpool_csharp_test_environment "CLPOOL_ABI_LAYOUT=${PROJECT_SOURCE_DIR}/tests/abi/layout.txt")

if(clpool_has_mono)
  set(nunit /usr/lib/cli/nunit.framework-2.6.3/nunit.framework.dll)
  if(CLPOOL_NUNIT AND EXISTS "${nunit}")
    clpool_mono_program(ClPool.Tests.dll ${test_sources} OPTIONS -target:library "-r:${nunit}")
    # In one process and domain: native code may call back as long as the process runs.
    add_test(NAME csharp.mono.nunit COMMAND "${CLPOOL_NUNIT}" -nologo -nodots -noxml -domain:None -process:Single
                                            "${CMAKE_CURRENT_BINARY_DIR}/ClPool.Tests.dll")
    set_tests_properties(csharp.mono.nunit PROPERTIES LABELS "wrappers;csharp" TIMEOUT 300
                         ENVIRONMENT "${clpool_csharp_test_environment}")
  else()
    message(FATAL_ERROR "the tests of the C# wrapper need NUnit 2.6 (on Debian: nunit-console libnunit-cil-dev)")
  endif()
endif()
if(clpool_framework)
  clpool_net_project(ClPool.Tests tests/ClPool.Tests.csproj ${test_sources} ${net_test_sources} "${net_assembly}")
  add_dependencies(clpool_csharp_net_ClPool.Tests clpool_csharp_net_ClPool)
  add_test(NAME csharp.net.tests COMMAND "${CLPOOL_DOTNET}" "${net_folder}/ClPool.Tests/ClPool.Tests.dll")
  set_tests_properties(csharp.net.tests PROPERTIES LABELS "wrappers;csharp" TIMEOUT 300
                       ENVIRONMENT "${clpool_csharp_test_environment}")
endif()

# Programs that end with everything alive.
set(live_at_exit "${CMAKE_CURRENT_SOURCE_DIR}/tests/exit/LiveAtExit.cs")
if(clpool_has_mono)
  clpool_mono_program(LiveAtExit.exe "${live_at_exit}")
  add_test(NAME csharp.mono.ends_with_live_objects COMMAND "${CLPOOL_MONO}" "${CMAKE_CURRENT_BINARY_DIR}/LiveAtExit.exe")
  set_tests_properties(csharp.mono.ends_with_live_objects PROPERTIES LABELS "wrappers;csharp" TIMEOUT 60)
endif()
if(clpool_framework)
  clpool_net_project(ClPool.LiveAtExit tests/exit/ClPool.LiveAtExit.csproj "${live_at_exit}" "${net_assembly}")
  add_dependencies(clpool_csharp_net_ClPool.LiveAtExit clpool_csharp_net_ClPool)
  add_test(NAME csharp.net.ends_with_live_objects
           COMMAND "${CLPOOL_DOTNET}" "${net_folder}/ClPool.LiveAtExit/ClPool.LiveAtExit.dll")
  set_tests_properties(csharp.net.ends_with_live_objects PROPERTIES LABELS "wrappers;csharp" TIMEOUT 60)
endif()
