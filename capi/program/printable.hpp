// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Texts of others (names of devices and files, what drivers say) on their way to a terminal.
#pragma once

#include <string>

namespace clpool::program {

/// `text` with '?' for what steers terminals: control characters, of which lines' ends are left.
std::string printable(std::string text);

/// The same of a name, which has no lines.
std::string one_line(std::string text);

/// "clpool: " and the text, on standard error.
void print_error(const std::string& text);

}  // namespace clpool::program
