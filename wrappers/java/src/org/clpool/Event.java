// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.ref.Reference;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/**
 * A cl_event: the end of a command. Forgotten events are released when the garbage collector finds them; the command
 * goes on, and what host memory it uses is kept until its end.
 */
public final class Event extends NativeObject {
  private static final int COMPLETE = 0;
  private static final int INVALID_EVENT = -58;
  private static final int INVALID_OPERATION = -59;
  private static final Predicate<Thread> VIRTUAL = isVirtual();

  private final Completions.End use; // of host memory by the command; null: none
  private CommandQueue queue; // the command's; null: not known, or none
  private boolean isForeign; // another library's: closing its queue here need not have flushed its command

  /** The end of a command that is enqueued next, on a queue: {@link #own} follows. */
  Event(CommandQueue queue) {
    super("event", Native::java_event_release);
    this.use = null;
    this.queue = queue;
  }

  private Event(LongSupplier made, CommandQueue queue, boolean isForeign) {
    super("event", made, Native::java_event_release);
    this.use = null;
    this.queue = queue;
    this.isForeign = isForeign;
  }

  /** The end of a command, which is enqueued with the uses and the place for the event that it is given. */
  Event(BiConsumer<Uses, long[]> enqueue) {
    super("event", Native::java_event_release);
    this.use = null;
    long[] event = new long[1];
    try (Uses uses = new Uses()) {
      enqueue.accept(uses, event);
      isOf(uses, event[0]);
    } finally {
      handle.value = event[0]; // it is the cleaner's where something failed behind the command
      Reference.reachabilityFence(this);
    }
  }

  /**
   * The same event as another one's, which goes back when both are closed; unlike {@link #of} it asks no driver for that.
   * {@link #own} follows, of a use of the other one.
   *
   * @param use of host memory by the command, which ends with it; null: none
   * @param queue the command's; null: the event is for its end alone
   */
  Event(Event other, Completions.End use, CommandQueue queue) {
    super("event", value -> other.end());
    this.use = use;
    this.queue = queue;
  }

  // By a method handle, because this is compiled for Java 11.
  private static Predicate<Thread> isVirtual() {
    try {
      MethodHandle found =
          MethodHandles.publicLookup().findVirtual(Thread.class, "isVirtual", MethodType.methodType(boolean.class));
      return thread -> {
        try {
          return (boolean) found.invokeExact(thread);
        } catch (Throwable e) {
          throw new AssertionError(e); // it throws nothing
        }
      };
    } catch (ReflectiveOperationException e) {
      return thread -> false;
    }
  }

  /**
   * For an event that another library made; it is retained. Its queue is not known: {@link #toFuture} does not flush that.
   *
   * @param clEvent its cl_event
   * @return the event
   */
  public static Event of(long clEvent) {
    return of(clEvent, null);
  }

  /**
   * The same for an event of a queue, which {@link #toFuture} flushes as long as it is open.
   *
   * @param clEvent its cl_event
   * @param queueOrNull the command's queue; null: not known
   * @return the event
   */
  public static Event of(long clEvent, CommandQueue queueOrNull) {
    Context.requireHandle("cl_event", clEvent);
    return new Event(
        () -> {
          Native.java_event_retain(clEvent);
          return clEvent;
        },
        queueOrNull,
        true);
  }

  /**
   * An event that the program itself completes, by {@link #complete()} or {@link #fail}.
   *
   * @param context the context
   * @return the event
   */
  public static Event user(Context context) {
    return new Event((uses, event) -> event[0] = Native.java_event_create_user(uses.of("context", context)));
  }

  /**
   * The cl_event for other libraries; the reference stays here.
   *
   * @return the handle
   */
  public long handle() {
    return with(value -> value);
  }

  /**
   * Waits until the command has ended. Memory that was closed while the command used a view of it goes back before this returns.
   * A virtual thread (Java 21) leaves its carrier meanwhile; for another library's event whose queue nobody named ({@link #of(long)})
   * or whose queue is closed here, one thread of the library waits on the system, whoever awaits it. What else waits,
   * {@link CommandQueue#finish()}, blocking commands, and {@link Pool#allocate} for as long as {@link PoolBuilder#waitNanos} says,
   * waits in native code and keeps it.
   *
   * @throws ClpoolException if it failed, with its own error
   */
  public void await() {
    if (VIRTUAL.test(Thread.currentThread()) && !isKnownDone()) {
      with(event -> Completions.await(this, event));
    } else {
      with(Native::java_event_wait);
    }
    if (use != null) {
      use.run();
    }
  }

  /**
   * The end of the command as a future, or its failure with a {@link ClpoolException} if the command fails. It completes
   * where {@link CompletableFuture#defaultExecutor()} says, on Java's common pool if that has several threads: while all of
   * these are busy it does not complete. Where that makes a thread for it and none can be made, which goes to the handler of uncaught
   * exceptions, it completes on one of the library's own. It does not need this event any more; to cancel it leaves the command
   * as it is. The commands of its queue are handed to the device, but for those of a queue that is not known ({@link #of(long)}):
   * flush that, or the end of the command may not come.
   *
   * @return the future, a new one for each call
   */
  public CompletableFuture<Void> toFuture() {
    CompletableFuture<Void> future = new CompletableFuture<>();
    with(event -> Completions.complete(this, event, future));
    return future;
  }

  /** The command's; null: not known, or none. */
  CommandQueue queue() {
    return queue;
  }

  /** It is that of the command of a call, or, where there was nothing to do, one of the events that the call waits for. */
  void isOf(Uses uses, long event) {
    Event waited = uses.find(event);
    queue = waited == null ? uses.queue() : waited.queue;
    isForeign = waited != null && waited.isForeign;
  }

  /**
   * Hands the commands of its queue to the device, unless that is gone. The driver is not asked for it: it may be gone, too.
   *
   * @return false if nobody here can
   */
  boolean flushQueue() {
    return queue != null && queue.flushIfOpen() || !isForeign && (queue == null || queue.flushIfKept());
  }

  /** It is the end of the same command as another one's, whose queue it does not keep. */
  void isAs(Event other) {
    isForeign = other.isForeign;
  }

  /**
   * Whether the command has ended, be it with an error.
   *
   * @return true if so
   */
  public boolean isDone() {
    return status() <= COMPLETE;
  }

  /** The same, but false where the driver does not say, or there is no memory for its answer. */
  boolean isKnownDone() {
    try {
      return isDone();
    } catch (ClpoolException | OutOfMemoryError unanswered) {
      return false;
    }
  }

  /** CL_EVENT_COMMAND_EXECUTION_STATUS: negative if it failed. */
  long status() {
    long[] status = new long[1];
    with(event -> Native.java_event_status(event, status));
    return status[0];
  }

  /**
   * Completes an event made by {@link #user}.
   *
   * @throws IllegalStateException if it is complete already, or a command's
   */
  public void complete() {
    end(COMPLETE);
  }

  /**
   * Ends an event made by {@link #user} with an error, with which the commands that wait for it fail. (Closing the event does
   * not end it: they would wait for ever.)
   *
   * @param code the error, less than 0
   * @throws IllegalArgumentException if it is 0 or more
   * @throws IllegalStateException if the event is complete already, or a command's
   */
  public void fail(int code) {
    if (code >= 0) {
      throw new IllegalArgumentException("code is " + code + ", an error is less than 0");
    }
    end(code);
  }

  private void end(int status) {
    try {
      with(event -> Native.java_event_end(event, status));
    } catch (ClpoolException refused) {
      if (refused.clError() != INVALID_EVENT && refused.clError() != INVALID_OPERATION) {
        throw refused;
      }
      throw new InvalidStateException(
          "the event is complete already, or a command's, which the program cannot complete", refused.clError(), refused);
    }
  }
}
