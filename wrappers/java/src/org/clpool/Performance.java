// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

/** Speed of a device: medians. */
public final class Performance {
  private final long writeLatencyNanos;
  private final long readLatencyNanos;
  private final long copyLatencyNanos;
  private final long writeBandwidth;
  private final long readBandwidth;
  private final long copyBandwidth;
  private final long emptyKernelNanos;
  private final long kernelRoundTripNanos;
  private final long profilingOverheadNanos;
  private final long transferBytes;

  Performance(clpool_performance c) {
    writeLatencyNanos = c.getWrite_latency_ns();
    readLatencyNanos = c.getRead_latency_ns();
    copyLatencyNanos = c.getCopy_latency_ns();
    writeBandwidth = c.getWrite_bandwidth();
    readBandwidth = c.getRead_bandwidth();
    copyBandwidth = c.getCopy_bandwidth();
    emptyKernelNanos = c.getEmpty_kernel_ns();
    kernelRoundTripNanos = c.getKernel_round_trip_ns();
    profilingOverheadNanos = c.getProfiling_overhead_ns();
    transferBytes = c.getTransfer_bytes();
  }

  /**
   * Nanoseconds of a blocking write of one byte.
   *
   * @return the figure
   */
  public long writeLatencyNanos() {
    return writeLatencyNanos;
  }

  /**
   * Nanoseconds of a blocking read of one byte.
   *
   * @return the figure
   */
  public long readLatencyNanos() {
    return readLatencyNanos;
  }

  /**
   * Nanoseconds of a copy of one byte on the device, waited for.
   *
   * @return the figure
   */
  public long copyLatencyNanos() {
    return copyLatencyNanos;
  }

  /**
   * Bytes per second from host to device.
   *
   * @return the figure
   */
  public long writeBandwidth() {
    return writeBandwidth;
  }

  /**
   * Bytes per second from device to host.
   *
   * @return the figure
   */
  public long readBandwidth() {
    return readBandwidth;
  }

  /**
   * Bytes per second copied on the device (each byte read and written once counts once).
   *
   * @return the figure
   */
  public long copyBandwidth() {
    return copyBandwidth;
  }

  /**
   * Nanoseconds of an empty kernel of one work item: enqueued many times, waited for once.
   *
   * @return the figure
   */
  public long emptyKernelNanos() {
    return emptyKernelNanos;
  }

  /**
   * Nanoseconds of an empty kernel that is waited for.
   *
   * @return the figure
   */
  public long kernelRoundTripNanos() {
    return kernelRoundTripNanos;
  }

  /**
   * Nanoseconds that a queue with profiling adds to an empty kernel; negative where the noise is greater.
   *
   * @return the figure
   */
  public long profilingOverheadNanos() {
    return profilingOverheadNanos;
  }

  /**
   * Bytes of the transfers behind the bandwidths.
   *
   * @return the figure
   */
  public long transferBytes() {
    return transferBytes;
  }

  @Override
  public String toString() {
    return "write " + writeBandwidth + " B/s, read " + readBandwidth + " B/s, empty kernel " + emptyKernelNanos + " ns";
  }
}
