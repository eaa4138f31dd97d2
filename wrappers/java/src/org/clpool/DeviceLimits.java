// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

/**
 * What a multiprocessor can hold. "mp" is the multiprocessor, "group" the work-group, "warp" what runs in step, "local"
 * the memory that CUDA calls shared. Made by {@link DeviceData#limits()}.
 */
public final class DeviceLimits {
  private final Model model;
  private final DeviceVendor vendor;
  private final long computeMajor;
  private final long computeMinor;
  private final long warpSize;
  private final long maxThreadsPerGroup;
  private final long maxWarpsPerMp;
  private final long maxGroupsPerMp;
  private final long maxLoneWarpGroupsPerMp;
  private final long registersPerMp;
  private final long registersPerGroup;
  private final long maxRegistersPerThread;
  private final long registerUnit;
  private final long registerLanes;
  private final long registerAllocation;
  private final long warpGranularity;
  private final long subPartitions;
  private final long minSubPartitionsCheck;
  private final long barriersPerMp;
  private final long partitionedCache;
  private final long localAccessThreads;
  private final AnswerSource source;
  private final long localPerMp;
  private final long localPerGroup;
  private final long localPerGroupOptIn;
  private final long localUnit;
  private final long localReserved;
  private final long[] localCarveOuts;
  private final String note;

  DeviceLimits(clpool_device_limits c) {
    model = Model.of((int) c.getModel());
    vendor = DeviceVendor.of((int) c.getVendor());
    computeMajor = c.getCompute_major();
    computeMinor = c.getCompute_minor();
    warpSize = c.getWarp_size();
    maxThreadsPerGroup = c.getMax_threads_per_group();
    maxWarpsPerMp = c.getMax_warps_per_mp();
    maxGroupsPerMp = c.getMax_groups_per_mp();
    maxLoneWarpGroupsPerMp = c.getMax_lone_warp_groups_per_mp();
    registersPerMp = c.getRegisters_per_mp();
    registersPerGroup = c.getRegisters_per_group();
    maxRegistersPerThread = c.getMax_registers_per_thread();
    registerUnit = c.getRegister_unit();
    registerLanes = c.getRegister_lanes();
    registerAllocation = c.getRegister_allocation();
    warpGranularity = c.getWarp_granularity();
    subPartitions = c.getSub_partitions();
    minSubPartitionsCheck = c.getMin_sub_partitions_check();
    barriersPerMp = c.getBarriers_per_mp();
    partitionedCache = c.getPartitioned_cache();
    localAccessThreads = c.getLocal_access_threads();
    source = AnswerSource.of((int) c.getSource());
    localPerMp = c.getLocal_per_mp();
    localPerGroup = c.getLocal_per_group();
    localPerGroupOptIn = c.getLocal_per_group_opt_in();
    localUnit = c.getLocal_unit();
    localReserved = c.getLocal_reserved();
    localCarveOuts = java.util.Arrays.copyOf(c.getLocal_carve_outs(), (int) c.getLocal_carve_out_count());
    note = c.getNote();
  }

  /**
   * Whose rules answer.
   *
   * @return the value
   */
  public Model model() {
    return model;
  }

  /**
   * Who made the device.
   *
   * @return the value
   */
  public DeviceVendor vendor() {
    return vendor;
  }

  /**
   * NVIDIA: compute capability; AMD: number of the target; else 0.
   *
   * @return the figure
   */
  public long computeMajor() {
    return computeMajor;
  }

  /**
   * Second number of the same.
   *
   * @return the figure
   */
  public long computeMinor() {
    return computeMinor;
  }

  /**
   * Threads, &gt; 0.
   *
   * @return the figure
   */
  public long warpSize() {
    return warpSize;
  }

  /**
   * Threads, &gt; 0.
   *
   * @return the figure
   */
  public long maxThreadsPerGroup() {
    return maxThreadsPerGroup;
  }

  /**
   * Warps, &gt; 0.
   *
   * @return the figure
   */
  public long maxWarpsPerMp() {
    return maxWarpsPerMp;
  }

  /**
   * Groups, &gt; 0.
   *
   * @return the figure
   */
  public long maxGroupsPerMp() {
    return maxGroupsPerMp;
  }

  /**
   * Groups of a single warp; 0: as max_groups_per_mp.
   *
   * @return the figure
   */
  public long maxLoneWarpGroupsPerMp() {
    return maxLoneWarpGroupsPerMp;
  }

  /**
   * Registers.
   *
   * @return the figure
   */
  public long registersPerMp() {
    return registersPerMp;
  }

  /**
   * Registers that one group may have; 0: as registers_per_mp.
   *
   * @return the figure
   */
  public long registersPerGroup() {
    return registersPerGroup;
  }

  /**
   * Registers; 0: no limit of its own.
   *
   * @return the figure
   */
  public long maxRegistersPerThread() {
    return maxRegistersPerThread;
  }

  /**
   * Registers are given out in multiples of this, &gt; 0.
   *
   * @return the figure
   */
  public long registerUnit() {
    return registerUnit;
  }

  /**
   * A warp takes this many times the registers of a thread; 0: warp_size.
   *
   * @return the figure
   */
  public long registerLanes() {
    return registerLanes;
  }

  /**
   * What registers are given to: 0 warps, 1 groups.
   *
   * @return the figure
   */
  public long registerAllocation() {
    return registerAllocation;
  }

  /**
   * Warps: the check of a group's registers rounds up to a multiple of this, &gt; 0.
   *
   * @return the figure
   */
  public long warpGranularity() {
    return warpGranularity;
  }

  /**
   * Parts of the register file, &gt; 0: a warp's registers are in one of them.
   *
   * @return the figure
   */
  public long subPartitions() {
    return subPartitions;
  }

  /**
   * A group must also fit with so many parts (NVIDIA 6.0); 0: none.
   *
   * @return the figure
   */
  public long minSubPartitionsCheck() {
    return minSubPartitionsCheck;
  }

  /**
   * Named barriers; 0: no limit.
   *
   * @return the figure
   */
  public long barriersPerMp() {
    return barriersPerMp;
  }

  /**
   * 1: has NVIDIA's partitioned global caching.
   *
   * @return the figure
   */
  public long partitionedCache() {
    return partitionedCache;
  }

  /**
   * Threads that take part in one access to local memory.
   *
   * @return the figure
   */
  public long localAccessThreads() {
    return localAccessThreads;
  }

  /**
   * How good the figures are.
   *
   * @return the value
   */
  public AnswerSource source() {
    return source;
  }

  /**
   * Bytes.
   *
   * @return the figure
   */
  public long localPerMp() {
    return localPerMp;
  }

  /**
   * Bytes that one group may have without opting in.
   *
   * @return the figure
   */
  public long localPerGroup() {
    return localPerGroup;
  }

  /**
   * Bytes with opting in; 0: as local_per_group.
   *
   * @return the figure
   */
  public long localPerGroupOptIn() {
    return localPerGroupOptIn;
  }

  /**
   * Bytes: local memory is given out in multiples of this, &gt; 0.
   *
   * @return the figure
   */
  public long localUnit() {
    return localUnit;
  }

  /**
   * Bytes that the system takes for each group.
   *
   * @return the figure
   */
  public long localReserved() {
    return localReserved;
  }

  /**
   * Bytes of local memory that a multiprocessor can be set to, ascending.
   *
   * @return the value
   */
  public long[] localCarveOuts() {
    return localCarveOuts.clone();
  }

  /**
   * What to beware of, static; never NULL. Ignored as input.
   *
   * @return the text
   */
  public String note() {
    return note;
  }

  @Override
  public String toString() {
    String capability = computeMajor == 0 ? "" : computeMajor + "." + computeMinor + ", ";
    return capability + maxWarpsPerMp + " warps of " + warpSize + ", " + registersPerMp + " registers, " + localPerMp
        + " bytes of local memory";
  }
}
