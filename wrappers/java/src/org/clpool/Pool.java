// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A memory pool: takes chunks from an allocator, hands out blocks of them, and keeps what is released for the next
 * request. Any number of threads may use it at once. It may be closed before its blocks, which hold it; then it gives
 * its memory back when the last of them is closed.
 */
public final class Pool implements AutoCloseable {
  private static final int FIGURES = 6; // of a stretch, as glue.hpp has them

  private final Handle handle;
  private final String name;
  private final LeakDetection leakDetection;
  private final PoolCallbacks callbacks;

  Pool(long value, PoolBuilder builder, PoolCallbacks callbacks) {
    handle = Handle.own(this, "pool", value, Native::clpool_pool_release);
    this.name = builder.name();
    this.leakDetection = builder.leakDetection();
    this.callbacks = callbacks;
  }

  /**
   * Begins a pool.
   *
   * @param allocator where chunks come from
   * @return the builder, with all defaults
   */
  public static PoolBuilder builder(Allocator allocator) {
    return new PoolBuilder(allocator);
  }

  /**
   * A pool with all defaults.
   *
   * @param allocator where chunks come from
   * @return the pool
   */
  public static Pool of(Allocator allocator) {
    return builder(allocator).build();
  }

  /**
   * Hands out a block.
   *
   * @param size bytes; 0 gives a block of 1 byte, whose {@link Memory#size()} is 0
   * @return the block, with undefined content
   * @throws OutOfDeviceMemoryException after everything that could help was tried
   * @throws IllegalArgumentException for a negative size, or one over the device's largest allocation
   */
  public Memory allocate(long size) {
    if (size < 0) {
      Sizes.check("size", size);
    }
    Memory memory = track(Native.clpool_pool_allocate(handle.get(), size));
    Reference.reachabilityFence(this);
    return memory;
  }

  /**
   * Hands out a block only if that takes neither waiting nor a driver call.
   *
   * @param size bytes, as for {@link #allocate}
   * @return the block, or nothing
   */
  public Optional<Memory> tryAllocate(long size) {
    long block = Native.java_pool_try_allocate(handle.get(), Sizes.check("size", size));
    Optional<Memory> memory = block == 0 ? Optional.empty() : Optional.of(track(block));
    Reference.reachabilityFence(this);
    return memory;
  }

  /**
   * Hands out a block that commands on one queue will use, and on no other unless {@link Memory#usedOn} says so. In a
   * pool over several queues such a block, when closed, waits for that queue alone.
   *
   * @param queue where the block is used
   * @param size bytes, as for {@link #allocate}
   * @return the block, with undefined content
   * @throws OutOfDeviceMemoryException after everything that could help was tried
   */
  public Memory allocateOn(Queue queue, long size) {
    long bytes = Sizes.check("size", size);
    Memory memory = track(Native.clpool_pool_allocate_on(handle.get(), queue.handle(), bytes));
    Reference.reachabilityFence(queue);
    Reference.reachabilityFence(this);
    return memory;
  }

  private Memory track(long block) {
    if (leakDetection == LeakDetection.OFF) {
      return new Memory(block, this);
    }
    return leakDetection == LeakDetection.TRACE
        ? Memory.watched(block, this, new Throwable())
        : Memory.watched(block, this);
  }

  /**
   * Figures of the pool at this moment.
   *
   * @return the figures
   */
  public PoolStatistics statistics() {
    try (clpool_pool_stats stats = new clpool_pool_stats()) {
      Native.clpool_pool_statistics(handle.get(), stats);
      Reference.reachabilityFence(this);
      return new PoolStatistics(stats);
    }
  }

  /** Gives every chunk that has no block handed out back to the allocator. Waits for nothing. */
  public void freeHeld() {
    Native.clpool_pool_free_held(handle.get());
    Reference.reachabilityFence(this);
  }

  /** Stops keeping released memory, until {@link #resumeHolding()}, and gives back what is held. The pool still works. */
  public void stopHolding() {
    Native.clpool_pool_stop_holding(handle.get());
    Reference.reachabilityFence(this);
  }

  /** Keeps released memory again after {@link #stopHolding()}. */
  public void resumeHolding() {
    Native.clpool_pool_resume_holding(handle.get());
    Reference.reachabilityFence(this);
  }

  /**
   * Gives free chunks back, largest first.
   *
   * @param keepBytes bytes that may stay
   */
  public void trim(long keepBytes) {
    Native.clpool_pool_trim(handle.get(), Sizes.check("keepBytes", keepBytes));
    Reference.reachabilityFence(this);
  }

  /** Does what a background thread would: takes in completed releases, gives back what was not used for long. */
  public void tick() {
    Native.clpool_pool_tick(handle.get());
    Reference.reachabilityFence(this);
  }

  /**
   * All of the pool's memory at this moment, chunk by chunk, in the order of addresses.
   *
   * @return a picture that does not change any more
   */
  public List<PoolStretch> stretches() {
    long[] figures = Native.java_pool_stretches(handle.get());
    Reference.reachabilityFence(this);
    List<PoolStretch> stretches = new ArrayList<>(figures.length / FIGURES);
    for (int i = 0; i < figures.length; i += FIGURES) {
      stretches.add(new PoolStretch(figures, i));
    }
    return stretches;
  }

  /**
   * Picture and statistics as JSON text, of the schema "clpool-pool-1".
   *
   * @return the text
   */
  public String dumpJson() {
    String text = Text.from((bytes, needed) -> Native.clpool_pool_dump_json(handle.get(), bytes, needed));
    Reference.reachabilityFence(this);
    return text;
  }

  /** Checks the pool's books against a recount, for tests and bug reports. */
  public void check() {
    Native.clpool_pool_check(handle.get());
    Reference.reachabilityFence(this);
  }

  /**
   * The pool's name in messages and dumps.
   *
   * @return the name; "" for none
   */
  public String name() {
    return name;
  }

  /**
   * What happens to forgotten blocks.
   *
   * @return what the builder was told
   */
  public LeakDetection leakDetection() {
    return leakDetection;
  }

  MessageListener messages() {
    return callbacks == null ? null : callbacks.messages();
  }

  long handle() {
    return handle.get();
  }

  @Override
  public void close() {
    handle.close();
  }

  @Override
  public String toString() {
    return "Pool[" + (name.isEmpty() ? "" : name + ", ") + (handle.isClosed() ? "closed" : statistics()) + "]";
  }
}
