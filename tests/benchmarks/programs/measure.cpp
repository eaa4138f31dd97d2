// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// clpool_programs: runs the programs of this folder, and the recorded logs, through pools, and prints what
// the pools took. With numbers for memory, unless handles are to be counted: these need an OpenCL device.
//   clpool_programs [--logs] [--scaled] [--kinds A,B] [--seeds 1-4] [--handles] [--after-hits N] [--bins]
//   [--others] [--curves] [--alignment 512]
// --bins: what PyOpenCL's bins take, too; --others: what the rules of PyTorch's, RMM's and CuPy's pools would (others.hpp).
// --curves prints, instead of figures, what is live and taken over each log: name, event, live, taken, and with
// --bins taken by bins, separated by tabs; ../pictures draws that.
// --scaled: the recorded logs with each size scaled by a factor of its own, for each seed: logs on which
// nothing was tuned.
#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "pools.hpp"
#include "programs/others.hpp"
#include "programs/programs.hpp"
#include "programs/recorder.hpp"

namespace clpool::benchmarks {
namespace {

struct Options {
  bool logs = false;
  bool scaled = false;
  bool handles = false;
  bool bins = false;
  bool others = false;
  bool curves = false;
  std::string kinds;
  std::uint64_t first_seed = 1;
  std::uint64_t last_seed = 4;
  std::uint64_t hits_before = 0;
  std::uint64_t alignment = 512;  // as NVIDIA's OpenCL asks for
};

struct Result {
  double ratio = 0;
  double driver_percent = 0;
  double handle_percent = 0;
  double ns_per_event = 0;
};

struct Row {
  std::string kind;
  std::string name;
  Log log;
};

double percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

clpool_pool_options options_for(std::uint32_t strategy, const Options& chosen) {
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  options.strategy = strategy;
  options.alignment = chosen.alignment;
  return options;
}

Result replay(const Log& log, const Options& options, std::uint32_t strategy) {
  const clpool_pool_options pool_options = options_for(strategy, options);
  const auto pool = make_pool(options.handles ? Kind::buffer : Kind::numbers, &pool_options);
  std::vector<clpool_mem*> blocks(log.slots);
  clpool_mem* block = nullptr;
  for (std::uint64_t i = 0; i < options.hits_before; ++i) {
    require(clpool_pool_allocate(pool.get(), 4096, &block), "hit");
    clpool_mem_release(block);
  }
  const clpool_pool_stats before = statistics(pool.get());
  const auto begin = std::chrono::steady_clock::now();
  for (const LogEvent& event : log.events) {
    if (event.is_allocation) {
      require(clpool_pool_allocate(pool.get(), event.size, &blocks[event.slot]), "block");
    } else {
      clpool_mem_release(blocks[event.slot]);
    }
  }
  const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - begin;
  const clpool_pool_stats after = statistics(pool.get());
  const std::uint64_t requests = after.allocations - before.allocations;
  return {static_cast<double>(after.peak_managed_bytes) / static_cast<double>(log.peak_live),
          percent(after.driver_allocations - before.driver_allocations, requests),
          percent(after.sub_buffers_created - before.sub_buffers_created, requests),
          time.count() / static_cast<double>(log.events.size())};
}

/// What the rules of another pool take.
Result follow(const Log& log, const OtherRules& rules) {
  OtherPool pool(rules, log.slots);
  const auto begin = std::chrono::steady_clock::now();
  std::uint64_t requests = 0;
  for (const LogEvent& event : log.events) {
    requests += event.is_allocation ? 1 : 0;
    pool.follow(event);
  }
  const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - begin;
  return {static_cast<double>(pool.taken()) / static_cast<double>(log.peak_live),
          percent(pool.chunks(), requests), 0, time.count() / static_cast<double>(log.events.size())};
}

bool is_named(const std::string& list, const std::string& name) {
  return list.empty() || ("," + list + ",").find("," + name + ",") != std::string::npos;
}

/// The log with each distinct size multiplied by 0.75 to 1.25.
Log scaled(Log log, std::uint64_t seed) {
  Random random(seed);
  std::map<std::uint64_t, std::uint64_t> sizes;
  std::uint64_t live = 0;
  log.peak_live = 0;
  std::vector<std::uint64_t> of_slots(log.slots);
  for (LogEvent& event : log.events) {
    if (event.is_allocation) {
      const auto [size, is_new] = sizes.try_emplace(event.size);
      if (is_new) {
        size->second =
            static_cast<std::uint64_t>(static_cast<double>(event.size) * (0.75 + 0.5 * random.part())) + 1;
      }
      event.size = size->second;
      of_slots[event.slot] = event.size;
      live += event.size;
      log.peak_live = std::max(log.peak_live, live);
    } else {
      live -= of_slots[event.slot];
    }
  }
  return log;
}

std::vector<Row> read_rows(const Options& options) {
  std::vector<Row> rows;
  if (options.logs) {
    for (const char* name : recorded_logs) {
      for (std::uint64_t seed = options.first_seed; options.scaled && seed <= options.last_seed; ++seed) {
        rows.push_back({name, std::string(name) + " " + std::to_string(seed), scaled(read_log(name), seed)});
      }
      if (!options.scaled) {
        rows.push_back({"recorded logs", name, read_log(name)});
      }
    }
    return rows;
  }
  for (const ProgramKind& kind : program_kinds()) {
    for (std::uint64_t seed = options.first_seed;
         seed <= options.last_seed && is_named(options.kinds, kind.name); ++seed) {
      rows.push_back({kind.name, std::string(kind.name) + " " + std::to_string(seed), kind.make(seed)});
    }
  }
  return rows;
}

/// A log's events so far, through one pool.
class Run {
 public:
  Run(const Log& log, const Options& options, std::uint32_t strategy) : blocks_(log.slots) {
    const clpool_pool_options pool_options = options_for(strategy, options);
    pool_ = make_pool(options.handles ? Kind::buffer : Kind::numbers, &pool_options);
  }
  void follow(const LogEvent& event) {
    if (event.is_allocation) {
      require(clpool_pool_allocate(pool_.get(), event.size, &blocks_[event.slot]), "block");
    } else {
      clpool_mem_release(blocks_[event.slot]);
    }
    most_taken_ = std::max(most_taken_, statistics(pool_.get()).managed_bytes);
  }
  /// The most that the pool had since the last call.
  std::uint64_t most_taken() { return std::exchange(most_taken_, 0); }

 private:
  std::vector<clpool_mem*> blocks_;
  decltype(make_pool(Kind::numbers, nullptr)) pool_;
  std::uint64_t most_taken_ = 0;
};

/// About five hundred points, each with the most in its stretch of the log.
void print_curve(const Row& row, const Options& options) {
  std::vector<Run> runs;
  runs.emplace_back(row.log, options, CLPOOL_STRATEGY_COALESCING);
  if (options.bins) {
    runs.emplace_back(row.log, options, CLPOOL_STRATEGY_BINNED);
  }
  std::vector<std::uint64_t> sizes(row.log.slots);
  const std::size_t stretch = row.log.events.size() / 500 + 1;
  std::uint64_t live = 0;
  std::uint64_t most_live = 0;
  for (std::size_t i = 0; i < row.log.events.size(); ++i) {
    const LogEvent& event = row.log.events[i];
    if (event.is_allocation) {
      live += sizes[event.slot] = event.size;
    } else {
      live -= sizes[event.slot];
    }
    most_live = std::max(most_live, live);
    for (Run& run : runs) {
      run.follow(event);
    }
    if ((i + 1) % stretch == 0 || i + 1 == row.log.events.size()) {
      std::printf("%s\t%zu\t%" PRIu64, row.name.c_str(), i + 1, most_live);
      for (Run& run : runs) {
        std::printf("\t%" PRIu64, run.most_taken());
      }
      std::printf("\n");
      most_live = live;
    }
  }
}

void print_summary(const char* what, const std::vector<Result>& results) {
  double logarithms = 0;
  Result worst;
  for (const Result& result : results) {
    logarithms += std::log(result.ratio);
    worst.ratio = std::max(worst.ratio, result.ratio);
    worst.driver_percent = std::max(worst.driver_percent, result.driver_percent);
    worst.handle_percent = std::max(worst.handle_percent, result.handle_percent);
  }
  std::printf(
      "%-24s ratio: mean %.3f, worst %.3f; driver calls: worst %.2f %%; handles made: worst %.1f %%\n", what,
      std::exp(logarithms / static_cast<double>(results.size())), worst.ratio, worst.driver_percent,
      worst.handle_percent);
}

void measure(const Options& options) {
  if (options.curves) {
    for (const Row& row : read_rows(options)) {
      print_curve(row, options);
    }
    return;
  }
  std::map<std::string, std::vector<Result>> by_kind;
  std::map<std::string, std::vector<Result>> by_other;
  std::vector<Result> all;
  std::printf("%-24s %8s %10s %7s %8s %8s %7s%s\n", "program, seed", "events", "peak live", "ratio", "driver",
              "handles", "ns", options.bins ? "   bins: ratio, driver, ns" : "");
  for (const Row& row : read_rows(options)) {
    const Result result = replay(row.log, options, CLPOOL_STRATEGY_COALESCING);
    by_kind[row.kind].push_back(result);
    all.push_back(result);
    std::printf("%-24s %8zu %6.0f MiB %7.3f %6.2f %% %6.1f %% %7.1f", row.name.c_str(), row.log.events.size(),
                static_cast<double>(row.log.peak_live) / 0x1p20, result.ratio, result.driver_percent,
                result.handle_percent, result.ns_per_event);
    if (options.bins) {
      const Result peer = replay(row.log, options, CLPOOL_STRATEGY_BINNED);
      std::printf("   %7.3f %6.2f %% %7.1f", peer.ratio, peer.driver_percent, peer.ns_per_event);
      by_other["PyOpenCL's bins"].push_back(peer);
    }
    for (const OtherRules& rules : options.others ? other_rules() : std::span<const OtherRules>()) {
      const Result other = follow(row.log, rules);
      std::printf("   %s %.3f %.2f %%", rules.name, other.ratio, other.driver_percent);
      by_other[rules.name].push_back(other);
    }
    std::printf("\n");
    std::fflush(stdout);
  }
  std::printf("\n");
  for (const auto& [kind, results] : by_kind) {
    print_summary(kind.c_str(), results);
  }
  print_summary("all", all);
  for (const auto& [name, results] : by_other) {
    print_summary(name.c_str(), results);
  }
}

Options read_options(int count, char** arguments) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string name = arguments[i];
    const char* const value = i + 1 < count ? arguments[i + 1] : "";
    if (name == "--logs") {
      options.logs = true;
    } else if (name == "--scaled") {
      options.logs = options.scaled = true;
    } else if (name == "--handles") {
      options.handles = true;
    } else if (name == "--curves") {
      options.curves = true;
    } else if (name == "--bins") {
      options.bins = true;
    } else if (name == "--others") {
      options.others = true;
    } else if (name == "--kinds") {
      options.kinds = value;
      ++i;
    } else if (name == "--seeds") {
      const int read = std::sscanf(value, "%" SCNu64 "-%" SCNu64, &options.first_seed, &options.last_seed);
      options.last_seed = read == 1 ? options.first_seed : options.last_seed;
      ++i;
    } else if (name == "--after-hits") {
      options.hits_before = std::strtoull(value, nullptr, 10);
      ++i;
    } else if (name == "--alignment") {
      options.alignment = std::strtoull(value, nullptr, 10);
      ++i;
    } else {
      std::fprintf(stderr,
                   "usage: clpool_programs [--logs] [--scaled] [--kinds A,B] [--seeds 1-4] [--handles] "
                   "[--after-hits N] "
                   "[--bins] [--others] [--curves] [--alignment 512]\n");
      std::exit(2);
    }
  }
  return options;
}

}  // namespace
}  // namespace clpool::benchmarks

int main(int count, char** arguments) {
  clpool::benchmarks::measure(clpool::benchmarks::read_options(count, arguments));
}
