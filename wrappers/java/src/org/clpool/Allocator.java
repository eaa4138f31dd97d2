// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import java.nio.file.Path;
import java.util.function.LongSupplier;

/**
 * A source of memory: a pool is made over one, and each can also be used directly. It keeps alive what it needs; pools
 * and memory keep it alive.
 */
public final class Allocator extends NativeObject {
  private Allocator(LongSupplier made) {
    super("allocator", made, Native::clpool_allocator_release);
  }

  /**
   * Buffers for reading and writing whose memory the driver may find only at their first use.
   *
   * @param context where the buffers are made
   * @return the allocator
   */
  public static Allocator deferred(Context context) {
    return deferred(context, 0);
  }

  /**
   * Buffers whose memory the driver may find only at their first use, so that out-of-memory may come late: give a pool
   * an immediate allocator instead.
   *
   * @param context where the buffers are made
   * @param flags cl_mem_flags such as {@link Cl#MEM_READ_WRITE}; 0 means that
   * @return the allocator
   */
  public static Allocator deferred(Context context, long flags) {
    return new Allocator(
        () -> Errors.required("context", context).with(c -> Native.clpool_allocator_create_deferred(c, flags)));
  }

  /**
   * Buffers that are forced into existence when they are made.
   *
   * @param queue where the memory is forced and used
   * @param flags cl_mem_flags; 0 means {@link Cl#MEM_READ_WRITE}
   * @return the allocator
   */
  public static Allocator immediate(CommandQueue queue, long flags) {
    return immediate(queue, flags, Touch.BYTE, false);
  }

  /**
   * Buffers that are forced into existence when they are made, by a command of choice.
   *
   * @param queue where the memory is forced and used
   * @param flags cl_mem_flags; 0 means {@link Cl#MEM_READ_WRITE}
   * @param touch the command
   * @param wait whether each allocation waits for the command, and so for what was enqueued on the queue before, too: memory
   *     that is not to be had is then its error and no later command's
   * @return the allocator
   * @throws NotSupportedException if the device lacks the command, or if its driver crashes in it
   */
  public static Allocator immediate(CommandQueue queue, long flags, Touch touch, boolean wait) {
    long command = Errors.required("touch", touch).number() | (wait ? Constants.CLPOOL_TOUCH_WAIT : 0);
    return new Allocator(
        () -> Errors.required("queue", queue).with(q -> Native.clpool_allocator_create_touching(q, flags, command)));
  }

  /**
   * Buffers for reading and writing that are forced into existence when they are made.
   *
   * @param queue where the memory is forced and used
   * @return the allocator
   */
  public static Allocator immediate(CommandQueue queue) {
    return immediate(queue, 0);
  }

  /**
   * Shared virtual memory: coarse grain, with the device's alignment, freed at once.
   *
   * @param context where the memory is made
   * @return the allocator
   * @throws NotSupportedException if no device of the context has SVM
   */
  public static Allocator svm(Context context) {
    return svm(context, 0, 0, null);
  }

  /**
   * Shared virtual memory, coarse grain, with the device's alignment, that is freed behind a queue's commands.
   *
   * @param context where the memory is made
   * @param queueOrNull an in-order queue on which the memory is used and behind which it is freed; null: freed at once
   * @return the allocator
   * @throws NotSupportedException if no device of the context has SVM
   */
  public static Allocator svm(Context context, CommandQueue queueOrNull) {
    return svm(context, 0, 0, queueOrNull);
  }

  /**
   * Shared virtual memory.
   *
   * @param context where the memory is made
   * @param flags cl_svm_mem_flags; 0 means {@link Cl#MEM_READ_WRITE}, coarse grain
   * @param alignment bytes, a power of two; 0 means the device's default
   * @param queueOrNull an in-order queue on which the memory is used and behind which it is freed; null: freed at once
   * @return the allocator
   * @throws NotSupportedException if no device of the context has that kind of SVM
   */
  public static Allocator svm(Context context, long flags, int alignment, CommandQueue queueOrNull) {
    Sizes.check("alignment", alignment);
    try (Uses uses = new Uses()) {
      return new Allocator(
          () -> Native.clpool_allocator_create_svm(
              uses.of("context", context), flags, alignment, uses.ofOptional(queueOrNull)));
    }
  }

  /**
   * Page-locked host memory, mapped for good: transfers from and to it run at full speed.
   *
   * @param queue used to map and unmap
   * @return the allocator
   */
  public static Allocator pinned(CommandQueue queue) {
    return pinned(queue, 0);
  }

  /**
   * Page-locked host memory, mapped for good: transfers from and to it run at full speed.
   *
   * @param queue used to map and unmap
   * @param flags further cl_mem_flags; 0 means {@link Cl#MEM_READ_WRITE}
   * @return the allocator
   */
  public static Allocator pinned(CommandQueue queue, long flags) {
    return new Allocator(() -> Errors.required("queue", queue).with(q -> Native.clpool_allocator_create_pinned(q, flags)));
  }

  /**
   * Memory from functions written in Java.
   *
   * @param functions what it does; held until nothing uses the allocator any more
   * @return the allocator
   */
  public static Allocator custom(CustomAllocator functions) {
    return new Allocator(() -> Native.java_allocator_create_custom(Errors.required("functions", functions)));
  }

  /**
   * Decorator: never lets more than so many bytes be taken from this allocator at a time.
   *
   * @param maxBytes bytes, more than 0
   * @return the decorated allocator
   */
  public Allocator withLimit(long maxBytes) {
    Sizes.check("maxBytes", maxBytes);
    return new Allocator(() -> with(a -> Native.clpool_allocator_create_limit(a, maxBytes)));
  }

  /**
   * Decorator: writes every allocation, failure and release to a log that {@link Trace#open} reads.
   *
   * @param file the log, of the default file system, replaced if it exists
   * @return the decorated allocator
   */
  public Allocator withTrace(Path file) {
    String path = Text.nameOf(file);
    return new Allocator(() -> with(a -> Native.clpool_allocator_create_trace(a, path)));
  }

  /**
   * Makes memory that goes straight back to the driver when closed.
   *
   * @param size bytes, more than 0
   * @return the memory
   * @throws OutOfDeviceMemoryException if there is none
   */
  public Memory allocate(long size) {
    Sizes.positive("size", size);
    try (Uses uses = new Uses()) {
      long allocator = uses.of("allocator", this);
      return Memory.watched(this, () -> Native.clpool_allocator_allocate(allocator, size));
    }
  }
}
