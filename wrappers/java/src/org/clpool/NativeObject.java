// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import java.lang.ref.Reference;
import java.util.function.LongSupplier;

/** A public object over one native object, which it owns. Memory, of which there is much, does without a {@link Handle}. */
abstract class NativeObject extends Usable implements AutoCloseable {
  final Handle handle;

  NativeObject(String what, LongSupplier made, Handle.Release release) {
    this(what, made, release, 1);
  }

  /** For an object that many threads use at once. */
  NativeObject(String what, LongSupplier made, Handle.Release release, int lanes) {
    handle = Handle.own(this, what, release, lanes);
    handle.value = made.getAsLong();
    Reference.reachabilityFence(this); // not found forgotten before
  }

  /** For an object that comes with another one: {@link #own} follows. */
  NativeObject(String what, Handle.Release release) {
    handle = Handle.own(this, what, release, 1);
  }

  /** Owns a native object from now on; before another thread sees this. Where the stack may have ended, its handle is given the value. */
  final void own(long value) {
    handle.value = value;
    Reference.reachabilityFence(this); // not found forgotten before
  }

  @Override
  final boolean tryBegin() {
    return handle.tryBegin();
  }

  @Override
  void end() {
    handle.end();
  }

  @Override
  final long value() {
    return handle.value();
  }

  @Override
  final String what() {
    return handle.what();
  }

  /** Gives the object up; it may be called again. What uses it at this moment, on any thread, ends in order. */
  @Override
  public void close() {
    handle.close();
  }

  /** What it is and how it is; never an exception. */
  @Override
  public String toString() {
    return describe();
  }
}
