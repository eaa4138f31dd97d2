// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Tables, bars and JSON of occupancy answers.
#include "occupancy_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "device_json.hpp"
#include "json_text.hpp"
#include "model.hpp"
#include "output.hpp"
#include "table.hpp"
#include "units.hpp"

namespace clpool::program {
namespace {

constexpr std::uint32_t most_bars = 64;
constexpr std::uint32_t bar_width = 32;
constexpr std::uint32_t factors[] = {CLPOOL_LIMITED_BY_WARPS, CLPOOL_LIMITED_BY_REGISTERS,
                                     CLPOOL_LIMITED_BY_LOCAL_MEMORY, CLPOOL_LIMITED_BY_GROUPS,
                                     CLPOOL_LIMITED_BY_BARRIERS};

std::vector<std::string> names_of(std::uint32_t set, std::uint32_t model) {
  std::vector<std::string> names;
  for (const std::uint32_t factor : factors) {
    if ((set & factor) != 0) {
      names.emplace_back(clpool_occupancy_factor_name(factor, model));
    }
  }
  return names;
}

/// The factors' names in JSON, whatever the model calls them: "local_memory".
std::vector<std::string> keys_of(std::uint32_t set) {
  std::vector<std::string> keys = names_of(set, CLPOOL_MODEL_CURRENT);
  for (std::string& key : keys) {
    std::replace(key.begin(), key.end(), ' ', '_');
  }
  return keys;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    text += (text.empty() ? "" : " + ") + name;
  }
  return text;
}

std::uint32_t limit_of(const clpool_occupancy& answer, std::uint32_t factor) {
  switch (factor) {
    case CLPOOL_LIMITED_BY_WARPS:
      return answer.limit_warps;
    case CLPOOL_LIMITED_BY_REGISTERS:
      return answer.limit_registers;
    case CLPOOL_LIMITED_BY_LOCAL_MEMORY:
      return answer.limit_local_memory;
    case CLPOOL_LIMITED_BY_GROUPS:
      return answer.limit_groups;
    default:
      return answer.limit_barriers;
  }
}

std::string registers_text(const OccupancyReport& report, const clpool_occupancy& answer) {
  const clpool_device_limits& limits = report.limits;
  const std::int64_t per_thread = report.request.registers_per_thread;
  if (per_thread == 0) {
    return "not counted";
  }
  if (limits.registers_per_mp == 0) {
    return "unknown, not counted";
  }
  if (limits.max_registers_per_thread != 0 && per_thread > limits.max_registers_per_thread) {
    return fmt::format("{} a thread, at most {}", per_thread, limits.max_registers_per_thread);
  }
  return fmt::format("{} of {} registers", human_count(answer.registers_per_group),
                     human_count(limits.registers_per_mp));
}

/// What a group takes and what there is, for the limits' table.
std::string use_of(const OccupancyReport& report, const clpool_occupancy& answer, std::uint32_t factor) {
  const clpool_device_limits& limits = report.limits;
  switch (factor) {
    case CLPOOL_LIMITED_BY_WARPS:
      return fmt::format("{} of {} warps", answer.warps_per_group, limits.max_warps_per_mp);
    case CLPOOL_LIMITED_BY_REGISTERS:
      return registers_text(report, answer);
    case CLPOOL_LIMITED_BY_LOCAL_MEMORY:
      return fmt::format("{} of {}", human_bytes(answer.local_per_group), human_bytes(answer.local_per_mp));
    case CLPOOL_LIMITED_BY_GROUPS:
      return fmt::format("1 of {} groups", answer.limit_groups);
    default:
      return report.request.barriers == 0
                 ? "not counted"
                 : fmt::format("{} of {} barriers", report.request.barriers, limits.barriers_per_mp);
  }
}

std::string answer_text(const OccupancyReport& report, const clpool_occupancy& answer) {
  using Align = Table::Align;
  Table table(
      {{"limit", Align::left}, {"a group takes", Align::left}, {"groups", Align::right}, {"", Align::left}});
  for (const std::uint32_t factor : factors) {
    const std::uint32_t limit = limit_of(answer, factor);
    table.add_row({clpool_occupancy_factor_name(factor, report.limits.model), use_of(report, answer, factor),
                   limit == CLPOOL_OCCUPANCY_UNLIMITED ? "–" : std::to_string(limit),
                   (answer.limiting_factors & factor) != 0 ? "<- limits" : ""});
  }
  return fmt::format(
      "{} groups of {} threads per multiprocessor: {} of {} warps, occupancy {:.1f} %, limited by {}\n\n"
      "{}\n",
      answer.groups_per_mp, report.request.threads, answer.warps_per_mp, answer.max_warps_per_mp,
      answer.occupancy * 100, joined(names_of(answer.limiting_factors, report.limits.model)),
      table.text(output_width()));
}

/// Full only for all of it.
std::string bar(double fraction) {
  const auto nearest = static_cast<std::uint32_t>(std::lround(fraction * bar_width));
  const std::uint32_t filled = fraction < 1 ? std::min(nearest, bar_width - 1) : bar_width;
  std::string text;
  for (std::uint32_t i = 0; i < bar_width; ++i) {
    text += i < filled ? "█" : "·";
  }
  return text;
}

std::string bars_text(const OccupancyReport& report) {
  using Align = Table::Align;
  Table table({{"threads", Align::right},
               {"", Align::left},
               {"occupancy", Align::left},
               {"", Align::right},
               {"groups", Align::right},
               {"limited by", Align::left}});
  for (const GroupSize& size : report.sizes) {
    table.add_row({std::to_string(size.threads), size.is_best ? "*" : "", bar(size.occupancy.occupancy),
                   fmt::format("{:.1f} %", size.occupancy.occupancy * 100),
                   std::to_string(size.occupancy.groups_per_mp),
                   joined(names_of(size.occupancy.limiting_factors, report.limits.model))});
  }
  const bool is_any_best = std::any_of(report.sizes.begin(), report.sizes.end(),
                                       [](const GroupSize& size) { return size.is_best; });
  return table.text(output_width()) + (is_any_best ? "* reaches the highest occupancy\n" : "");
}

std::string title_of(const OccupancyReport& report) {
  const clpool_device_limits& limits = report.limits;
  const std::string& given = report.device ? report.device->name : report.architecture;
  const std::string capability =
      fmt::format("compute capability {}.{}", limits.compute_major, limits.compute_minor);
  const bool is_nvidia = limits.vendor == CLPOOL_DEVICE_VENDOR_NVIDIA;
  const std::string name = !is_nvidia ? given : (report.device ? given + ", " + capability : capability);
  const std::string note = *limits.note != '\0' ? fmt::format("\n({})", limits.note) : std::string();
  return fmt::format("{}: {} registers per thread, {} of local memory per group; figures by {}{}\n\n", name,
                     report.request.registers_per_thread,
                     human_bytes(static_cast<std::uint64_t>(report.request.local_bytes)),
                     clpool_source_name(limits.source), note);
}

nlohmann::ordered_json to_json(const clpool_occupancy& answer, std::int64_t threads) {
  nlohmann::ordered_json limits = nlohmann::ordered_json::object();
  for (const std::uint32_t factor : factors) {
    if (limit_of(answer, factor) != CLPOOL_OCCUPANCY_UNLIMITED) {
      limits[keys_of(factor).front()] = limit_of(answer, factor);
    }
  }
  return {{"threads", threads},
          {"groups_per_mp", answer.groups_per_mp},
          {"warps_per_group", answer.warps_per_group},
          {"warps_per_mp", answer.warps_per_mp},
          {"max_warps_per_mp", answer.max_warps_per_mp},
          {"occupancy", answer.occupancy},
          {"limited_by", keys_of(answer.limiting_factors)},
          {"limits", limits},
          {"registers_per_group", answer.registers_per_group},
          {"local_per_group", answer.local_per_group}};
}

}  // namespace

std::uint32_t step_of_group_sizes(const clpool_device_limits& limits) {
  const std::uint32_t warps = (limits.max_threads_per_group + limits.warp_size - 1) / limits.warp_size;
  return limits.warp_size * std::max(1u, (warps + most_bars - 1) / most_bars);
}

std::string as_text(const OccupancyReport& report) {
  return title_of(report) + (report.answer ? answer_text(report, *report.answer) : "") + bars_text(report);
}

std::string as_json(const OccupancyReport& report) {
  nlohmann::ordered_json json = json_head();
  json["architecture"] =
      report.device ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(report.architecture);
  json["device"] = report.device ? to_json(*report.device) : nlohmann::ordered_json(nullptr);
  json["model"] = model_name(report.model);
  json["source"] = clpool_source_name(report.limits.source);
  json["note"] = report.limits.note;
  json["registers_per_thread"] = report.request.registers_per_thread;
  json["local_bytes"] = report.request.local_bytes;
  if (report.answer) {
    json["answer"] = to_json(*report.answer, report.request.threads);
  }
  for (const GroupSize& size : report.sizes) {
    json["group_sizes"].push_back(to_json(size.occupancy, size.threads));
    if (size.is_best) {
      json["best_group_sizes"].push_back(size.threads);
    }
  }
  return json_text(json);
}

}  // namespace clpool::program
