// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Parsing of options.
#include "options.hpp"

#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <utility>

#include "state.hpp"

namespace stub {
namespace {

std::uint64_t number(const std::string& name, const std::string& value) {
  char* end = nullptr;
  const std::uint64_t digits = std::strtoull(value.c_str(), &end, 10);
  const std::string unit = end;
  for (const auto& [suffix, factor] : {std::pair<const char*, std::uint64_t>{"", 1},
                                       {"K", 1 << 10},
                                       {"M", 1 << 20},
                                       {"G", 1 << 30},
                                       {"ns", 1},
                                       {"us", 1000},
                                       {"ms", 1000000}}) {
    if (end != value.c_str() && unit == suffix) {
      return digits * factor;
    }
  }
  die("option %s=%s is not a number (units: K, M, G, ns, us, ms)", name.c_str(), value.c_str());
}

template <typename T>
T one_of(const std::string& name, const std::string& value,
         std::initializer_list<std::pair<const char*, T>> names) {
  for (const auto& [text, meaning] : names) {
    if (value == text) {
      return meaning;
    }
  }
  die("option %s=%s is unknown", name.c_str(), value.c_str());
}

bool is_yes(const std::string& name, const std::string& value) {
  return one_of<bool>(name, value, {{"0", false}, {"1", true}, {"", true}, {"no", false}, {"yes", true}});
}

Version version(const std::string& name, const std::string& value) {
  return one_of<Version>(name, value,
                         {{"1.0", {1, 0}},
                          {"1.1", {1, 1}},
                          {"1.2", {1, 2}},
                          {"2.0", {2, 0}},
                          {"2.1", {2, 1}},
                          {"2.2", {2, 2}},
                          {"3.0", {3, 0}}});
}

using Setter = std::function<void(Options&, const std::string&, const std::string&)>;

Setter flag(bool Options::*member) {
  return [member](Options& o, const std::string& name, const std::string& value) {
    o.*member = is_yes(name, value);
  };
}

Setter amount(std::uint64_t Options::*member) {
  return [member](Options& o, const std::string& name, const std::string& value) {
    o.*member = number(name, value);
  };
}

Setter text(std::string Options::*member) {
  return [member](Options& o, const std::string&, const std::string& value) { o.*member = value; };
}

const std::map<std::string, Setter>& setters() {
  static const auto& all = *new std::map<std::string, Setter>{
      {"mode",
       [](Options& o, const std::string& name, const std::string& value) {
         o.mode = one_of<Mode>(
             name, value,
             {{"immediate", Mode::immediate}, {"worker", Mode::worker}, {"manual", Mode::manual}});
       }},
      {"svm",
       [](Options& o, const std::string& name, const std::string& value) {
         o.svm = one_of<Svm>(name, value,
                             {{"none", Svm::none},
                              {"coarse", Svm::coarse},
                              {"fine", Svm::fine},
                              {"atomics", Svm::atomics},
                              {"system", Svm::system}});
       }},
      {"deadlock",
       [](Options& o, const std::string& name, const std::string& value) {
         o.dies_of_deadlock = one_of<bool>(name, value, {{"wait", false}, {"abort", true}});
       }},
      {"handles",
       [](Options& o, const std::string& name, const std::string& value) {
         o.dies_of_handles = one_of<bool>(name, value, {{"error", false}, {"abort", true}});
       }},
      {"overlap",
       [](Options& o, const std::string& name, const std::string& value) {
         o.dies_of_overlap = one_of<bool>(name, value, {{"allow", false}, {"abort", true}});
       }},
      {"version", [](Options& o, const std::string& name,
                     const std::string& value) { o.version = version(name, value); }},
      {"devices", [](Options& o, const std::string& name,
                     const std::string& value) { o.devices = static_cast<int>(number(name, value)); }},
      {"nvidia", flag(&Options::nvidia)},
      {"mixes_up_parts", flag(&Options::mixes_up_parts)},
      {"fails_markers", flag(&Options::fails_markers)},
      {"finish_forgets", flag(&Options::finish_forgets)},
      {"forgets_barriers", flag(&Options::forgets_barriers)},
      {"begins_alone", flag(&Options::begins_alone)},
      {"needs_flush", flag(&Options::needs_flush)},
      {"sleep", flag(&Options::sleeps)},
      {"out_of_order", flag(&Options::out_of_order)},
      {"images", flag(&Options::images)},
      {"compiler", flag(&Options::compiler)},
      {"unified", flag(&Options::unified)},
      {"lazy", flag(&Options::lazy)},
      {"fragments", flag(&Options::fragments)},
      {"poison", flag(&Options::poison)},
      {"protect", flag(&Options::protect)},
      {"short_rows", flag(&Options::short_rows)},
      {"seed", amount(&Options::seed)},
      {"patience", amount(&Options::patience)},
      {"align", amount(&Options::alignment)},
      {"global", amount(&Options::global)},
      {"max_alloc", amount(&Options::max_alloc)},
      {"limit", amount(&Options::limit)},
      {"map_shift", amount(&Options::map_shift)},
      {"name", text(&Options::name)},
      {"type", text(&Options::type)},
      {"with", text(&Options::with)},
      {"without", text(&Options::without)},
      {"fail", text(&Options::fail)},
  };
  return all;
}

void apply_one(Options& options, const std::string& name, const std::string& value) {
  if (const auto found = setters().find(name); found != setters().end()) {
    found->second(options, name, value);
  } else if (name.rfind("time.", 0) == 0) {
    options.device_ns[name.substr(5)] = number(name, value);
  } else if (is_entry_point(name)) {
    options.host_ns[name] = number(name, value);
  } else if (!name.empty() && name != "leaks" && name != "calls") {
    die("option '%s' is unknown", name.c_str());
  }
}

}  // namespace

void apply(Options& options, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string entry = text.substr(at, end - at);
    const std::size_t equals = entry.find('=');
    apply_one(options, entry.substr(0, equals), equals == std::string::npos ? "" : entry.substr(equals + 1));
    at = end + 1;
  }
  if (options.devices < 0 || options.devices > most_devices) {
    die("option devices=%d: 0 to %d are possible", options.devices, most_devices);
  }
}

}  // namespace stub
