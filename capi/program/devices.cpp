// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// clpool devices: what OpenCL sees, and which device would be taken.
#include <clpool/status.h>
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <optional>

#include "device_choice.hpp"
#include "device_json.hpp"
#include "failure.hpp"
#include "json_text.hpp"
#include "output.hpp"
#include "printable.hpp"
#include "table.hpp"
#include "units.hpp"
#include "verbs.hpp"

namespace clpool::program {
namespace {

/// "OpenCL 3.0" without what vendors add.
std::string short_version(const Device& device) {
  return device.version.substr(0, device.version.find(' ', device.version.find(' ') + 1));
}

struct DevicesOptions {
  std::string wish;
  JsonOption json;
};

/// Which of the devices would be taken; none where no device is meant, and why.
struct Taken {
  std::optional<std::size_t> index;
  std::optional<Failure> failure;
};
Taken choose(const std::vector<Device>& devices, const std::string& wish) {
  try {
    return {choose_device(devices, wish), {}};
  } catch (const Failure& failure) {
    return {{}, failure};
  }
}

std::string as_json(const std::vector<Device>& devices, const Taken& taken) {
  nlohmann::ordered_json json = json_head();
  json["device"] = taken.index ? to_json(devices[*taken.index]) : nlohmann::ordered_json(nullptr);
  json["chosen"] = taken.index ? nlohmann::ordered_json(*taken.index) : nlohmann::ordered_json(nullptr);
  json["devices"] = nlohmann::ordered_json::array();
  for (const Device& device : devices) {
    json["devices"].push_back(to_json(device));
  }
  return json_text(json);
}

std::string as_text(const std::vector<Device>& devices, const Taken& taken, const std::string& wish) {
  using Align = Table::Align;
  Table table({{"", Align::left},
               {"--device", Align::left},
               {"device", Align::left},
               {"type", Align::left},
               {"memory", Align::right},
               {"largest buffer", Align::right},
               {"version", Align::left},
               {"platform", Align::left}});
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const Device& device = devices[i];
    table.add_row({i == taken.index ? "*" : "",
                   fmt::format("{}:{}", device.platform_index, device.index_in_platform), device.name,
                   type_name(device), human_bytes(device.memory), human_bytes(device.largest),
                   short_version(device), device.platform_name});
  }
  const std::string note =
      taken.index ? fmt::format("\n* would be taken{}\n", wish.empty() ? "" : " for --device " + wish) : "";
  return printable(table.text(output_width()) + note);
}

int show_devices(DevicesOptions& options) {
  options.json.open();
  const std::vector<Device> devices = list_devices();
  const Taken taken = choose(devices, options.wish);
  options.json.write([&] { return as_text(devices, taken, options.wish); },
                     [&] { return as_json(devices, taken); });
  if (taken.failure) {
    throw *taken.failure;  // the list shows what could be named instead
  }
  return 0;
}

}  // namespace

void add_devices_verb(CLI::App& program, Run& run) {
  CLI::App* verb = program.add_subcommand("devices", "Show what OpenCL sees and which device would be taken");
  auto options = std::make_shared<DevicesOptions>();
  verb->add_option("--device", options->wish, device_option_help);
  JsonOption::add(*verb, options->json);
  verb->callback([options, &run] { run = [options] { return show_devices(*options); }; });
}

}  // namespace clpool::program
