// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The tables. A failure that is in none of them must come out as what it is.
#include "faults/recoveries.hpp"

#include <algorithm>
#include <iterator>

namespace clpool::test {
namespace {

bool begins_with(const std::string& text, const char* begin) {
  return text.rfind(begin, 0) == 0;
}

template <std::size_t count>
bool is_one_of(const std::string& text, const char* const (&list)[count]) {
  return std::find(std::begin(list), std::end(list), text) != std::end(list);
}

/// Which device it is for.
bool chooses(const std::string& scenario) {
  return scenario == "DeviceChoice" || scenario.ends_with("DefaultContext");
}

bool is_out_of_memory(cl_int code) {
  // -61, of a buffer that is too large, is answered in the same way: a smaller one may do.
  return code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_RESOURCES ||
         code == CL_OUT_OF_HOST_MEMORY || code == CL_INVALID_BUFFER_SIZE;
}

}  // namespace

bool may_recover(const std::string& scenario, const std::string& profile, const Injection& injection) {
  const std::string& entry_point = injection.entry_point;
  if (entry_point.empty()) {
    return true;  // host memory is often asked for where less would do: caches, markers, polls
  }
  if (is_out_of_memory(injection.code)) {
    // A pool asks again: for the exact size, after giving back what it holds. A replay counts what fails.
    constexpr const char* makes_memory[] = {"clCreateBuffer", "clCreateSubBuffer", "clSVMAlloc",
                                            "clEnqueueMapBuffer"};
    // So does one that cannot make a chunk ready: touch it, or have its other queues wait for that.
    constexpr const char* touches_chunks[] = {"CoalescingDeferred",      "BinnedDeferred",
                                              "BuffersOnTwoQueues",      "BuffersOutOfOrder",
                                              "BuffersOnAForeignQueue",  "BlocksOfAQueue",
                                              "BuffersOfSeveralThreads", "FilledBuffersOfSeveralThreads"};
    // NVIDIA's are touched on a queue of the library's own, that nobody else flushes.
    constexpr const char* touches_elsewhere[] = {"clFlush", "clCreateCommandQueue", "clGetCommandQueueInfo"};
    const bool may_touch = entry_point == "clEnqueueCopyBuffer" ||
                           (profile == "Nvidia" && is_one_of(entry_point, touches_elsewhere));
    const bool touches =
        may_touch && (!begins_with(scenario, "Copy") || scenario.find("Block") != std::string::npos);
    if (touches || is_one_of(entry_point, makes_memory) || is_one_of(scenario, touches_chunks)) {
      return true;
    }
  }
  // What a guard could not fill or read it does not look at.
  if (begins_with(scenario, "Guarded")) {
    return true;
  }
  // SVM that cannot be freed behind its queue is freed when the queue is empty.
  if (entry_point == "clEnqueueSVMFree") {
    return true;
  }
  // SVM of no pool is freed behind markers on the queues that used it; a queue without one is waited for.
  if (scenario == "MapsOfSvm" && (begins_with(entry_point, "clGet") || entry_point == "clFlush" ||
                                  entry_point == "clEnqueueMarkerWithWaitList")) {
    return true;
  }
  // An event that does not tell is asked again.
  if (entry_point == "clGetEventInfo") {
    return true;
  }
  // What a device does not say is taken from elsewhere, and the answer names its source. A platform or device
  // that cannot be asked is none to choose.
  return begins_with(scenario, "Characterize") || scenario == "Occupancy" ||
         (chooses(scenario) && begins_with(entry_point, "clGet"));
}

bool is_other_status(const std::string& scenario, const Injection& injection, clpool_status status) {
  // No device is left to choose.
  if (status == CLPOOL_ERROR_NOT_FOUND) {
    return chooses(scenario);
  }
  // Facts that no query gives are missing where something is computed of them.
  if ((begins_with(scenario, "Characterize") || scenario == "Occupancy") &&
      begins_with(injection.entry_point, "clGet") &&
      (status == CLPOOL_ERROR_INVALID_VALUE || status == CLPOOL_ERROR_NOT_SUPPORTED)) {
    return true;
  }
  if (status == CLPOOL_ERROR_INVALID_VALUE) {
    // The driver alone knows which size is too large, and which alignment: clSVMAlloc has no codes.
    return injection.code == CL_INVALID_BUFFER_SIZE || injection.entry_point == "clSVMAlloc";
  }
  return injection.code == CL_INVALID_BUFFER_SIZE && status == CLPOOL_ERROR_OUT_OF_MEMORY;
}

bool is_other_code(const Injection& injection, const Failure& failure) {
  // Where all fails, a request ends with what its last resort says; clSVMAlloc has no codes.
  return injection.lasting == Injection::Lasting::everything &&
         failure.code == CL_MEM_OBJECT_ALLOCATION_FAILURE;
}

bool may_leave_something(const Injection& injection, const World& world) {
  // Neither freed behind the commands that may use it, nor waited for.
  return injection.lasting == Injection::Lasting::everything &&
         std::any_of(world.messages().begin(), world.messages().end(), [](const Message& message) {
           return message.text.find("stay allocated") != std::string::npos;
         });
}

}  // namespace clpool::test
