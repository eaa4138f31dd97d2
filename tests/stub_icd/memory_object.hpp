// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What the makers and users of memory objects share.
#pragma once

#include "objects.hpp"

namespace stub {

/// Refuses flags of a buffer or image that contradict each other or are not known.
void check_flags(cl_mem_flags flags);
/// The flags of what lies in a buffer: what is not said is as the buffer has it; CL_INVALID_VALUE for more than that.
cl_mem_flags flags_within(const Mem& buffer, cl_mem_flags flags);

/// Gives a new memory object of known flags and size its memory; a refusal destroys it. The pixels of an
/// image's host memory are left to be copied.
void set_memory(Mem& mem, void* host);

/// A command of `call` uses `mem`: its memory is there from now on. May wait.
void use(Call& call, Mem& mem);

}  // namespace stub
