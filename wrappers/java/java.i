/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
// Java's part of the interface: how the generated, package-private layer (classes Native and NativeJNI, and one
// class per struct) looks. Handles are longs, statuses are thrown by the wrapper itself; the public classes over
// it are written by hand in src/. What C functions there are is said in ../clpool.i.

%{
#include "glue.hpp"
%}

// Nothing generated is public.
%pragma(java) moduleclassmodifiers="final class"
%pragma(java) jniclassclassmodifiers="final class"
%pragma(java) jniclasscode=%{
  static {
    NativeLibrary.load();
  }
%}
%typemap(javaclassmodifiers) SWIGTYPE, SWIGTYPE *, SWIGTYPE & "final class"
%typemap(javafinalize) SWIGTYPE ""
%typemap(javainterfaces) SWIGTYPE "AutoCloseable"
%typemap(javacode) SWIGTYPE %{
  @Override
  public void close() {
    delete();
  }
%}

// Numbers live in the public enums and in Cl, which the tests compare with the headers.
%rename("$ignore", %$isconstant) "";
%rename("$ignore", %$isenumitem) "";

%include "java_types.i"

// glue.hpp has a form that Java can call of the functions that native/ calls itself, and fills in this struct.
%include "described/left_out_of_java.i"
%ignore clpool_device_options;
%ignore clpool_message_callback;
%ignore clpool_pool_visitor;

// The shared parts, which clpool.i would read next, come first here: glue.hpp is made of their types.
%include "common/handles.i"
%include "described/results.i"
%include "common/structs.i"
%include "native/glue.hpp"
