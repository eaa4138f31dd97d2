// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import java.nio.file.Path;
import java.util.function.LongSupplier;

/**
 * An allocation log that was read, in the format of RMM's logging resource adaptor. It never changes: any number of
 * threads may use it at once.
 */
public final class Trace extends NativeObject {
  private Trace(LongSupplier made) {
    super("trace", made, Native::clpool_trace_release);
  }

  /**
   * Reads a log from an uncompressed file.
   *
   * @param file the file, of the default file system
   * @return the log
   */
  public static Trace open(Path file) {
    return new Trace(() -> Native.clpool_trace_open(Text.nameOf(file)));
  }

  /**
   * Reads a log from memory, which messages call "log".
   *
   * @param text the log
   * @return the log
   */
  public static Trace parse(String text) {
    return parse(text, "log");
  }

  /**
   * Reads a log from memory.
   *
   * @param text the log
   * @param name for messages, such as the name of a file
   * @return the log
   */
  public static Trace parse(String text, String name) {
    return new Trace(() -> Native.clpool_trace_parse(Text.toBytes(Errors.required("text", text)), Errors.required("name", name)));
  }

  /**
   * Figures of the log.
   *
   * @return the figures
   */
  public TraceStatistics statistics() {
    long[] figures = new long[TraceStatistics.COUNT];
    with(trace -> Native.clpool_trace_statistics(trace, figures));
    return new TraceStatistics(figures, 0);
  }

  /**
   * One event of the log.
   *
   * @param index from 0 to {@link TraceStatistics#events()} - 1, in the order of the file
   * @return the event
   */
  public TraceEvent event(long index) {
    Sizes.check("index", index);
    try (clpool_trace_event event = new clpool_trace_event()) {
      with(trace -> Native.clpool_trace_event_at(trace, index, event));
      return new TraceEvent(event);
    }
  }

  /**
   * Does what the log says with a pool, in the calling thread, as fast as it goes.
   *
   * @param pool the pool; best a fresh one
   * @return what was found
   */
  public ReplayResult replay(Pool pool) {
    return replay(pool, 0, null);
  }

  /**
   * Does what the log says with a pool, and tells how far it is.
   *
   * @param pool the pool; best a fresh one
   * @param interval events between two reports; 0: 4096
   * @param progress told how far it is; null: nobody
   * @return what was found
   * @throws ClpoolException with {@link Status#CALLBACK} if that stopped it
   */
  public ReplayResult replay(Pool pool, long interval, ReplayProgress progress) {
    long[] result = new long[ReplayResult.COUNT];
    try (Uses uses = new Uses()) {
      Native.java_trace_replay_pool(
          uses.of("trace", this), uses.of("pool", pool), Sizes.check("interval", interval), progress, result);
      return new ReplayResult(result, 0);
    }
  }

  /**
   * Does what the log says with an allocator: each block comes from the driver and goes back to it.
   *
   * @param allocator the allocator
   * @return what was found
   */
  public ReplayResult replay(Allocator allocator) {
    return replay(allocator, 0, null);
  }

  /**
   * The same with an allocator: each block comes from the driver and goes back to it.
   *
   * @param allocator the allocator
   * @param interval events between two reports; 0: 4096
   * @param progress told how far it is; null: nobody
   * @return what was found
   */
  public ReplayResult replay(Allocator allocator, long interval, ReplayProgress progress) {
    long[] result = new long[ReplayResult.COUNT];
    try (Uses uses = new Uses()) {
      Native.java_trace_replay_allocator(
          uses.of("trace", this), uses.of("allocator", allocator), Sizes.check("interval", interval), progress, result);
      return new ReplayResult(result, 0);
    }
  }

  @Override
  String details() {
    TraceStatistics statistics = statistics();
    return statistics.events() + " events, peak " + statistics.peakLiveBytes() + " bytes";
  }
}
