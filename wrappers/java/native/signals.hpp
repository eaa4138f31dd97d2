// The virtual machine lives on signals: a null pointer in compiled Java code is a SIGSEGV that it turns into
// an exception. Drivers that contain LLVM (PoCL) replace its handlers when they are loaded, and the next null
// pointer ends the process. So what was there before the library was loaded is put back after calls that load
// drivers.
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
