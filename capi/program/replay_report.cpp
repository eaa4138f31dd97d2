// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Rows and members for replay results.
#include "replay_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "device_json.hpp"
#include "json_text.hpp"
#include "output.hpp"
#include "printable.hpp"
#include "table.hpp"
#include "units.hpp"

namespace clpool::program {
namespace {

/// What was taken for what was live; none where nothing ever was.
std::optional<double> ratio_of(const clpool_trace_replay_result& result) {
  return result.peak_live_bytes == 0 ? std::nullopt
                                     : std::optional(static_cast<double>(result.ratio_ppm) / 1e6);
}

std::string file_name(const std::string& path) {
  return one_line(std::filesystem::path(path).filename().string());
}

std::string share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? "-"
                    : fmt::format("{:.2f} %", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string heading(const ReplayReport& report) {
  if (!report.device) {
    return "Memory: dry (numbers only, no device)\n\n";
  }
  const Device& device = *report.device;
  return fmt::format("Device: {} ({}), {}\nMemory: {}\n\n", device.name, device.platform_name,
                     human_bytes(device.memory), report.kind);
}

/// Whether the outcome is the first of its log.
bool begins_log(const std::vector<ReplayOutcome>& outcomes, std::size_t index) {
  return index == 0 || outcomes[index].log != outcomes[index - 1].log;
}

/// What is to be known of a log before the rows of its replays.
std::string log_heading(const ReplayOutcome& outcome) {
  const clpool_trace_stats& trace = outcome.trace;
  if (trace.events == 0) {
    return file_name(outcome.log) + ": no events, there is nothing to replay\n";
  }
  std::string text = fmt::format("{}: {} events, {} allocations of {} sizes", file_name(outcome.log),
                                 human_count(trace.events), human_count(trace.allocations),
                                 human_count(trace.distinct_sizes));
  if (trace.final_live_blocks > 0) {
    text += fmt::format(", {} never released ({})", human_count(trace.final_live_blocks),
                        human_bytes(trace.final_live_bytes));
  }
  return text + "\n";
}

nlohmann::ordered_json to_json(const PeakWaste& waste) {
  nlohmann::ordered_json json = {{"event", waste.event},
                                 {"taken_bytes", waste.taken},
                                 {"requested_bytes", waste.requested},
                                 {"rounding_bytes", waste.rounding},
                                 {"cached_bytes", waste.cached},
                                 {"pending_bytes", waste.pending},
                                 {"whole_chunk_bytes", waste.whole},
                                 {"pinned_bytes", waste.pinned},
                                 {"hole_bytes", waste.holes}};
  json["worst_chunks"] = nlohmann::ordered_json::array();
  for (const PinnedChunk& chunk : waste.worst) {
    json["worst_chunks"].push_back({{"bytes", chunk.bytes},
                                    {"free_bytes", chunk.free_bytes},
                                    {"blocks", chunk.blocks},
                                    {"smallest_block_bytes", chunk.smallest_block},
                                    {"largest_block_bytes", chunk.largest_block}});
  }
  return json;
}

nlohmann::ordered_json to_json(const ReplayOutcome& outcome) {
  const clpool_trace_replay_result& result = outcome.result;
  nlohmann::ordered_json json = {{"log", outcome.log},
                                 {"strategy", outcome.strategy},
                                 {"events", outcome.trace.events},
                                 {"allocations", result.allocations},
                                 {"releases", result.releases},
                                 {"out_of_memory", result.out_of_memory},
                                 {"elapsed_ns", result.elapsed_ns},
                                 {"ns_per_allocation", static_cast<double>(result.allocation_ps) / 1e3},
                                 {"driver_allocations", result.driver_allocations},
                                 {"peak_driver_bytes", result.peak_driver_bytes},
                                 {"peak_live_bytes", result.peak_live_bytes},
                                 {"ratio", nullptr},
                                 {"log_peak_live_bytes", outcome.trace.peak_live_bytes},
                                 {"log_final_live_blocks", outcome.trace.final_live_blocks},
                                 {"log_final_live_bytes", outcome.trace.final_live_bytes}};
  if (const std::optional<double> ratio = ratio_of(result); ratio.has_value()) {
    json["ratio"] = *ratio;
  }
  if (outcome.waste) {
    json["at_peak"] = to_json(*outcome.waste);
  }
  return json;
}

}  // namespace

std::string as_table(const ReplayReport& report) {
  using Align = Table::Align;
  const std::vector<ReplayOutcome>& outcomes = report.outcomes;
  const bool has_failures = std::any_of(outcomes.begin(), outcomes.end(),
                                        [](const ReplayOutcome& o) { return o.result.out_of_memory > 0; });
  std::vector<Table::Column> columns = {
      {"  strategy", Align::left}, {"alloc+release", Align::right}, {"driver allocations", Align::right},
      {"of all", Align::right},    {"peak taken", Align::right},    {"peak live", Align::right},
      {"ratio", Align::right}};
  if (has_failures) {
    columns.push_back({"out of memory", Align::right});
  }
  Table table(std::move(columns));
  for (const ReplayOutcome& outcome : outcomes) {
    const clpool_trace_replay_result& result = outcome.result;
    const std::optional<double> ratio = ratio_of(result);
    std::vector<std::string> cells = {"  " + outcome.strategy,
                                      human_time(result.allocation_ps),
                                      human_count(result.driver_allocations),
                                      share(result.driver_allocations, result.allocations),
                                      human_bytes(result.peak_driver_bytes),
                                      human_bytes(result.peak_live_bytes),
                                      ratio ? fmt::format("{:.3f}", *ratio) : "-"};
    if (has_failures) {
      cells.push_back(human_count(result.out_of_memory));
    }
    table.add_row(std::move(cells));
  }
  const std::vector<std::string> lines = table.rows(output_width());
  std::string text = heading(report) + lines.front();
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    text += begins_log(outcomes, i) ? log_heading(outcomes[i]) : "";
    text += lines[i + 1];
    text += outcomes[i].waste ? as_text(*outcomes[i].waste, outcomes[i].result.peak_driver_bytes) : "";
  }
  return text;
}

std::string as_json(const ReplayReport& report) {
  nlohmann::ordered_json json = json_head();
  json["kind"] = report.kind;
  json["device"] = report.device ? to_json(*report.device) : nlohmann::ordered_json(nullptr);
  json["results"] = nlohmann::ordered_json::array();
  for (const ReplayOutcome& outcome : report.outcomes) {
    json["results"].push_back(to_json(outcome));
  }
  return json_text(json);
}

}  // namespace clpool::program
