// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

/** What one must know of a device to use its memory well. Every answer has its source. */
public final class Characterization {
  private interface Question {
    void ask(clpool_answer answer);
  }

  private static final int UNKNOWN = -1; // arguments of a kernel

  private final long device;
  private final long platform;
  private final int model;

  Characterization(Device device, Model model) {
    this.device = device.handle();
    this.platform = device.platform();
    this.model = Errors.required("model", model).number();
  }

  private static Answer ask(Question question) {
    try (clpool_answer answer = new clpool_answer()) {
      question.ask(answer);
      return new Answer(answer);
    }
  }

  /**
   * Build options for fast and inaccurate arithmetic.
   *
   * @return the options, separated by blanks
   */
  public String fastBuildOptions() {
    return Text.from(
        (bytes, needed) -> Native.clpool_characterize_fast_build_options(device, model, bytes, needed));
  }

  /**
   * Whether kernels can use double by AMD's old extension.
   *
   * @return yes or no
   */
  public Answer amdDoubleSupport() {
    return ask(answer -> Native.clpool_characterize_amd_double_support(device, answer));
  }

  /**
   * Whether kernels can use double.
   *
   * @return yes or no
   */
  public Answer doubleSupport() {
    return ask(answer -> Native.clpool_characterize_double_support(device, model, answer));
  }

  /**
   * Bytes that one bank of local memory gives at a time.
   *
   * @return bytes; not applicable where local memory is ordinary cached memory
   */
  public Answer localAccessGranularity() {
    return ask(answer -> Native.clpool_characterize_local_access_granularity(device, model, answer));
  }

  /**
   * Work items whose accesses to local memory are served together.
   *
   * @return the number; not applicable where local memory is ordinary cached memory
   */
  public Answer localAccessWorkItems() {
    return ask(answer -> Native.clpool_characterize_local_access_work_items(device, model, answer));
  }

  /**
   * Banks of local memory.
   *
   * @return the number; not applicable where local memory is ordinary cached memory
   */
  public Answer localBankCount() {
    return ask(answer -> Native.clpool_characterize_local_bank_count(device, model, answer));
  }

  /**
   * Work items that run in step by default: a warp, wavefront, sub-group.
   *
   * @return the number
   */
  public Answer simdGroupSize() {
    return ask(answer -> Native.clpool_characterize_simd_group_size(device, model, answer));
  }

  /**
   * All SIMD widths that the compiler may choose for a kernel.
   *
   * @return the widths, ascending
   */
  public long[] simdGroupSizes() {
    long[] count = new long[1];
    try (clpool_answer answer = new clpool_answer()) {
      Native.clpool_characterize_simd_group_sizes(device, null, count, answer);
      long[] sizes = new long[(int) count[0]];
      Native.clpool_characterize_simd_group_sizes(device, sizes, count, answer);
      return sizes;
    }
  }

  /**
   * SIMD width that the compiler chose for a kernel.
   *
   * @param clKernel a cl_kernel built for the device
   * @return the width in work items
   */
  public Answer simdGroupSizeOfKernel(long clKernel) {
    return ask(answer -> Native.clpool_characterize_simd_group_size_of_kernel(device, clKernel, answer));
  }

  /**
   * Whether the driver keeps programs that were built from source.
   *
   * @return yes, no or unknown
   */
  public Answer sourceBuildCache() {
    return ask(answer -> Native.clpool_characterize_source_build_cache(device, answer));
  }

  /**
   * Most sub-groups that a work-group can have.
   *
   * @return the number; 0: the device has none
   */
  public Answer subGroups() {
    return ask(answer -> Native.clpool_characterize_sub_groups(device, answer));
  }

  /**
   * What work-group sizes should be a multiple of; if a kernel is needed for it, in a context made for it.
   *
   * @return the number
   */
  public Answer workGroupSizeMultiple() {
    return workGroupSizeMultiple(null);
  }

  /**
   * What work-group sizes should be a multiple of.
   *
   * @param contextOrNull where a kernel is built if need be; null: in a context made for it
   * @return the number
   */
  public Answer workGroupSizeMultiple(Context contextOrNull) {
    try (Uses uses = new Uses()) {
      long context = uses.ofOptional(contextOrNull);
      return ask(answer -> Native.clpool_characterize_work_group_size_multiple(device, context, model, answer));
    }
  }

  /**
   * Whether the driver counts the members of a struct argument as arguments; if a kernel is needed for it, in a context made for it.
   *
   * @return 0 no, 1 as Apple's does, 2 as PoCL's did
   */
  public Answer structArgumentBug() {
    return structArgumentBug(null);
  }

  /**
   * Whether the driver counts the members of a struct argument as arguments.
   *
   * @param contextOrNull where a kernel is built if need be; null: in a context made for it
   * @return 0 no, 1 as Apple's does, 2 as PoCL's did
   */
  public Answer structArgumentBug(Context contextOrNull) {
    try (Uses uses = new Uses()) {
      long context = uses.ofOptional(contextOrNull);
      return ask(answer -> Native.clpool_characterize_struct_argument_bug(device, context, answer));
    }
  }

  /**
   * NVIDIA's compute capability.
   *
   * @return major * 100 + minor; not applicable for devices that have none
   */
  public Answer computeCapability() {
    return ask(answer -> Native.clpool_characterize_compute_capability(device, number(), number(), answer));
  }

  /**
   * Version of PoCL.
   *
   * @return major * 100 + minor; not applicable for other platforms
   */
  public Answer poclVersion() {
    return ask(answer -> Native.clpool_characterize_pocl_version(platform, number(), number(), answer));
  }

  // A number that the answer has as well.
  private static long[] number() {
    return new long[1];
  }

  /**
   * Whether the device has a kind of shared virtual memory.
   *
   * @param kind the kind
   * @return yes or no
   */
  public Answer svm(SvmKind kind) {
    return ask(answer -> Native.clpool_characterize_svm(device, Errors.required("kind", kind).number(), model, answer));
  }

  /**
   * Bytes of local memory that a work-group can use, whatever arguments the kernel has.
   *
   * @return bytes
   */
  public Answer usableLocalMemory() {
    return usableLocalMemory(UNKNOWN);
  }

  /**
   * Bytes of local memory that a work-group can use.
   *
   * @param argumentCount arguments of the kernel; -1: unknown
   * @return bytes
   */
  public Answer usableLocalMemory(int argumentCount) {
    return ask(answer -> Native.clpool_characterize_usable_local_memory(device, argumentCount, answer));
  }

  /**
   * Bytes of local memory that a kernel leaves for its dynamic local arguments.
   *
   * @param clKernel a cl_kernel built for the device
   * @return bytes
   */
  public Answer usableLocalMemoryOfKernel(long clKernel) {
    return ask(answer -> Native.clpool_characterize_usable_local_memory_of_kernel(device, clKernel, answer));
  }

  /**
   * Worst bank conflict of accesses to an array in local memory that is laid out as it is accessed.
   *
   * @param itemSize bytes of an item
   * @param shape extents, fastest axis last
   * @return the multiplicity, 1 for none, and why
   */
  public BankConflicts localAccessConflicts(long itemSize, long[] shape) {
    return localAccessConflicts(itemSize, shape, null);
  }

  /**
   * Worst bank conflict of accesses to an array in local memory.
   *
   * @param itemSize bytes of an item
   * @param shape extents that are accessed, fastest axis last
   * @param storedShapeOrNull extents that are laid out; null: as shape
   * @return the multiplicity, 1 for none, and why
   */
  public BankConflicts localAccessConflicts(long itemSize, long[] shape, long[] storedShapeOrNull) {
    Sizes.check("itemSize", itemSize);
    Sizes.check("shape", shape);
    Answer[] answer = new Answer[1];
    String text =
        Text.from(
            (bytes, needed) ->
                answer[0] =
                    ask(
                        a ->
                            Native.clpool_characterize_local_access_conflicts(
                                device, model, itemSize, shape, storedShapeOrNull, a, bytes, needed)));
    return new BankConflicts(answer[0].value(), text);
  }

  /**
   * Measures transfers and launches in about a second; the device should be idle.
   *
   * @param context where to measure
   * @return the figures
   */
  public Performance performance(Context context) {
    return performance(context, 0, 0, 0, 0);
  }

  /**
   * Measures transfers and launches; 0 means the default for each number.
   *
   * @param context where to measure
   * @param repetitions measurements of which the median is taken
   * @param warmUps measurements that are thrown away before
   * @param transferBytes bytes of the transfers whose bandwidth is measured
   * @param leastNanos nanoseconds that one measurement is to take at least
   * @return the figures
   */
  public Performance performance(
      Context context, int repetitions, int warmUps, long transferBytes, long leastNanos) {
    try (clpool_performance_options options = new clpool_performance_options();
        clpool_performance figures = new clpool_performance()) {
      options.setRepetitions(Sizes.check("repetitions", repetitions));
      options.setWarm_ups(Sizes.check("warmUps", warmUps));
      options.setTransfer_bytes(Sizes.check("transferBytes", transferBytes));
      options.setLeast_ns(Sizes.check("leastNanos", leastNanos));
      Errors.required("context", context).with(c -> Native.clpool_characterize_performance(c, device, options, figures));
      return new Performance(figures);
    }
  }

  @Override
  public String toString() {
    return "Characterization[" + Device.of(device) + "]";
  }
}
