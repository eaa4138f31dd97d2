// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Ways of NVIDIA's driver, as measured: who waits for running commands, what overlapping sub-buffers cost,
// and where the driver crashes. Counted always; waits and crashes with the option nvidia=1.
#pragma once

#include "objects.hpp"

namespace stub {

/// A new sub-buffer, before it is among its root's parts.
void note_new_part(Mem& part);

/// `mem` is about to be used by a command of `call`.
void note_use(Call& call, Mem& mem);

/// A command of `call` is about to be put into `queue`: what it uses was noted before.
void note_enqueue(Call& call, Queue& queue, cl_command_type type);

/// The program's last reference of `mem` is about to go.
void note_release(Call& call, Mem& mem);

void note_svm_free(Call& call);

/// Dies on what crashes the driver: a sub-buffer in clEnqueueMigrateMemObjects.
void note_migration(const Mem& mem);

}  // namespace stub
