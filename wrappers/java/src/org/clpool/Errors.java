// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

/** Makes exceptions of statuses. Called from native code. */
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
    return create(Status.of(status), clError, Text.fromBytes(message), cause);
  }

  private static RuntimeException create(Status status, int clError, String message, Throwable cause) {
    switch (status) {
      case INVALID_VALUE:
        return new IllegalArgumentException(message, cause);
      case INVALID_OPERATION:
        return new IllegalStateException(message, cause);
      case OUT_OF_MEMORY:
        return new OutOfDeviceMemoryException(message, clError, cause);
      case NOT_SUPPORTED:
        return new NotSupportedException(message, clError, cause);
      default:
        return new ClpoolException(status, message, clError, cause);
    }
  }

  /** For objects that are closed. */
  static IllegalStateException closed(String what) {
    return new IllegalStateException("this " + what + " is closed");
  }

  /** For exceptions that nobody waits for. */
  static void report(Throwable thrown) {
    Thread thread = Thread.currentThread();
    thread.getUncaughtExceptionHandler().uncaughtException(thread, thrown);
  }
}
