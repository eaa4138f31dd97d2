// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// clpool completion: what bash and zsh complete, written from the verbs and options that there are.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <memory>

#include "output.hpp"
#include "verbs.hpp"
#include "words.hpp"

namespace clpool::program {
namespace {

struct Choice {
  std::string name;  ///< "--kind"
  std::string about;
  bool has_value = false;
  bool needs_value = false;
  std::vector<std::string> words;  ///< that its value may be; empty: any
};

struct Verb {
  std::string name;
  std::string about;
  std::vector<Choice> choices;
  std::vector<std::string> words;  ///< that stand without an option
  bool takes_files = false;
};

std::vector<std::string> words_of(const CLI::Option& option) {
  std::vector<std::string> words;
  const std::string list = listed_words(option);
  for (std::size_t begin = 0; begin < list.size();) {
    const std::size_t end = std::min(list.find(", ", begin), list.size());
    words.push_back(list.substr(begin, end - begin));
    begin = end + 2;
  }
  return words;
}

Verb describe(const CLI::App& app) {
  Verb verb{app.get_name(), app.get_description(), {}, {}, false};
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) {
      verb.words = words_of(*option);
      verb.takes_files = verb.words.empty();
    }
    for (const std::string& name : option->get_lnames()) {
      verb.choices.push_back({"--" + name, option->get_description(), option->get_items_expected_max() != 0,
                              option->get_items_expected_min() != 0, words_of(*option)});
    }
  }
  return verb;
}

std::vector<Verb> verbs_of(const CLI::App& program) {
  std::vector<Verb> verbs;
  for (const CLI::App* verb : program.get_subcommands([](const CLI::App*) { return true; })) {
    verbs.push_back(describe(*verb));
  }
  return verbs;
}

std::string names_of(const std::vector<Verb>& verbs) {
  std::string names;
  for (const Verb& verb : verbs) {
    names += (names.empty() ? "" : " ") + verb.name;
  }
  return names;
}

std::string for_bash(const CLI::App& program) {
  const std::vector<Verb> verbs = verbs_of(program);
  std::string text =
      "# Completion of clpool for bash; 'clpool completion bash' wrote it.\n"
      "_clpool() {\n"
      "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} words= files=\n"
      "  # bash takes --option=value for three words.\n"
      "  case \"$current $previous\" in\n"
      "    =*) current= ;;\n"
      "    *' =') previous=${COMP_WORDS[COMP_CWORD - 2]} ;;\n"
      "  esac\n"
      "  case \"${COMP_WORDS[1]} $previous\" in\n";
  for (const Verb& verb : verbs) {
    for (const Choice& choice : verb.choices) {
      if (!choice.words.empty()) {
        text +=
            fmt::format("    '{} {}') words='{}' ;;\n", verb.name, choice.name, fmt::join(choice.words, " "));
      } else if (choice.needs_value) {  // which nobody knows
        text += fmt::format("    '{} {}') words=' ' ;;\n", verb.name, choice.name);
      }
    }
  }
  text += fmt::format(
      "  esac\n"
      "  if [ -n \"$words\" ]; then\n"
      "    :\n"
      "  elif [ \"$COMP_CWORD\" = 1 ]; then\n"
      "    words='{} --help --version'\n"
      "  else\n"
      "    case \"${{COMP_WORDS[1]}}\" in\n",
      names_of(verbs));
  for (const Verb& verb : verbs) {
    std::string words;
    for (const Choice& choice : verb.choices) {
      words += (words.empty() ? "" : " ") + choice.name;
    }
    for (const std::string& word : verb.words) {
      words += " " + word;
    }
    text +=
        fmt::format("      {}) words='{}'{} ;;\n", verb.name, words, verb.takes_files ? " files=yes" : "");
  }
  text +=
      "    esac\n"
      "    case \"$previous\" in --json) files=yes ;; esac\n"
      "  fi\n"
      "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\"\n"
      "    [ -z \"$files\" ] || compgen -f -- \"$current\")\n"
      "}\n"
      "complete -o filenames -F _clpool clpool\n";
  return text;
}

/// Within single quotes, of a description in brackets or after a colon.
std::string quoted_for_zsh(const std::string& text) {
  std::string quoted;
  for (const char character : text) {
    if (character == '\'') {
      quoted += "'\\''";
    } else {
      quoted += character == '[' || character == ']' || character == ':' || character == '\\' ? "\\" : "";
      quoted += character;
    }
  }
  return quoted;
}

std::string for_zsh(const CLI::App& program) {
  const std::vector<Verb> verbs = verbs_of(program);
  std::string text =
      "#compdef clpool\n"
      "# Completion of clpool for zsh; 'clpool completion zsh' wrote it.\n"
      "local -a verbs=(\n";
  for (const Verb& verb : verbs) {
    text += fmt::format("  '{}:{}'\n", verb.name, quoted_for_zsh(verb.about));
  }
  text +=
      ")\n"
      "if (( CURRENT == 2 )); then\n"
      "  _describe verb verbs\n"
      "  return\n"
      "fi\n"
      "local verb=$words[2]\n"
      "shift words\n"
      "(( CURRENT-- ))\n"
      "case $verb in\n";
  for (const Verb& verb : verbs) {
    text += fmt::format("  {})\n    _arguments", verb.name);
    for (const Choice& choice : verb.choices) {
      text += fmt::format(" \\\n      '{}[{}]", choice.name, quoted_for_zsh(choice.about));
      if (!choice.words.empty()) {
        text += fmt::format(":value:({})", fmt::join(choice.words, " "));
      } else if (choice.has_value) {
        text += choice.name == "--json" ? "::file:_files" : ":value:";
      }
      text += "'";
    }
    if (verb.takes_files) {
      text += " \\\n      '*:file:_files'";
    } else if (!verb.words.empty()) {
      text += fmt::format(" \\\n      '1:word:({})'", fmt::join(verb.words, " "));
    }
    text += "\n    ;;\n";
  }
  return text + "esac\n";
}

}  // namespace

void add_completion_verb(CLI::App& program, Run& run) {
  CLI::App* verb =
      program.add_subcommand("completion", "Write what a shell needs to complete clpool's words");
  auto shell = std::make_shared<std::string>();
  verb->add_option("SHELL", *shell, "bash or zsh")->required()->check(one_of({"bash", "zsh"}))->type_name("");
  verb->callback([shell, &program, &run] {
    run = [shell, &program] {
      print(*shell == "bash" ? for_bash(program) : for_zsh(program));
      return 0;
    };
  });
}

}  // namespace clpool::program
