// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

/** What a pool is to be like. Whatever is not set has its default. */
public final class PoolBuilder extends PoolBuilderFields<PoolBuilder> {
  private static final Runnable COLLECT_GARBAGE = PoolBuilder::collectGarbage;

  private final Allocator allocator;
  private long leadingBits;
  private CommandQueue[] queues = {};
  private int guard; // one of CLPOOL_GUARD_…
  private LeakDetection leakDetection = LeakDetection.RECLAIM;
  private Runnable collect = COLLECT_GARBAGE;
  private OutOfMemoryHandler outOfMemory;
  private MessageListener messages;

  PoolBuilder(Allocator allocator) {
    this.allocator = Errors.required("allocator", allocator);
  }

  @Override
  PoolBuilder target() {
    return this;
  }

  /**
   * Binned only: bits after the leading one that tell bins apart.
   *
   * @param value 0 to 26; 4 by default
   * @return this
   */
  public PoolBuilder leadingBitsInBinId(int value) {
    leadingBits = Sizes.check("leadingBitsInBinId", value) == 0 ? Constants.CLPOOL_LEADING_BITS_NONE : value;
    return this;
  }

  /**
   * Queues on which the pool's memory is used. With several, or with one that is out of order, the pool reuses a
   * released block only when commands enqueued before the release are complete.
   *
   * @param values the queues; none, the default: the allocator's queue
   * @return this
   */
  public PoolBuilder queues(CommandQueue... values) {
    queues = Errors.required("queues", values).clone();
    return this;
  }

  /**
   * Whether the pool looks for mistakes of the program: commands that use blocks after they were closed, and writes
   * beyond a block's end. It tells them as messages of severity error that begin with "guard: ". Not called: as the
   * variable CLPOOL_GUARD says.
   *
   * @param value on or off
   * @return this
   */
  public PoolBuilder guard(boolean value) {
    guard = value ? Constants.CLPOOL_GUARD_ON : Constants.CLPOOL_GUARD_OFF;
    return this;
  }

  /**
   * What happens to forgotten blocks.
   *
   * @param value {@link LeakDetection#RECLAIM} by default
   * @return this
   */
  public PoolBuilder leakDetection(LeakDetection value) {
    leakDetection = Errors.required("leakDetection", value);
    return this;
  }

  /**
   * Run when the driver is out of memory, before the pool gives up what it holds: drop caches, close what is not
   * needed. It may release, trim and allocate. What it throws is the cause if the request fails. By default it is
   * {@link #collectGarbage()}, which runs first, or, where {@link #onOutOfMemory} is set, once that says no: each collection
   * takes as long as the program has many objects.
   *
   * @param value the function, which runs first in any case; null: none
   * @return this
   */
  public PoolBuilder collect(Runnable value) {
    collect = value;
    return this;
  }

  /**
   * For {@link #collect}, and called by functions that also do something else there: asks Java's garbage collector to
   * run, and waits until the forgotten blocks that it found have come back, at most a second and a half longer; twice if it finds
   * views, which keep what they look at until then.
   */
  public static void collectGarbage() {
    LeakGuard.collectGarbage();
  }

  /**
   * Asked last when the pool is out of memory.
   *
   * @param value the function; null, the default: the request fails
   * @return this
   */
  public PoolBuilder onOutOfMemory(OutOfMemoryHandler value) {
    outOfMemory = value;
    return this;
  }

  /**
   * Receives the pool's messages.
   *
   * @param value the receiver; null, the default: they go where {@link Clpool#setMessageListener} says
   * @return this
   */
  public PoolBuilder onMessage(MessageListener value) {
    messages = value;
    return this;
  }

  /**
   * Makes the pool.
   *
   * @return the pool
   */
  public Pool build() {
    PoolCallbacks callbacks = callbacks();
    try (clpool_pool_options options = new clpool_pool_options();
        Uses uses = new Uses()) {
      fill(options);
      options.setLeading_bits_in_bin_id(leadingBits);
      options.setGuard(guard);
      long from = uses.of("allocator", allocator);
      long[] over = uses.all("queues", queues);
      long number = callbacks == null ? 0 : callbacks.register();
      long[] gate = new long[1];
      return new Pool(() -> make(from, options, over, number, callbacks, gate), gate, this, callbacks);
    }
  }

  private static long make(
      long allocator, clpool_pool_options options, long[] queues, long number, PoolCallbacks callbacks, long[] gate) {
    int which = callbacks == null ? 0 : callbacks.which();
    long pool = Native.java_pool_create(allocator, options, queues, number, which);
    gate[0] = Native.java_gate_open(pool);
    if (gate[0] == 0) {
      throw new OutOfMemoryError("no native memory for a pool");
    }
    return pool;
  }

  private PoolCallbacks callbacks() {
    boolean none = collect == null && outOfMemory == null && messages == null;
    if (none) {
      return null;
    }
    boolean collectsLast = outOfMemory != null && collect == COLLECT_GARBAGE;
    return collectsLast
        ? new PoolCallbacks(null, new CollectsLast(outOfMemory), messages)
        : new PoolCallbacks(collect, outOfMemory, messages);
  }

  String name() {
    return name == null ? "" : name;
  }

  LeakDetection leakDetection() {
    return leakDetection;
  }

  @Override
  public String toString() {
    return "PoolBuilder[" + (name().isEmpty() ? "" : name + ", ") + strategy + " over " + allocator + "]";
  }
}
