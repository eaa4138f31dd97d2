// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import java.util.function.Supplier;

/**
 * Callbacks from native code. Nothing is thrown: what a user's function throws becomes the cause of the exception that
 * the call ends with, or, where no call can fail for it, goes to the thread's handler of uncaught exceptions.
 */
final class Upcalls {
  private Upcalls() {}

  static int allocate(CustomAllocator allocator, long size, long alignment, long[] chunk) {
    try {
      chunk[0] = allocator.allocate(size, alignment);
      return Status.SUCCESS.number();
    } catch (Throwable e) {
      Errors.keepCause(e);
      return Errors.statusOf(e);
    }
  }

  static void deallocate(CustomAllocator allocator, long chunk, long size) {
    try {
      allocator.deallocate(chunk, size);
    } catch (Throwable e) {
      Errors.report(e);
    }
  }

  static void destroy(CustomAllocator allocator) {
    try {
      allocator.destroy();
    } catch (Throwable e) {
      Errors.report(e);
    }
  }

  /** False if it threw. */
  static boolean collect(long pool) {
    try {
      PoolCallbacks callbacks = PoolCallbacks.find(pool);
      if (callbacks != null) {
        callbacks.collect();
      }
      return true;
    } catch (Throwable e) {
      Errors.keepCause(e);
      return false;
    }
  }

  static boolean outOfMemory(long pool, long size, int attempt) {
    try {
      PoolCallbacks callbacks = PoolCallbacks.find(pool);
      return callbacks != null && callbacks.outOfMemory(size, attempt);
    } catch (Throwable e) {
      Errors.keepCause(e);
      return false;
    }
  }

  /** Pool 0 stands for the library's own messages. */
  static void message(long pool, int severity, byte[] text) {
    try {
      MessageListener listener = pool == 0 ? Clpool.messageListener() : PoolCallbacks.listener(pool);
      if (listener != null) {
        listener.message(Severity.of(severity), Text.fromBytes(text));
      }
    } catch (Throwable e) {
      Errors.report(e);
    }
  }

  static int compute(Supplier<?> supplier, Object[] result) {
    try {
      result[0] = supplier.get();
      return Status.SUCCESS.number();
    } catch (Throwable e) {
      Errors.keepCause(e);
      return Errors.statusOf(e);
    }
  }

  static void forget(Cache.Result<?, ?> result) {
    result.forget();
  }

  static void done(long number, int status) {
    try {
      Completions.done(number, status);
    } catch (Throwable e) {
      Errors.report(e);
    }
  }

  static boolean progress(ReplayProgress receiver, long done, long total) {
    try {
      return receiver.proceed(done, total);
    } catch (Throwable e) {
      Errors.keepCause(e);
      return false;
    }
  }
}
