# SPDX-FileCopyrightText: The libclpool authors
# SPDX-License-Identifier: Apache-2.0
# Benchmarks, to be run by hand: see benchmarks/README.md.
set(benchmark "${CMAKE_CURRENT_SOURCE_DIR}/benchmarks/AllocateRelease.cs")
if(clpool_has_mono)
  clpool_mono_program(AllocateRelease.exe "${benchmark}" OPTIONS -r:System.Core)
endif()
if(clpool_framework)
  clpool_net_project(ClPool.Benchmarks benchmarks/ClPool.Benchmarks.csproj "${benchmark}" "${net_assembly}")
  add_dependencies(clpool_csharp_net_ClPool.Benchmarks clpool_csharp_net_ClPool)
endif()
