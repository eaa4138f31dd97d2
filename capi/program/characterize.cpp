// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// clpool characterize: what one must know of a device, each value with its source.
#include <clpool/clpool.h>
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "characterization.hpp"
#include "device_json.hpp"
#include "failure.hpp"
#include "handles.hpp"
#include "json_text.hpp"
#include "model.hpp"
#include "output.hpp"
#include "printable.hpp"
#include "table.hpp"
#include "units.hpp"
#include "verbs.hpp"

namespace clpool::program {
namespace {

struct CharacterizeOptions {
  std::string device;
  JsonOption json;
  std::uint32_t model = CLPOOL_MODEL_CURRENT;
  bool performance = false;
};

clpool_performance measure(const Device& device) {
  cl_int code = CL_SUCCESS;
  const Context context(clCreateContext(nullptr, 1, &device.id, nullptr, nullptr, &code));
  check_cl(code, "clCreateContext");
  clpool_performance performance = CLPOOL_PERFORMANCE_INIT;
  check(clpool_characterize_performance(context.get(), device.id, nullptr, &performance));
  return performance;
}

std::string nanoseconds(std::int64_t value) {
  return value < 0 ? "none to be seen" : human_time(static_cast<std::uint64_t>(value) * 1000);
}

std::string per_second(std::uint64_t bytes) {
  return human_bytes(bytes) + "/s";
}

std::string as_text(const clpool_performance& speed) {
  using Align = Table::Align;
  Table table({{"speed, measured", Align::left}, {"latency", Align::right}, {"bandwidth", Align::right}});
  table.add_row({"write to the device", nanoseconds(static_cast<std::int64_t>(speed.write_latency_ns)),
                 per_second(speed.write_bandwidth)});
  table.add_row({"read from the device", nanoseconds(static_cast<std::int64_t>(speed.read_latency_ns)),
                 per_second(speed.read_bandwidth)});
  table.add_row({"copy on the device", nanoseconds(static_cast<std::int64_t>(speed.copy_latency_ns)),
                 per_second(speed.copy_bandwidth)});
  table.add_row(
      {"empty kernel, many in a row", nanoseconds(static_cast<std::int64_t>(speed.empty_kernel_ns)), ""});
  table.add_row(
      {"empty kernel, waited for", nanoseconds(static_cast<std::int64_t>(speed.kernel_round_trip_ns)), ""});
  table.add_row({"added by profiling", nanoseconds(speed.profiling_overhead_ns), ""});
  return fmt::format("\n{}medians; bandwidth of {} at a time\n", table.text(output_width()),
                     human_bytes(speed.transfer_bytes));
}

std::string as_text(const Device& device, const Characterization& found) {
  using Align = Table::Align;
  Table table({{"question", Align::left},
               {"answer", Align::left},
               {"source", Align::left},
               {"by", Align::left},
               {"note", Align::left}});
  for (const Finding& finding : found.findings) {
    table.add_row({finding.title, finding.value, finding.source, finding.basis, finding.note});
  }
  return printable(fmt::format("{} [{}], {}\n\n{}\nfast and inaccurate: {}\n", device.name,
                               device.platform_name, device.version, table.text(output_width()),
                               found.fast_build_options));
}

nlohmann::ordered_json to_json(const clpool_performance& speed) {
  return {{"write_latency_ns", speed.write_latency_ns},
          {"read_latency_ns", speed.read_latency_ns},
          {"copy_latency_ns", speed.copy_latency_ns},
          {"write_bandwidth", speed.write_bandwidth},
          {"read_bandwidth", speed.read_bandwidth},
          {"copy_bandwidth", speed.copy_bandwidth},
          {"empty_kernel_ns", speed.empty_kernel_ns},
          {"kernel_round_trip_ns", speed.kernel_round_trip_ns},
          {"profiling_overhead_ns", speed.profiling_overhead_ns},
          {"transfer_bytes", speed.transfer_bytes}};
}

std::string as_json(const Device& device, std::uint32_t model, const Characterization& found,
                    const std::optional<clpool_performance>& speed) {
  nlohmann::ordered_json json = json_head();
  json["device"] = to_json(device);
  json["model"] = model_name(model);
  json["fast_build_options"] = found.fast_build_options;
  for (const Finding& finding : found.findings) {
    nlohmann::ordered_json& answer = json["answers"][finding.name];
    answer["value"] = finding.number;
    if (finding.numbers) {
      answer["values"] = *finding.numbers;
    }
    answer["text"] = finding.value;
    answer["source"] = finding.source;
    answer["basis"] = finding.basis;
    answer["note"] = finding.note;
  }
  if (speed) {
    json["performance"] = to_json(*speed);
  }
  return json_text(json);
}

int show_characterization(CharacterizeOptions& options) {
  options.json.open();
  const std::vector<Device> devices = list_devices();
  const Device& device = devices[choose_device(devices, options.device)];
  const Characterization found = characterize(device, options.model);
  std::optional<clpool_performance> speed;
  if (options.performance) {
    speed = measure(device);
  }
  options.json.write([&] { return as_text(device, found) + (speed ? as_text(*speed) : ""); },
                     [&] { return as_json(device, options.model, found, speed); });
  return 0;
}

}  // namespace

void add_characterize_verb(CLI::App& program, Run& run) {
  CLI::App* verb =
      program.add_subcommand("characterize", "Show what one must know of a device, and how it is known");
  auto options = std::make_shared<CharacterizeOptions>();
  verb->add_option("--device", options->device, device_option_help);
  add_model_option(*verb, options->model);
  JsonOption::add(*verb, options->json);
  verb->add_flag("--performance", options->performance,
                 "Measure transfers and launches, too (about a second)");
  verb->callback([options, &run] { run = [options] { return show_characterization(*options); }; });
}

}  // namespace clpool::program
