// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace clpool::transcripts {

/// The clock of this process, see clock.cpp, begins anew.
void restart_clock() noexcept;

}  // namespace clpool::transcripts
