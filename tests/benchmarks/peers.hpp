// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What the pools are compared with, in the same run: the floor (a thread-local stack of ready handles with
// the same statistics), the C library's malloc, mimalloc, and a best fit with std::set under a std::mutex.
// All are called through functions of another translation unit, as a library's are.
#pragma once

#include <cstddef>
#include <cstdint>

namespace clpool::benchmarks {

/// The floor: hands out whatever lies on top of a stack of the calling thread.
void* floor_allocate(std::size_t size);
void floor_release(void* block, std::size_t size);

void* c_allocate(std::size_t size);
void c_release(void* block);

/// mimalloc is loaded at run time, so that it does not replace malloc in this process. Null if it is not
/// installed.
using AllocateFunction = void* (*)(std::size_t);
using ReleaseFunction = void (*)(void*);
struct Mimalloc {
  AllocateFunction allocate = nullptr;
  ReleaseFunction release = nullptr;
};
const Mimalloc& mimalloc();

/// Best fit in one space of 2^40 numbers, with merging.
std::uint64_t set_allocate(std::size_t size);
void set_release(std::uint64_t offset);

}  // namespace clpool::benchmarks
