// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

/** Makes exceptions: of statuses, for native code, and of what Java's part refuses. */
final class Errors {
  private static final ThreadLocal<Throwable> CAUSE = new ThreadLocal<>();

  private Errors() {}

  /** What a callback threw, until the C function that called it returns. */
  static void keepCause(Throwable cause) {
    CAUSE.set(cause);
  }

  static void dropCause() {
    CAUSE.remove();
  }

  static RuntimeException create(int status, int clError, byte[] message, boolean withCause) {
    Throwable cause = withCause ? CAUSE.get() : null;
    dropCause();
    return Status.of(status).exception(Text.fromBytes(message), clError, cause);
  }

  /** For arguments outside their range. */
  static InvalidValueException invalid(String message) {
    return new InvalidValueException(message, 0, null);
  }

  /** For null where there must be something. */
  static MissingValueException missing(String name) {
    return new MissingValueException(name + " is null");
  }

  /** An argument that must not be null. */
  static <T> T required(String name, T value) {
    if (value == null) {
      throw missing(name);
    }
    return value;
  }

  /** For objects that cannot do it as they are. */
  static InvalidStateException state(String message) {
    return new InvalidStateException(message, 0, null);
  }

  /** For objects that are closed. */
  static InvalidStateException closed(String what) {
    return state("this " + what + " is closed");
  }

  /** For exceptions that nobody waits for. */
  static void report(Throwable thrown) {
    Thread thread = Thread.currentThread();
    thread.getUncaughtExceptionHandler().uncaughtException(thread, thrown);
  }
}
