// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * A memory pool: takes chunks from an allocator, hands out blocks of them, and keeps what is released for the next
 * request. Any number of threads may use it at once. It may be closed before its blocks, which hold it; then it gives
 * its memory back when the last of them is closed.
 */
public final class Pool extends NativeObject {

  private final String name;
  private final LeakDetection leakDetection;
  private final PoolCallbacks callbacks;
  private final long gate; // closed by whoever closes the pool; the way of requests that neither wait nor call back
  final boolean open; // whether requests may take it, where nothing is traced

  /**
   * A pool.
   *
   * @param gate where `made` puts its gate
   */
  Pool(LongSupplier made, long[] gate, PoolBuilder builder, PoolCallbacks callbacks) {
    super("pool", made, pool -> Native.java_gate_release(gate[0]), Handle.lanesForAll());
    this.gate = gate[0];
    try {
      Handle.whenGone(this, () -> Native.java_gate_gone(gate[0]));
    } catch (Throwable e) {
      Native.java_gate_gone(gate[0]);
      throw e;
    }
    this.open = !builder.traceMessages;
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
   * Hands out a block. Where memory is out it may wait for commands that will give some back, for as long as
   * {@link PoolBuilder#waitNanos} says, and for a collection: in native code, so that a virtual thread keeps its carrier.
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
    return new Memory(this, leash(), size);
  }

  /** The native block for memory, of which all of Java's part is there; it keeps this reachable, and with it the gate. */
  long take(long size) {
    long block = open ? Native.java_gate_allocate(gate, size) : 0;
    return block != 0 ? block : allocateSlowly(size);
  }

  private long allocateSlowly(long size) {
    long block;
    long pool = begin();
    try {
      block = Native.clpool_pool_allocate(pool, size);
    } catch (Throwable e) {
      end();
      throw e;
    }
    try {
      end();
    } catch (Error e) { // no stack is left for it
      Native.java_mem_give_back(block, OwnedMemory.RELEASE_IDLE);
      throw e;
    }
    return block;
  }

  /**
   * Hands out a block only if that takes neither waiting nor a driver call.
   *
   * @param size bytes, as for {@link #allocate}
   * @return the block, or nothing
   * @throws IllegalArgumentException for a size that the device never has
   */
  public Optional<Memory> tryAllocate(long size) {
    Sizes.check("size", size);
    Memory block;
    long pool = begin();
    try {
      block = new Memory(this, leash(), () -> Native.java_pool_try_allocate(pool, size));
    } finally {
      end();
    }
    boolean given = false;
    try {
      Optional<Memory> result = block.isNone() ? Optional.empty() : Optional.of(block);
      given = result.isPresent();
      return result;
    } finally {
      if (!given) {
        block.close();
      }
    }
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
  public Memory allocateOn(CommandQueue queue, long size) {
    Sizes.check("size", size);
    try (Uses uses = new Uses()) {
      long pool = uses.of("pool", this);
      long on = uses.of("queue", queue);
      return new Memory(this, leash(), () -> Native.clpool_pool_allocate_on(pool, on, size));
    }
  }

  /** Gives the pool up; it may be called again. Blocks that are handed out keep its memory. What uses it ends in order. */
  @Override
  public void close() {
    Native.java_gate_shut(gate);
    super.close();
    Reference.reachabilityFence(this); // the gate lives as long
  }

  private LeakGuard.Leash leash() {
    if (leakDetection == LeakDetection.OFF) {
      return null;
    }
    return leakDetection == LeakDetection.TRACE ? LeakGuard.leash(messages(), new Throwable()) : LeakGuard.leash();
  }

  /**
   * Figures of the pool at this moment.
   *
   * @return the figures
   */
  public PoolStatistics statistics() {
    long[] figures = new long[PoolStatistics.COUNT];
    with(pool -> Native.clpool_pool_statistics(pool, figures));
    return new PoolStatistics(figures, 0);
  }

  /** Gives every chunk that has no block handed out back to the allocator. Waits for nothing. */
  public void freeHeld() {
    with(Native::clpool_pool_free_held);
  }

  /** Stops keeping released memory, until {@link #resumeHolding()}, and gives back what is held. The pool still works. */
  public void stopHolding() {
    with(Native::clpool_pool_stop_holding);
  }

  /** Keeps released memory again after {@link #stopHolding()}. */
  public void resumeHolding() {
    with(Native::clpool_pool_resume_holding);
  }

  /**
   * Gives all free chunks back, largest first.
   */
  public void trim() {
    trim(0);
  }

  /**
   * Gives free chunks back, largest first.
   *
   * @param keepBytes bytes that may stay
   */
  public void trim(long keepBytes) {
    Sizes.check("keepBytes", keepBytes);
    with(pool -> Native.clpool_pool_trim(pool, keepBytes));
  }

  /** Does what a background thread would: takes in completed releases, gives back what was not used for long. */
  public void tick() {
    with(Native::clpool_pool_tick);
  }

  /**
   * All of the pool's memory at this moment, chunk by chunk, in the order of addresses.
   *
   * @return a picture that does not change any more
   */
  public List<PoolStretch> stretches() {
    long[] figures;
    try (Uses uses = new Uses()) {
      figures = Native.java_pool_stretches(uses.of("pool", this));
    }
    List<PoolStretch> stretches = new ArrayList<>(figures.length / PoolStretch.COUNT);
    for (int i = 0; i < figures.length; i += PoolStretch.COUNT) {
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
    return Text.from((bytes, needed) -> with(pool -> Native.clpool_pool_dump_json(pool, bytes, needed)));
  }

  /** Checks the pool's books against a recount, for tests and bug reports. */
  public void check() {
    with(Native::clpool_pool_check);
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

  @Override
  String details() {
    PoolStatistics now = statistics();
    return (name.isEmpty() ? "" : name + ", ") + now.activeBlocks() + " active blocks of " + now.activeBytes() + " bytes, "
        + now.managedBytes() + " managed, " + now.heldBytes() + " held";
  }
}
