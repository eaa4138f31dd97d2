// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The options of the driver and their text form, "name=value,name=value". README.md has their table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace stub {

enum class Mode { immediate, worker, manual };
enum class Svm { none, coarse, fine, atomics, system };

struct Version {
  int major = 3;
  int minor = 0;
  friend constexpr auto operator<=>(const Version&, const Version&) = default;
};

struct Options {
  Mode mode = Mode::worker;
  bool finish_forgets = false;    ///< clFinish waits for nothing where all was flushed before
  bool needs_flush = false;       ///< commands do not run before their queue is flushed or waited for
  bool dies_of_deadlock = false;  ///< a wait that nothing pending can end aborts instead of waiting
  bool dies_of_handles = true;    ///< dead handles and too new entry points abort instead of an error code
  std::uint64_t seed = 0;         ///< not 0: workers take any of the commands that may run
  std::uint64_t patience = 5000000000;  ///< nanoseconds that stub_meanwhile() waits for its operation
  bool sleeps = false;                  ///< latencies are slept, not only counted

  int devices = 1;
  Version version;
  std::uint64_t alignment = 128;  ///< bytes
  Svm svm = Svm::atomics;
  bool out_of_order = true;
  bool images = true;
  bool compiler = true;
  bool unified = false;
  std::string name = "clpool stub";  ///< of the platform
  std::string type = "gpu";
  std::string with;     ///< extensions added, separated by '+'
  std::string without;  ///< extensions left out
  std::string fail;     ///< the fault to begin with; see set_fault()

  std::uint64_t global = std::uint64_t{4} << 30;  ///< CL_DEVICE_GLOBAL_MEM_SIZE
  std::uint64_t max_alloc = 0;                    ///< CL_DEVICE_MAX_MEM_ALLOC_SIZE; 0: a quarter of `global`
  std::uint64_t limit = 0;                        ///< bytes that can be allocated; 0: `global`
  bool lazy = false;                              ///< memory is taken at the first use of a buffer
  bool fragments = false;                         ///< an allocation needs one free piece of the address space
  bool poison = true;                             ///< fresh memory is filled with 0xA5, freed with 0xDD
  bool protect = false;         ///< freed SVM and unmapped regions are unmapped: the host's access faults
  std::uint64_t map_shift = 0;  ///< bytes by which mapped regions are out of the page's alignment
  bool short_rows = false;      ///< the row pitch of an image's map is told as a byte less than a row has

  bool nvidia = false;  ///< waits and crashes of NVIDIA's driver
  bool mixes_up_parts =
      false;  ///< parts first used, or released after use, beside other threads abort: README.md
  bool fails_markers = false;     ///< markers of queues out of order fail with any command before them
  bool forgets_barriers = false;  ///< a barrier with a list does not wait for an earlier one, and replaces it
  bool begins_alone = false;      ///< a second thread in a platform's first list of devices aborts
  bool dies_of_overlap = false;   ///< two living overlapping sub-buffers abort

  std::map<std::string, std::uint64_t> host_ns;    ///< by entry point
  std::map<std::string, std::uint64_t> device_ns;  ///< by kind of command: kernel, copy, fill, read, …

  std::uint64_t largest_allocation() const { return max_alloc != 0 ? max_alloc : global / 4; }
  std::uint64_t memory_limit() const { return limit != 0 ? limit : global; }
};

/// Applies `text`; aborts on an option that is not known or a value that makes no sense.
void apply(Options& options, const std::string& text);

}  // namespace stub
