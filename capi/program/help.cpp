// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// clpool help: the same as --help, of the program or of a verb.
#include <CLI/CLI.hpp>
#include <memory>

#include "failure.hpp"
#include "output.hpp"
#include "verbs.hpp"
#include "words.hpp"

namespace clpool::program {

void add_help_verb(CLI::App& program, Run& run) {
  CLI::App* verb = program.add_subcommand("help", "Show what a verb does and takes");
  auto wanted = std::make_shared<std::string>();
  std::vector<std::string> names;
  for (const CLI::App* other : program.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(other->get_name());
  }
  verb->add_option("VERB", *wanted, "The verb; none: the program")->check(one_of(names))->type_name("");
  verb->callback([wanted, &program, &run] {
    run = [wanted, &program] {
      CLI::App* const shown = wanted->empty() ? &program : program.get_subcommand(*wanted);
      program.clear();  // or what was parsed is taken for the way to the verb
      print(shown->help(shown == &program ? "" : "clpool"));
      return 0;
    };
  });
}

}  // namespace clpool::program
