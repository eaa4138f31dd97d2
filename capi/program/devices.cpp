// clpool devices: what OpenCL sees, and which device would be taken.
#include <fmt/format.h>

#include <memory>

#include "device_choice.hpp"
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

int show_devices(const std::string& wish) {
  const std::vector<Device> devices = list_devices();
  const std::size_t chosen = choose_device(devices, wish);
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
    table.add_row({i == chosen ? "*" : "",
                   fmt::format("{}:{}", device.platform_index, device.index_in_platform), device.name,
                   type_name(device), human_bytes(device.memory), human_bytes(device.largest),
                   short_version(device), device.platform_name});
  }
  fmt::print("{}", printable(fmt::format("{}\n* would be taken{}\n", table.text(),
                                         wish.empty() ? "" : " for --device " + wish)));
  return 0;
}

}  // namespace

void add_devices_verb(CLI::App& program, Run& run) {
  CLI::App* verb = program.add_subcommand("devices", "Show what OpenCL sees and which device would be taken");
  auto wish = std::make_shared<std::string>();
  verb->add_option("--device", *wish, device_option_help);
  verb->callback([wish, &run] { run = [wish] { return show_devices(*wish); }; });
}

}  // namespace clpool::program
