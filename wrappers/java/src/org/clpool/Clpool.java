// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

/** The library as a whole: its version, its messages, its small arithmetic. */
public final class Clpool {
  private static volatile MessageListener messageListener;

  private static final int DEFAULT_LEADING_BITS = 4; // PyOpenCL's

  private Clpool() {}

  /**
   * Version of the native library.
   *
   * @return text such as "1.0.0"
   */
  public static String version() {
    return Native.clpool_version_string();
  }

  /**
   * The same as one number.
   *
   * @return major * 1000000 + minor * 1000 + patch
   */
  public static long versionNumber() {
    return Native.clpool_version_number();
  }

  /**
   * Name of an OpenCL error code.
   *
   * @param code the code, such as -30
   * @return its name, such as "CL_INVALID_VALUE"
   */
  public static String clErrorName(int code) {
    return Native.clpool_cl_error_name(code);
  }

  /**
   * Short text of a status.
   *
   * @param status the status
   * @return English text
   */
  public static String statusText(Status status) {
    return Native.clpool_status_string(Errors.required("status", status).number());
  }

  /**
   * Sets the receiver of all messages that no pool's own listener takes. There is one for the process: where several class loaders
   * have this package, or C sets one, the last one that was set gets them; null takes that one away if there was a
   * listener here, whosever it is.
   *
   * @param listener the receiver; null for none, which is the initial state
   */
  public static synchronized void setMessageListener(MessageListener listener) {
    if (listener != null || messageListener != null) {
      messageListener = listener;
      Native.java_receive_messages(listener == null ? 0 : 1);
    }
  }

  static MessageListener messageListener() {
    return messageListener;
  }

  /**
   * A device, a context with it and an in-order queue, as the environment says: CLPOOL_DEVICE, PYOPENCL_CTX, … or the
   * best device there is.
   *
   * @return the session, which owns context and queue
   */
  public static Session createDefault() {
    return Session.create(DeviceSelection.byEnvironment());
  }

  /**
   * A device of choice, a context with it and an in-order queue.
   *
   * @param selection what device is wanted
   * @return the session, which owns context and queue
   */
  public static Session createDefault(DeviceSelection selection) {
    return Session.create(selection);
  }

  /**
   * Bin of a size, as PyOpenCL's pools count bins with their default of 4 leading bits.
   *
   * @param size bytes
   * @return the bin's number
   */
  public static long binNumber(long size) {
    return binNumber(size, DEFAULT_LEADING_BITS);
  }

  /**
   * Bin of a size, as PyOpenCL's pools count bins.
   *
   * @param size bytes
   * @param leadingBits bits after the leading one, 0 to 26
   * @return the bin's number
   */
  public static long binNumber(long size, int leadingBits) {
    long[] bin = new long[1];
    Native.clpool_bin_number(Sizes.check("size", size), Sizes.check("leadingBits", leadingBits), bin);
    return bin[0];
  }

  /**
   * Bytes that blocks of a bin have with 4 leading bits: the largest size in it.
   *
   * @param bin number of the bin
   * @return bytes
   */
  public static long binAllocationSize(long bin) {
    return binAllocationSize(bin, DEFAULT_LEADING_BITS);
  }

  /**
   * Bytes that blocks of a bin have: the largest size in it.
   *
   * @param bin number of the bin
   * @param leadingBits bits after the leading one, 0 to 26
   * @return bytes
   */
  public static long binAllocationSize(long bin, int leadingBits) {
    long[] size = new long[1];
    Native.clpool_bin_alloc_size(Sizes.check("bin", bin), Sizes.check("leadingBits", leadingBits), size);
    if (size[0] < 0) {
      throw Errors.invalid("bin is " + bin + ", whose size is more than a long can be, " + Long.MAX_VALUE);
    }
    return size[0];
  }

  /**
   * Index of the highest bit that is set.
   *
   * @param value the number, taken as unsigned
   * @return floor of the base-2 logarithm; 0 for 0
   */
  public static int bitLog2(long value) {
    return (int) Native.clpool_bitlog2(value);
  }
}
