// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

/** Makes exceptions: of statuses, for native code, and of what Java's part refuses. */
final class Errors {
  private static final int MEM_OBJECT_ALLOCATION_FAILURE = -4;
  private static final int OUT_OF_HOST_MEMORY = -6;
  private static final ThreadLocal<Throwable> CAUSE = new ThreadLocal<>();

  private Errors() {}

  /**
   * What a callback threw, until the C function that called it returns. The first one is kept that is more than one of
   * several sources that have no memory, and the others with it.
   */
  static void keepCause(Throwable cause) {
    Throwable former = CAUSE.get();
    if (former == null || isOutOfMemory(former)) {
      CAUSE.set(cause);
    } else if (former != cause) {
      former.addSuppressed(cause);
    }
  }

  /** What is kept, and is no more: for the time of a callback, whose own calls have no part in it. */
  static Throwable takeCause() {
    Throwable kept = CAUSE.get();
    CAUSE.remove();
    return kept;
  }

  /** Keeps that again. */
  static void setCause(Throwable kept) {
    if (kept == null) {
      CAUSE.remove();
    } else {
      CAUSE.set(kept);
    }
  }

  /** The call succeeds all the same: what was wrong with a callback, other than that it had no memory, is told. */
  static void dropCause() {
    Throwable lost = takeCause();
    if (lost != null && !isOutOfMemory(lost)) {
      report(lost);
    }
  }

  private static boolean isOutOfMemory(Throwable thrown) {
    int status = statusOf(thrown);
    return status == Status.OUT_OF_MEMORY.number() || isOutOfMemory(status);
  }

  private static boolean isOutOfMemory(int clError) {
    return clError >= OUT_OF_HOST_MEMORY && clError <= MEM_OBJECT_ALLOCATION_FAILURE;
  }

  /** What a callback returns to C that threw: out of memory, an OpenCL code, or else that it failed. */
  static int statusOf(Throwable thrown) {
    if (!(thrown instanceof ClpoolError)) {
      return Status.CALLBACK.number();
    }
    ClpoolError error = (ClpoolError) thrown;
    if (error.status() == Status.OUT_OF_MEMORY && !isOutOfMemory(error.clError())) {
      return Status.OUT_OF_MEMORY.number();
    }
    return error.clError() < 0 ? error.clError() : Status.CALLBACK.number();
  }

  static RuntimeException create(int status, int clError, byte[] message, boolean withCause) {
    Throwable cause = takeCause();
    return Status.of(status).exception(Text.fromBytes(message), clError, withCause ? cause : null);
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

  /** For exceptions that nobody waits for. What the handler throws is ignored, as Java does. */
  static void report(Throwable thrown) {
    Thread thread = Thread.currentThread();
    try {
      thread.getUncaughtExceptionHandler().uncaughtException(thread, thrown);
    } catch (Throwable ignored) {
      // there is nobody left to tell
    }
  }

  /** The same where the stack may have ended. */
  static void tryToReport(Throwable thrown) {
    try {
      report(thrown);
    } catch (Throwable noStack) {
      // nor is there anything left to tell by
    }
  }
}
