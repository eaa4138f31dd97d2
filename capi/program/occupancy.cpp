// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// clpool occupancy: how many groups a multiprocessor holds, what limits them, and which group sizes do best.
#include <clpool/occupancy.h>
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <optional>

#include "device_choice.hpp"
#include "failure.hpp"
#include "handles.hpp"
#include "model.hpp"
#include "occupancy_report.hpp"
#include "output.hpp"
#include "printable.hpp"
#include "verbs.hpp"
#include "words.hpp"

namespace clpool::program {
namespace {

struct OccupancyOptions {
  std::string architecture;
  std::optional<std::string> device;
  std::optional<std::int64_t> threads;
  clpool_occupancy_request request = CLPOOL_OCCUPANCY_REQUEST_INIT;
  bool no_opt_in = false;
  std::uint32_t model = CLPOOL_MODEL_CURRENT;
  JsonOption json;
};

/// Impossible figures and unknown architectures are the user's mistake.
void check_input(clpool_status status) {
  if (status == CLPOOL_ERROR_INVALID_VALUE || status == CLPOOL_ERROR_NOT_FOUND ||
      status == CLPOOL_ERROR_NOT_SUPPORTED) {
    throw Failure(ExitCode::bad_input, clpool_last_error_message());
  }
  check(status);
}

/// Of the architecture, or of the device, which is then given.
DeviceData device_data_of(const OccupancyOptions& options, std::optional<Device>& chosen) {
  const std::uint32_t model = options.model;
  clpool_device_data* data = nullptr;
  if (!options.architecture.empty()) {
    check_input(clpool_device_data_create_from_architecture(options.architecture.c_str(), model, &data));
    return DeviceData(data);
  }
  const std::vector<Device> devices = list_devices();
  const Device& device = devices[choose_device(devices, options.device.value_or(""))];
  chosen = device;
  check_input(clpool_device_data_create_from_device(device.id, model, &data));
  return DeviceData(data);
}

/// The answer for each group size that can be asked for, and which of them are best.
std::vector<GroupSize> all_group_sizes(const clpool_device_data* data, const clpool_device_limits& limits,
                                       clpool_occupancy_request request) {
  std::vector<GroupSize> sizes;
  std::uint32_t best = 1;
  const std::uint32_t step = step_of_group_sizes(limits);
  for (std::uint32_t threads = step; threads <= limits.max_threads_per_group; threads += step) {
    GroupSize size;
    request.threads = size.threads = threads;
    // PyCUDA's model refuses what today's answers with 0 groups: both are empty bars.
    if (clpool_occupancy_compute(data, &request, &size.occupancy) != CLPOOL_SUCCESS) {
      clpool_occupancy_init(&size.occupancy);
    }
    best = std::max(best, size.occupancy.warps_per_mp);
    sizes.push_back(size);
  }
  for (GroupSize& size : sizes) {
    size.is_best = size.occupancy.warps_per_mp == best;
  }
  return sizes;
}

int show_occupancy(OccupancyOptions& options) {
  options.json.open();
  std::optional<Device> device;
  const DeviceData data = device_data_of(options, device);
  clpool_device_limits limits = CLPOOL_DEVICE_LIMITS_INIT;
  check(clpool_device_data_limits(data.get(), &limits));
  OccupancyReport report{options.architecture, device, options.model, limits, options.request, {}, {}};
  report.request.flags = options.no_opt_in ? CLPOOL_OCCUPANCY_NO_OPT_IN : 0;
  if (options.threads) {
    report.request.threads = *options.threads;
    clpool_occupancy occupancy = CLPOOL_OCCUPANCY_INIT;
    check_input(clpool_occupancy_compute(data.get(), &report.request, &occupancy));
    report.answer = occupancy;
  } else {
    // Mistakes in the other figures are told before anything is shown.
    clpool_occupancy_request any = report.request;
    any.threads = 1;
    clpool_occupancy unused = CLPOOL_OCCUPANCY_INIT;
    check_input(clpool_occupancy_compute(data.get(), &any, &unused));
  }
  report.sizes = all_group_sizes(data.get(), limits, report.request);
  options.json.write([&] { return printable(as_text(report)); }, [&] { return as_json(report); });
  return 0;
}

}  // namespace

void add_occupancy_verb(CLI::App& program, Run& run) {
  constexpr std::int64_t most = 1'000'000'000'000;
  CLI::App* verb = program.add_subcommand(
      "occupancy", "Show how many groups a multiprocessor holds, and what limits them");
  auto options = std::make_shared<OccupancyOptions>();
  CLI::Option* architecture = verb->add_option(
      "--cc,--arch", options->architecture,
      "Compute capability such as 9.0, or architecture such as sm_90, gfx90a, xe-hpc; no device is "
      "needed");
  architecture->check([](const std::string& text) { return std::string(text.empty() ? "no name" : ""); });
  verb->add_option("--device", options->device, device_option_help)->excludes(architecture);
  const CLI::Validator number = whole_number(-most, most);  // the library knows what is possible
  verb->add_option("--threads", options->threads, "Threads per group")->check(number);
  verb->add_option("--registers", options->request.registers_per_thread,
                   "Registers per thread (0: not counted)")
      ->check(number);
  verb->add_option("--local", options->request.local_bytes, "Bytes of local (shared) memory per group")
      ->check(number);
  verb->add_option("--carve-out", options->request.carve_out_bytes,
                   "Bytes of local memory that the multiprocessor is set to (0: the most)")
      ->check(number);
  verb->add_option("--barriers", options->request.barriers, "Named barriers per group (0: not counted)")
      ->check(number);
  verb->add_flag("--no-opt-in", options->no_opt_in, "Groups get no more than the default local memory");
  add_model_option(*verb, options->model);
  JsonOption::add(*verb, options->json);
  verb->callback([options, &run] { run = [options] { return show_occupancy(*options); }; });
}

}  // namespace clpool::program
