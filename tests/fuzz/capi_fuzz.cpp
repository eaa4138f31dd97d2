// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Bytes as calls of the C API with whatever arguments: the first chooses the device, then two say which
// function, and what follows are its arguments. Nothing crashes, leaks or breaks the rules of results.
#include "fuzz/capi_world.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace clpool::fuzz;
  constexpr const char* devices[] = {"",
                                     ",version=1.2",
                                     ",version=2.0",
                                     ",version=1.1,svm=none",
                                     ",nvidia=1,align=512",
                                     ",svm=system",
                                     ",images=0",
                                     ",svm=coarse"};
  Input input(data, std::min<std::size_t>(size, 1024));
  const std::string options = "mode=immediate,handles=error,devices=2,global=64M,max_alloc=16M,limit=64M" +
                              std::string(devices[input.byte() % 8]);
  const StubRun stub(options.c_str());
  World world(input);
  while (!input.empty()) {
    const Call& next = calls[input.two() % call_count];
    next.call(world);
    world.next_call();
  }
  return 0;
}
