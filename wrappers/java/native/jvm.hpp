// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The Java virtual machine as the glue sees it: what is looked up when the library is loaded, and how a
// callback that comes from any thread gets into Java.
#ifndef CLPOOL_WRAPPERS_JAVA_JVM_HPP
#define CLPOOL_WRAPPERS_JAVA_JVM_HPP

#include <jni.h>

namespace clpool_java {

// Classes (global references) and their static methods.
struct Jvm {
  JavaVM* vm;
  jclass errors;
  jmethodID create_error;
  jmethodID drop_cause;
  jclass upcalls;
  jmethodID allocate;
  jmethodID deallocate;
  jmethodID destroy;
  jmethodID collect;
  jmethodID out_of_memory;
  jmethodID message;
  jmethodID compute;
  jmethodID forget;
  jmethodID progress;
};
extern Jvm jvm;

// A stay in Java from native code: attaches the thread if need be, and frees local references at its end.
// Nothing thrown gets out: Java's side of each upcall catches all; what it cannot (no stack or heap left) is
// cleared here. What of this thread's callbacks failed before is for the call that this one is in: those made in it
// do not see it.
class Upcall {
 public:
  Upcall();
  ~Upcall();
  Upcall(const Upcall&) = delete;
  Upcall& operator=(const Upcall&) = delete;
  // False if the thread cannot run Java.
  explicit operator bool() const { return env_ != nullptr; }
  JNIEnv* env() const { return env_; }
  // Whether what was just called threw.
  bool failed();

 private:
  JNIEnv* env_ = nullptr;
  bool had_cause_ = false;
};

}  // namespace clpool_java

#endif
