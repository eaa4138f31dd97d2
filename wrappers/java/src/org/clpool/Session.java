// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

/** A device with a context and an in-order queue: one call to begin with. Closing it closes context and queue. */
public final class Session implements AutoCloseable {
  private final Device device;
  private final Context context;
  private final CommandQueue queue;

  private Session(Device device, Context context, CommandQueue queue) {
    this.device = device;
    this.context = context;
    this.queue = queue;
  }

  static Session create(DeviceSelection selection) {
    Errors.required("selection", selection);
    long[] device = new long[1];
    long[] context = new long[1];
    long[] queue = new long[1];
    CommandQueue its = new CommandQueue();
    Context made =
        new Context(
            () -> {
              Native.java_context_create_default(
                  selection.selector(), selection.types(), selection.flags(), device, context, queue);
              its.handle.value = queue[0];
              return context[0];
            });
    return new Session(Device.of(device[0]), made, its);
  }

  /**
   * The device.
   *
   * @return the device
   */
  public Device device() {
    return device;
  }

  /**
   * The context, with the device alone.
   *
   * @return the context
   */
  public Context context() {
    return context;
  }

  /**
   * The queue, in order.
   *
   * @return the queue
   */
  public CommandQueue queue() {
    return queue;
  }

  /** Closes queue and context; memory, pools and allocators made with them keep what they need. */
  @Override
  public void close() {
    queue.close();
    context.close();
  }

  @Override
  public String toString() {
    return "Session[" + device + "]";
  }
}
