// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// clpool replay: runs recorded allocation logs against the device's memory, with and without pools.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>

#include "failure.hpp"
#include "handles.hpp"
#include "log_file.hpp"
#include "memory_kind.hpp"
#include "output.hpp"
#include "peak_waste.hpp"
#include "printable.hpp"
#include "progress.hpp"
#include "replay_report.hpp"
#include "units.hpp"
#include "verbs.hpp"
#include "words.hpp"

namespace clpool::program {
namespace {

struct ReplayOptions {
  std::vector<std::string> logs;
  std::string device;
  std::string kind = "buffer";
  std::string strategy = "all";
  JsonOption json;
  std::uint64_t largest_log = std::uint64_t{1} << 30;
};

/// A log that was read, with the name that was given.
struct Log {
  std::string path;
  Trace trace;
  clpool_trace_stats stats = CLPOOL_TRACE_STATS_INIT;
};

Log read_log(const std::string& path, std::uint64_t most_bytes) {
  const std::string text = read_log_file(path, most_bytes);
  clpool_trace* trace = nullptr;
  const std::string name = name_of_log(path);
  check(clpool_trace_parse(text.data(), text.size(), name.c_str(), &trace));
  Log log{name, Trace(trace)};
  check(clpool_trace_statistics(trace, &log.stats));
  return log;
}

/// What the device cannot have: the reason as text, or "".
std::string reason_not_to_fit(const Log& log, const Device& device, const std::string& kind) {
  const bool is_on_device = kind != "pinned";
  if (is_on_device && log.stats.peak_live_bytes > device.memory) {
    return fmt::format("{}: {} are live at a time, {} has {}; '--kind dry' needs no device memory",
                       one_line(log.path), human_bytes(log.stats.peak_live_bytes), device.name,
                       human_bytes(device.memory));
  }
  if (log.stats.largest_bytes > device.largest) {
    return fmt::format("{}: the largest allocation is {}, {} allows {}; '--kind dry' needs no device memory",
                       one_line(log.path), human_bytes(log.stats.largest_bytes), device.name,
                       human_bytes(device.largest));
  }
  return "";
}

Pool make_pool(const MemorySource& source, uint32_t strategy) {
  const Allocator allocator = source.make_allocator();
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  options.strategy = strategy;
  options.alignment = source.pool_alignment();
  const cl_command_queue queue = source.queue();
  options.queues = queue != nullptr ? &queue : nullptr;
  options.queue_count = queue != nullptr ? 1 : 0;
  clpool_pool* pool = nullptr;
  check(clpool_pool_create(allocator.get(), &options, &pool));
  return Pool(pool);
}

ReplayOutcome replay(const Log& log, const std::string& strategy, const MemorySource& source) {
  ReplayOutcome outcome{log.path, strategy, log.stats, CLPOOL_TRACE_REPLAY_RESULT_INIT, std::nullopt};
  ProgressBar bar(fmt::format("{}, {}", log.path, strategy));
  clpool_trace_replay_options options = CLPOOL_TRACE_REPLAY_OPTIONS_INIT;
  options.progress = ProgressBar::callback;
  options.user = &bar;
  if (strategy == "direct") {
    const Allocator allocator = source.make_allocator();
    check(clpool_trace_replay_allocator(log.trace.get(), allocator.get(), &options, &outcome.result));
  } else {
    const std::uint32_t kind = strategy == "binned" ? CLPOOL_STRATEGY_BINNED : CLPOOL_STRATEGY_COALESCING;
    check(
        clpool_trace_replay_pool(log.trace.get(), make_pool(source, kind).get(), &options, &outcome.result));
    if (kind == CLPOOL_STRATEGY_COALESCING) {  // once more, as looking takes time
      const PeakWaste waste = find_peak_waste(*log.trace, make_pool(source, kind).get());
      outcome.waste = waste.taken != 0 ? std::optional(waste) : std::nullopt;
    }
  }
  return outcome;
}

/// Replays one log with every strategy that was asked for. False, after a message, if the device failed.
bool replay_all(const Log& log, const ReplayOptions& options, const MemorySource& source,
                ReplayReport& report) {
  if (report.device) {
    if (const std::string reason = reason_not_to_fit(log, *report.device, report.kind); !reason.empty()) {
      print_error(reason);
      return false;
    }
  }
  bool has_succeeded = true;
  for (const char* strategy : {"direct", "binned", "coalescing"}) {
    if (options.strategy != "all" && options.strategy != strategy) {
      continue;
    }
    try {
      report.outcomes.push_back(replay(log, strategy, source));
    } catch (const Failure& failure) {
      print_error(fmt::format("{}, {}: {}", one_line(log.path), strategy, failure.what()));
      has_succeeded = false;
      continue;
    }
    const clpool_trace_replay_result& result = report.outcomes.back().result;
    if (result.out_of_memory > 0) {
      print_error(fmt::format("{}, {}: {} of {} allocations were out of memory", one_line(log.path), strategy,
                              human_count(result.out_of_memory),
                              human_count(result.out_of_memory + result.allocations)));
      has_succeeded = false;
    }
  }
  return has_succeeded;
}

int run_replays(ReplayOptions& options) {
  if (options.kind == "dry" && !options.device.empty()) {
    throw Failure(ExitCode::bad_input,
                  fmt::format("--device is '{}', and '--kind dry' uses no device", options.device));
  }
  options.json.open(options.logs);
  std::vector<Log> logs;
  for (const std::string& path : options.logs) {
    logs.push_back(read_log(path, options.largest_log));
  }
  ReplayReport report;
  report.kind = options.kind;
  if (options.kind != "dry") {
    const std::vector<Device> devices = list_devices();
    report.device = devices[choose_device(devices, options.device)];
  }
  const MemorySource source(options.kind, report.device.value_or(Device{}));
  bool has_succeeded = true;
  for (const Log& log : logs) {
    has_succeeded = replay_all(log, options, source, report) && has_succeeded;
  }
  options.json.write([&] { return report.outcomes.empty() ? "" : printable(as_table(report)); },
                     [&] { return as_json(report); });
  return static_cast<int>(has_succeeded ? ExitCode::success : ExitCode::device_failed);
}

}  // namespace

void add_replay_verb(CLI::App& program, Run& run) {
  CLI::App* verb = program.add_subcommand(
      "replay", "Replay allocation logs (RMM's format, plain or gzip) and show what pools save");
  auto options = std::make_shared<ReplayOptions>();
  verb->add_option("LOG", options->logs, "Logs to replay; - is standard input")->required();
  verb->add_option("--device", options->device, device_option_help);
  verb->add_option("--kind", options->kind,
                   "Memory to use: buffer, svm, pinned, or dry (numbers only, no device)")
      ->check(one_of({"buffer", "svm", "pinned", "dry"}))
      ->capture_default_str();
  verb->add_option("--strategy", options->strategy, "Pool to use: direct (none), binned, coalescing, or all")
      ->check(one_of({"direct", "binned", "coalescing", "all"}))
      ->capture_default_str();
  JsonOption::add(*verb, options->json);
  verb->add_option("--largest-log", options->largest_log,
                   "Refuse logs of more text than this many bytes, decompressed (or 64KB, 2GB, …)")
      ->transform(number_of_bytes())
      ->capture_default_str();
  verb->callback([options, &run] { run = [options] { return run_replays(*options); }; });
}

}  // namespace clpool::program
