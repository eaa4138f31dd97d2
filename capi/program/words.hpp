// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Words of the command line: which is meant by one that is wrong.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
class Validator;
}  // namespace CLI

namespace clpool::program {

/// The word of `known` that `word` is most like, or "" if it is like none: at most a third of its letters
/// left out, added, changed or swapped with their neighbours.
std::string nearest(const std::string& word, const std::vector<std::string>& known);

/// "; did you mean X?" for the nearest one, or "".
std::string did_you_mean(const std::string& word, const std::vector<std::string>& known);

/// A check for options whose value is one of these words, as which they are listed in the help.
CLI::Validator one_of(std::vector<std::string> words);

/// A check for options whose value is a whole number of this range.
CLI::Validator whole_number(std::int64_t least, std::int64_t most);

/// A check for options whose value is a number of bytes, such as 65536, 64KB or 2 GiB (all of them powers of 1024), which
/// it turns into digits alone.
CLI::Validator number_of_bytes();

/// The words of the option's one_of(), separated by ", "; "" if it has none.
std::string listed_words(const CLI::Option& option);

/// Throws Failure (bad_input) for the first word of the command line that is no verb or no option of its
/// verb, naming it and the nearest that is.
void check_words(const CLI::App& program, const std::vector<std::string>& arguments);

}  // namespace clpool::program
