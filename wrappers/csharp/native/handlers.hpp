// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The runtime's signals, which drivers take when they are loaded.
#ifndef CLPOOL_WRAPPERS_CSHARP_HANDLERS_HPP
#define CLPOOL_WRAPPERS_CSHARP_HANDLERS_HPP

// Before and after a call that may load drivers.
void csharp_signals_keep();
void csharp_signals_put_back();

#endif
