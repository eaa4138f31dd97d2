// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The virtual machine lives on signals: a null pointer in compiled Java code, and a thread that is to stop,
// are a SIGSEGV. Drivers that contain LLVM (PoCL) replace its handlers when they are loaded, by ones that
// hand the first signal on but are reset to the default meanwhile (SA_RESETHAND): a second thread's fault at
// that moment would end the process. So what was there before the library was loaded is put back after calls
// that load drivers.
#ifndef CLPOOL_WRAPPERS_JAVA_SIGNALS_HPP
#define CLPOOL_WRAPPERS_JAVA_SIGNALS_HPP

namespace clpool_java {

void remember_signal_handlers();
void restore_signal_handlers();

// Restores at the end of a scope.
struct SignalGuard {
  ~SignalGuard() { restore_signal_handlers(); }
};

}  // namespace clpool_java

#endif
