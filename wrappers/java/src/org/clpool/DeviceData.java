// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/** What a multiprocessor can hold: the input of the occupancy model. Never changes. */
public final class DeviceData extends NativeObject {
  private static final int WORD = 4; // bytes of the smallest word that the rules know

  private interface Arithmetic {
    void compute(long[] result);
  }

  DeviceData(LongSupplier made) {
    super("device data", made, Native::clpool_device_data_release);
  }

  /**
   * Limits of an OpenCL device by today's rules: its own answers, completed from the table of its architecture.
   *
   * @param device the device
   * @return the device data
   */
  public static DeviceData of(Device device) {
    return of(device, Model.CURRENT);
  }

  /**
   * Limits of an OpenCL device: its own answers, completed from the table of its architecture.
   *
   * @param device the device
   * @param model whose rules answer
   * @return the device data
   */
  public static DeviceData of(Device device, Model model) {
    long clDevice = Errors.required("device", device).handle();
    return new DeviceData(() -> Native.clpool_device_data_create_from_device(clDevice, number(model)));
  }

  /**
   * Limits of an NVIDIA compute capability by today's rules.
   *
   * @param major the number before the point
   * @param minor the number after it
   * @return the device data
   */
  public static DeviceData ofComputeCapability(int major, int minor) {
    return ofComputeCapability(major, minor, Model.CURRENT);
  }

  /**
   * Limits of an NVIDIA compute capability.
   *
   * @param major the number before the point
   * @param minor the number after it
   * @param model whose rules answer
   * @return the device data
   */
  public static DeviceData ofComputeCapability(int major, int minor, Model model) {
    return new DeviceData(() -> Native.clpool_device_data_create_from_compute_capability(major, minor, number(model)));
  }

  /**
   * Limits of an architecture by today's rules.
   *
   * @param name its compiler's name: "9.0", "sm_90", "gfx90a", "xe-hpc", …
   * @return the device data
   */
  public static DeviceData ofArchitecture(String name) {
    return ofArchitecture(name, Model.CURRENT);
  }

  /**
   * Limits of an architecture by its compiler's name: "9.0", "sm_90", "gfx90a", "xe-hpc", …
   *
   * @param name the name
   * @param model whose rules answer
   * @return the device data
   */
  public static DeviceData ofArchitecture(String name, Model model) {
    return new DeviceData(() -> Native.clpool_device_data_create_from_architecture(Errors.required("name", name), number(model)));
  }

  /**
   * The numbers.
   *
   * @return the limits
   */
  public DeviceLimits limits() {
    try (clpool_device_limits c = new clpool_device_limits()) {
      with(data -> Native.clpool_device_data_limits(data, c));
      return new DeviceLimits(c);
    }
  }

  /**
   * How many work-groups a multiprocessor holds at a time.
   *
   * @param request the kernel
   * @return the answer
   */
  public Occupancy occupancy(OccupancyRequest request) {
    try (clpool_occupancy_request c = Errors.required("request", request).toC();
        clpool_occupancy answer = new clpool_occupancy()) {
      with(data -> Native.clpool_occupancy_compute(data, c, answer));
      return new Occupancy(answer);
    }
  }

  /**
   * The group sizes that reach the highest occupancy with the request's registers and local memory; its threads are
   * ignored.
   *
   * @param request the kernel
   * @return the sizes in threads, ascending
   */
  public List<Integer> suggestGroupSizes(OccupancyRequest request) {
    long[] count = new long[1];
    try (clpool_occupancy_request c = Errors.required("request", request).toC()) {
      with(data -> Native.clpool_occupancy_suggest(data, c, null, count, null));
      long[] sizes = new long[(int) count[0]];
      with(data -> Native.clpool_occupancy_suggest(data, c, sizes, count, null));
      List<Integer> list = new ArrayList<>();
      for (long size : sizes) {
        list.add((int) size);
      }
      return list;
    }
  }

  private static int number(Model model) {
    return Errors.required("model", model).number();
  }

  private static long compute(Arithmetic arithmetic) {
    long[] result = new long[1];
    arithmetic.compute(result);
    return result[0];
  }

  private static long roundUp(String name, long value, Arithmetic arithmetic) {
    Sizes.check(name, value);
    long result = compute(arithmetic);
    if (result < value) {
      throw Errors.invalid(
          name + " is " + value + ", which rounded up is more than a long can be, " + Long.MAX_VALUE);
    }
    return result;
  }

  /**
   * Bytes that accesses of 4 bytes are best aligned to.
   *
   * @return bytes
   */
  public static long alignBytes() {
    return alignBytes(WORD);
  }

  /**
   * Bytes that accesses of a word size are best aligned to.
   *
   * @param wordSize bytes, 4, 8 or 16
   * @return bytes
   */
  public static long alignBytes(int wordSize) {
    return compute(result -> Native.clpool_align_bytes(wordSize, result));
  }

  /**
   * Rounds bytes up to what accesses of 4 bytes are best aligned to.
   *
   * @param bytes any number
   * @return bytes
   */
  public static long align(long bytes) {
    return align(bytes, WORD);
  }

  /**
   * Rounds bytes up to a multiple of {@link #alignBytes}.
   *
   * @param bytes any number
   * @param wordSize bytes, 4, 8 or 16
   * @return bytes
   */
  public static long align(long bytes, int wordSize) {
    return roundUp("bytes", bytes, result -> Native.clpool_align(bytes, wordSize, result));
  }

  /**
   * Words of 4 bytes in {@link #alignBytes()}.
   *
   * @return words
   */
  public static long alignWords() {
    return alignWords(WORD);
  }

  /**
   * Words in {@link #alignBytes}.
   *
   * @param wordSize bytes, 4, 8 or 16
   * @return words
   */
  public static long alignWords(int wordSize) {
    return compute(result -> Native.clpool_align_words(wordSize, result));
  }

  /**
   * Rounds a number of elements of 4 bytes up to a multiple of {@link #alignWords()}.
   *
   * @param elements any number
   * @return elements
   */
  public static long alignElements(long elements) {
    return alignElements(elements, WORD);
  }

  /**
   * Rounds a number of elements up to a multiple of {@link #alignWords}.
   *
   * @param elements any number
   * @param wordSize bytes of an element, 4, 8 or 16
   * @return elements
   */
  public static long alignElements(long elements, int wordSize) {
    return roundUp("elements", elements, result -> Native.clpool_align_elements(elements, wordSize, result));
  }

  /**
   * Rounds threads up to a multiple of 16, for coalesced accesses.
   *
   * @param threads any number
   * @return threads
   */
  public static long coalesce(long threads) {
    return roundUp("threads", threads, result -> Native.clpool_coalesce_threads(threads, result));
  }

  /**
   * The smallest number of texture channels, 1, 2 or 4, that is at least so large.
   *
   * @param size up to 4
   * @return channels
   */
  public static int validChannelCount(int size) {
    return (int) compute(result -> Native.clpool_valid_channel_count(size, result));
  }

  @Override
  String details() {
    DeviceLimits limits = limits();
    String capability = limits.computeMajor() == 0 ? "" : limits.computeMajor() + "." + limits.computeMinor() + ", ";
    return capability + limits.maxWarpsPerMp() + " warps of " + limits.warpSize() + ", " + limits.registersPerMp()
        + " registers, " + limits.localPerMp() + " bytes of local memory";
  }
}
