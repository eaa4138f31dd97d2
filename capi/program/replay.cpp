// clpool replay: runs recorded allocation logs against the device's memory, with and without pools.
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "failure.hpp"
#include "handles.hpp"
#include "log_file.hpp"
#include "memory_kind.hpp"
#include "peak_waste.hpp"
#include "progress.hpp"
#include "replay_report.hpp"
#include "units.hpp"
#include "verbs.hpp"

namespace clpool::program {
namespace {

struct Options {
  std::vector<std::string> logs;
  std::string device;
  std::string kind = "buffer";
  std::string strategy = "all";
  std::string json_path;
};

/// A log that was read, with the name that was given.
struct Log {
  std::string path;
  Trace trace;
  clpool_trace_stats stats = CLPOOL_TRACE_STATS_INIT;
};

Log read_log(const std::string& path) {
  const std::string text = read_log_file(path);
  clpool_trace* trace = nullptr;
  check(clpool_trace_parse(text.data(), text.size(), path.c_str(), &trace));
  Log log{path, Trace(trace)};
  check(clpool_trace_statistics(trace, &log.stats));
  return log;
}

/// What the device cannot have: the reason as text, or "".
std::string reason_not_to_fit(const Log& log, const Device& device, const std::string& kind) {
  const bool is_on_device = kind != "pinned";
  if (is_on_device && log.stats.peak_live_bytes > device.memory) {
    return fmt::format("{}: {} are live at a time, {} has {}; '--kind dry' needs no device memory", log.path,
                       human_bytes(log.stats.peak_live_bytes), device.name, human_bytes(device.memory));
  }
  if (log.stats.largest_bytes > device.largest) {
    return fmt::format("{}: the largest allocation is {}, {} allows {}; '--kind dry' needs no device memory",
                       log.path, human_bytes(log.stats.largest_bytes), device.name,
                       human_bytes(device.largest));
  }
  return "";
}

Pool make_pool(const MemorySource& source, uint32_t strategy) {
  const Allocator allocator = source.make_allocator();
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  options.strategy = strategy;
  options.alignment = source.pool_alignment();
  clpool_pool* pool = nullptr;
  check(clpool_pool_create(allocator.get(), &options, &pool));
  return Pool(pool);
}

/// `explains`: also says where the waste is; only where a second replay does the same as the first.
ReplayOutcome replay(const Log& log, const std::string& strategy, const MemorySource& source, bool explains) {
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
    const Pool pool = make_pool(source, kind);
    check(clpool_trace_replay_pool(log.trace.get(), pool.get(), &options, &outcome.result));
    if (explains && kind == CLPOOL_STRATEGY_COALESCING) {
      outcome.waste = find_peak_waste(*log.trace, [&] { return make_pool(source, kind); });
    }
  }
  return outcome;
}

/// Replays one log with every strategy that was asked for. False, after a message, if the device failed.
bool replay_all(const Log& log, const Options& options, const MemorySource& source, ReplayReport& report) {
  if (report.device) {
    if (const std::string reason = reason_not_to_fit(log, *report.device, report.kind); !reason.empty()) {
      fmt::print(stderr, "clpool: {}\n", reason);
      return false;
    }
  }
  bool has_succeeded = true;
  for (const char* strategy : {"direct", "binned", "coalescing"}) {
    if (options.strategy != "all" && options.strategy != strategy) {
      continue;
    }
    try {
      report.outcomes.push_back(replay(log, strategy, source, options.kind == "dry"));
    } catch (const Failure& failure) {
      fmt::print(stderr, "clpool: {}, {}: {}\n", log.path, strategy, failure.what());
      has_succeeded = false;
      continue;
    }
    const clpool_trace_replay_result& result = report.outcomes.back().result;
    if (result.out_of_memory > 0) {
      fmt::print(stderr, "clpool: {}, {}: {} of {} allocations were out of memory\n", log.path, strategy,
                 human_count(result.out_of_memory), human_count(result.out_of_memory + result.allocations));
      has_succeeded = false;
    }
  }
  return has_succeeded;
}

struct Closer {
  void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};
using OutputFile = std::unique_ptr<std::FILE, Closer>;

/// Opened before the work, so that a wrong path costs no results.
OutputFile open_output(const std::string& path) {
  OutputFile file(std::fopen(path.c_str(), "w"));
  if (file == nullptr) {
    throw Failure(ExitCode::bad_input, fmt::format("{}: cannot be created: {}", path, std::strerror(errno)));
  }
  return file;
}

void write_output(std::FILE* file, const std::string& text, const std::string& path) {
  if (std::fwrite(text.data(), 1, text.size(), file) != text.size() || std::fflush(file) != 0) {
    throw Failure(ExitCode::bad_input, fmt::format("{}: cannot be written: {}", path, std::strerror(errno)));
  }
}

int run_replays(const Options& options) {
  std::vector<Log> logs;
  for (const std::string& path : options.logs) {
    logs.push_back(read_log(path));
  }
  const OutputFile json = options.json_path.empty() ? nullptr : open_output(options.json_path);
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
  if (!report.outcomes.empty()) {
    fmt::print("{}", as_table(report));
  }
  if (json != nullptr) {
    write_output(json.get(), as_json(report), options.json_path);
  }
  return static_cast<int>(has_succeeded ? ExitCode::success : ExitCode::device_failed);
}

}  // namespace

void add_replay_verb(CLI::App& program, Run& run) {
  CLI::App* verb = program.add_subcommand(
      "replay", "Replay allocation logs (RMM's format, plain or gzip) and show what pools save");
  auto options = std::make_shared<Options>();
  verb->add_option("TRACE", options->logs, "Logs to replay")->required();
  verb->add_option("--device", options->device, device_option_help);
  verb->add_option("--kind", options->kind,
                   "Memory to use: buffer, svm, pinned, or dry (numbers only, no device)")
      ->check(CLI::IsMember({"buffer", "svm", "pinned", "dry"}))
      ->capture_default_str();
  verb->add_option("--strategy", options->strategy, "Pool to use: direct (none), binned, coalescing, or all")
      ->check(CLI::IsMember({"direct", "binned", "coalescing", "all"}))
      ->capture_default_str();
  verb->add_option("--json", options->json_path, "Write the results to this file as JSON, too");
  verb->callback([options, &run] { run = [options] { return run_replays(*options); }; });
}

}  // namespace clpool::program
