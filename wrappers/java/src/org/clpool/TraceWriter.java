// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import java.nio.file.Path;
import java.util.function.LongSupplier;

/** Writes an allocation log that {@link Trace} and RMM's tools read. Any number of threads may use it at once. */
public final class TraceWriter extends NativeObject {
  private TraceWriter(LongSupplier made) {
    super("trace writer", made, Native::clpool_trace_writer_release);
  }

  /**
   * Begins a log.
   *
   * @param file file to write, of the default file system, replaced if it exists
   * @return the writer
   */
  public static TraceWriter create(Path file) {
    return new TraceWriter(() -> Native.clpool_trace_writer_create(Text.nameOf(file)));
  }

  /**
   * Adds a row of a success, without a stream and a tag.
   *
   * @param action what happened
   * @param pointer address or another identity that is unique while the block is live
   * @param size bytes, as requested
   */
  public void write(TraceAction action, long pointer, long size) {
    write(action, pointer, size, 0, Status.SUCCESS, null);
  }

  /**
   * Adds a row; thread and time are added by the writer.
   *
   * @param action what happened
   * @param pointer address or another identity that is unique while the block is live; 0 for failures
   * @param size bytes, as requested
   * @param stream number of the stream or queue; 0 where there is none
   * @param status what a failed allocation came to; {@link Status#SUCCESS} otherwise
   * @param tagOrNull free text, of which at most 200 bytes are kept; commas, quotes and control characters become _
   */
  public void write(TraceAction action, long pointer, long size, long stream, Status status, String tagOrNull) {
    int what = Errors.required("action", action).number();
    int outcome = Errors.required("status", status).number();
    Sizes.check("size", size);
    with(w -> Native.clpool_trace_writer_write(w, what, pointer, size, stream, outcome, tagOrNull));
  }

  /** Hands all buffered rows to the system. */
  public void flush() {
    with(Native::clpool_trace_writer_flush);
  }

  /** Writes what is buffered and closes the file; what goes wrong then is a message: {@link #flush} first to know. */
  @Override
  public void close() {
    super.close();
  }
}
