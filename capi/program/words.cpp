// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Likeness is Damerau's and Levenshtein's distance (in its form that edits no part twice).
#include "words.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <system_error>
#include <utility>

#include "failure.hpp"

namespace clpool::program {
namespace {

std::size_t distance(const std::string& from, const std::string& to) {
  std::vector<std::vector<std::size_t>> cost(from.size() + 1, std::vector<std::size_t>(to.size() + 1));
  for (std::size_t i = 0; i <= from.size(); ++i) {
    for (std::size_t j = 0; j <= to.size(); ++j) {
      if (i == 0 || j == 0) {
        cost[i][j] = i + j;
        continue;
      }
      const std::size_t changed = from[i - 1] == to[j - 1] ? 0 : 1;
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, cost[i - 1][j - 1] + changed});
      if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1]) {
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
      }
    }
  }
  return cost[from.size()][to.size()];
}

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

std::vector<std::string> verbs_of(const CLI::App& program) {
  std::vector<std::string> names;
  for (const CLI::App* verb : program.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(verb->get_name());
  }
  return names;
}

std::vector<std::string> options_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      names.push_back("--" + name);
    }
    for (const std::string& name : option->get_snames()) {
      names.push_back("-" + name);
    }
  }
  return names;
}

/// "--json" of "--json=x"; "" for what is no option: values, also numbers below 0, and "-".
std::string option_name(const std::string& argument) {
  const bool is_option =
      argument.size() > 1 && argument[0] == '-' && std::isdigit(static_cast<unsigned char>(argument[1])) == 0;
  return is_option ? argument.substr(0, argument.find('=')) : "";
}

/// The names by which options were given so far.
using Given = std::map<const CLI::Option*, std::string>;

/// Of options that have several names CLI11 would tell the first one only.
void check_once(const CLI::App& app, const std::string& name, Given& given) {
  const CLI::Option* const option = app.get_option_no_throw(name);
  if (option == nullptr || option->get_items_expected_max() != 1) {
    return;  // flags, and options that take a list
  }
  const auto [former, is_first] = given.emplace(option, name);
  if (!is_first) {
    throw Failure(
        ExitCode::bad_input,
        former->second == name
            ? fmt::format("'{}' is given twice; it takes one value", name)
            : fmt::format("'{}' and '{}' are the same option, which takes one value", former->second, name));
  }
}

void check_option(const CLI::App& app, const std::string& of, const std::string& argument, Given& given) {
  const std::string name = option_name(argument);
  const std::vector<std::string> known = options_of(app);
  if (name.empty()) {
    return;
  }
  if (std::find(known.begin(), known.end(), name) != known.end()) {
    check_once(app, name, given);
    return;
  }
  throw Failure(ExitCode::bad_input, fmt::format("'{}' is no option of {} (see '{} --help'){}", name, of, of,
                                                 did_you_mean(name, known)));
}

/// Of 1024: 2 for "MB", "mib", " M"; 0 for "" and "B"; -1 for what is no unit of bytes.
int power_of_unit(const char* begin, const char* end) {
  std::string unit;
  for (; begin != end; ++begin) {
    if (*begin != ' ' || !unit.empty()) {
      unit += static_cast<char>(std::tolower(static_cast<unsigned char>(*begin)));
    }
  }
  if (unit.empty() || unit == "b") {
    return 0;
  }
  const std::size_t power = std::string("kmgtpe").find(unit[0]);
  const std::string rest = unit.substr(1);
  return power != std::string::npos && (rest.empty() || rest == "b" || rest == "i" || rest == "ib")
             ? static_cast<int>(power) + 1
             : -1;
}

}  // namespace

std::string nearest(const std::string& word, const std::vector<std::string>& known) {
  std::string best;
  std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : known) {
    // The beginning of a word that is long is like it, whatever is missing.
    const bool begins = word.size() > 2 && candidate.compare(0, word.size(), word) == 0;
    const std::size_t far = begins ? 1 : distance(word, candidate);
    if (far < least) {
      least = far;
      best = candidate;
    }
  }
  return best;
}

std::string did_you_mean(const std::string& word, const std::vector<std::string>& known) {
  const std::string best = nearest(word, known);
  return best.empty() ? "" : fmt::format("; did you mean '{}'?", best);
}

CLI::Validator one_of(std::vector<std::string> words) {
  const std::string list = joined(words);
  return CLI::Validator(
      [words = std::move(words), list](std::string& word) {
        return std::find(words.begin(), words.end(), word) != words.end()
                   ? std::string()
                   : fmt::format("'{}' is none of {}{}", word, list, did_you_mean(word, words));
      },
      list, "one_of");
}

CLI::Validator whole_number(std::int64_t least, std::int64_t most) {
  return CLI::Validator(
      [least, most](std::string& text) {
        std::int64_t number = 0;
        const char* const end = text.data() + text.size();
        const auto [rest, error] = std::from_chars(text.data(), end, number);
        if (text.empty() || error == std::errc::invalid_argument || rest != end) {
          return fmt::format("'{}' is no whole number", text);
        }
        return error == std::errc() && number >= least && number <= most
                   ? std::string()
                   : fmt::format("'{}' is no whole number from {} to {}", text, least, most);
      },
      "", "whole_number");
}

CLI::Validator number_of_bytes() {
  return CLI::Validator(
      [](std::string& text) {
        std::uint64_t number = 0;
        const char* const end = text.data() + text.size();
        const auto [rest, error] = std::from_chars(text.data(), end, number);
        const int power = error == std::errc::invalid_argument ? -1 : power_of_unit(rest, end);
        if (power < 0) {
          return fmt::format("'{}' is no number of bytes, such as 65536, 64KB or 2GB", text);
        }
        if (error != std::errc() || number > UINT64_MAX >> (10 * power)) {
          return fmt::format("'{}' is more than {} bytes", text, UINT64_MAX);
        }
        text = std::to_string(number << (10 * power));
        return std::string();
      },
      "", "number_of_bytes");
}

std::string listed_words(const CLI::Option& option) {
  try {
    return const_cast<CLI::Option&>(option).get_validator("one_of")->get_description();
  } catch (const CLI::OptionNotFound&) {
    return "";
  }
}

void check_words(const CLI::App& program, const std::vector<std::string>& arguments) {
  const std::vector<std::string> verbs = verbs_of(program);
  const CLI::App* verb = nullptr;
  Given given;
  for (const std::string& argument : arguments) {
    if (argument == "--") {
      return;
    }
    if (verb != nullptr) {
      check_option(*verb, "clpool " + verb->get_name(), argument, given);
    } else if (!option_name(argument).empty()) {
      check_option(program, "clpool", argument, given);
    } else if (std::find(verbs.begin(), verbs.end(), argument) != verbs.end()) {
      verb = program.get_subcommand(argument);
    } else {
      throw Failure(ExitCode::bad_input, fmt::format("'{}' is none of clpool's verbs, {}{}", argument,
                                                     joined(verbs), did_you_mean(argument, verbs)));
    }
  }
}

}  // namespace clpool::program
