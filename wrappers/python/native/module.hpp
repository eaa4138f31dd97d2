// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The one entry from the generated module into the hand-written parts.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace clpool::python {

/// Adds types, errors and functions to the module; false with an exception set.
bool add_everything(PyObject* module);

}  // namespace clpool::python
