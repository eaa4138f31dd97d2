// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import java.util.HashMap;
import java.util.Map;

/** Limits of a multiprocessor given as numbers. Units begin as 1, all else as 0. */
public final class DeviceLimitsBuilder {
  private static final int MAX_CARVE_OUTS = 10;

  private final Map<String, Long> figures = new HashMap<>();
  private Model model = Model.CURRENT;
  private DeviceVendor vendor = DeviceVendor.GENERIC;
  private long[] localCarveOuts = {};

  /** All defaults. */
  public DeviceLimitsBuilder() {}

  /**
   * Whose rules answer.
   *
   * @param value the value
   * @return this
   */
  public DeviceLimitsBuilder model(Model value) {
    model = value;
    return this;
  }

  /**
   * Who made the device.
   *
   * @param value the value
   * @return this
   */
  public DeviceLimitsBuilder vendor(DeviceVendor value) {
    vendor = value;
    return this;
  }

  /**
   * NVIDIA: compute capability; AMD: number of the target; else 0.
   *
   * @param value the value
   * @return this
   */
  public DeviceLimitsBuilder computeMajor(long value) {
    figures.put("computeMajor", Sizes.check("computeMajor", value));
    return this;
  }

  /**
   * Second number of the same.
   *
   * @param value the value
   * @return this
   */
  public DeviceLimitsBuilder computeMinor(long value) {
    figures.put("computeMinor", Sizes.check("computeMinor", value));
    return this;
  }

  /**
   * Threads, &gt; 0.
   *
   * @param value the value
   * @return this
   */
  public DeviceLimitsBuilder warpSize(long value) {
    figures.put("warpSize", Sizes.check("warpSize", value));
    return this;
  }

  /**
   * Threads, &gt; 0.
   *
   * @param value the value
   * @return this
   */
  public DeviceLimitsBuilder maxThreadsPerGroup(long value) {
    figures.put("maxThreadsPerGroup", Sizes.check("maxThreadsPerGroup", value));
    return this;
  }

  /**
   * Warps, &gt; 0.
   *
   * @param value the value
   * @return this
   */
  public DeviceLimitsBuilder maxWarpsPerMp(long value) {
    figures.put("maxWarpsPerMp", Sizes.check("maxWarpsPerMp", value));
    return this;
  }

  /**
   * Groups, &gt; 0.
   *
   * @param value the value
   * @return this
   */
  public DeviceLimitsBuilder maxGroupsPerMp(long value) {
    figures.put("maxGroupsPerMp", Sizes.check("maxGroupsPerMp", value));
    return this;
  }

  /**
   * Groups of a single warp; 0: as max_groups_per_mp.
   *
   * @param value the value
   * @return this
   */
  public DeviceLimitsBuilder maxLoneWarpGroupsPerMp(long value) {
    figures.put("maxLoneWarpGroupsPerMp", Sizes.check("maxLoneWarpGroupsPerMp", value));
    return this;
  }

  /**
   * Registers.
   *
   * @param value the value
   * @return this
   */
  public DeviceLimitsBuilder registersPerMp(long value) {
    figures.put("registersPerMp", Sizes.check("registersPerMp", value));
    return this;
  }

  /**
   * Registers that one group may have; 0: as registers_per_mp.
   *
   * @param value the value
   * @return this
   */
  public DeviceLimitsBuilder registersPerGroup(long value) {
    figures.put("registersPerGroup", Sizes.check("registersPerGroup", value));
    return this;
  }

  /**
   * Registers; 0: no limit of its own.
   *
   * @param value the value
   * @return this
   */
  public DeviceLimitsBuilder maxRegistersPerThread(long value) {
    figures.put("maxRegistersPerThread", Sizes.check("maxRegistersPerThread", value));
    return this;
  }

  /**
   * Registers are given out in multiples of this, &gt; 0.
   *
   * @param value the value
   * @return this
   */
  public DeviceLimitsBuilder registerUnit(long value) {
    figures.put("registerUnit", Sizes.check("registerUnit", value));
    return this;
  }

  /**
   * A warp takes this many times the registers of a thread; 0: warp_size.
   *
   * @param value the value
   * @return this
   */
  public DeviceLimitsBuilder registerLanes(long value) {
    figures.put("registerLanes", Sizes.check("registerLanes", value));
    return this;
  }

  /**
   * What registers are given to: 0 warps, 1 groups.
   *
   * @param value the value
   * @return this
   */
  public DeviceLimitsBuilder registerAllocation(long value) {
    figures.put("registerAllocation", Sizes.check("registerAllocation", value));
    return this;
  }

  /**
   * Warps: the check of a group's registers rounds up to a multiple of this, &gt; 0.
   *
   * @param value the value
   * @return this
   */
  public DeviceLimitsBuilder warpGranularity(long value) {
    figures.put("warpGranularity", Sizes.check("warpGranularity", value));
    return this;
  }

  /**
   * Parts of the register file, &gt; 0: a warp's registers are in one of them.
   *
   * @param value the value
   * @return this
   */
  public DeviceLimitsBuilder subPartitions(long value) {
    figures.put("subPartitions", Sizes.check("subPartitions", value));
    return this;
  }

  /**
   * A group must also fit with so many parts (NVIDIA 6.0); 0: none.
   *
   * @param value the value
   * @return this
   */
  public DeviceLimitsBuilder minSubPartitionsCheck(long value) {
    figures.put("minSubPartitionsCheck", Sizes.check("minSubPartitionsCheck", value));
    return this;
  }

  /**
   * Named barriers; 0: no limit.
   *
   * @param value the value
   * @return this
   */
  public DeviceLimitsBuilder barriersPerMp(long value) {
    figures.put("barriersPerMp", Sizes.check("barriersPerMp", value));
    return this;
  }

  /**
   * 1: has NVIDIA's partitioned global caching.
   *
   * @param value the value
   * @return this
   */
  public DeviceLimitsBuilder partitionedCache(long value) {
    figures.put("partitionedCache", Sizes.check("partitionedCache", value));
    return this;
  }

  /**
   * Threads that take part in one access to local memory.
   *
   * @param value the value
   * @return this
   */
  public DeviceLimitsBuilder localAccessThreads(long value) {
    figures.put("localAccessThreads", Sizes.check("localAccessThreads", value));
    return this;
  }

  /**
   * Bytes.
   *
   * @param value the value
   * @return this
   */
  public DeviceLimitsBuilder localPerMp(long value) {
    figures.put("localPerMp", Sizes.check("localPerMp", value));
    return this;
  }

  /**
   * Bytes that one group may have without opting in.
   *
   * @param value the value
   * @return this
   */
  public DeviceLimitsBuilder localPerGroup(long value) {
    figures.put("localPerGroup", Sizes.check("localPerGroup", value));
    return this;
  }

  /**
   * Bytes with opting in; 0: as local_per_group.
   *
   * @param value the value
   * @return this
   */
  public DeviceLimitsBuilder localPerGroupOptIn(long value) {
    figures.put("localPerGroupOptIn", Sizes.check("localPerGroupOptIn", value));
    return this;
  }

  /**
   * Bytes: local memory is given out in multiples of this, &gt; 0.
   *
   * @param value the value
   * @return this
   */
  public DeviceLimitsBuilder localUnit(long value) {
    figures.put("localUnit", Sizes.check("localUnit", value));
    return this;
  }

  /**
   * Bytes that the system takes for each group.
   *
   * @param value the value
   * @return this
   */
  public DeviceLimitsBuilder localReserved(long value) {
    figures.put("localReserved", Sizes.check("localReserved", value));
    return this;
  }

  /**
   * Bytes of local memory that a multiprocessor can be set to, ascending.
   *
   * @param value the value
   * @return this
   */
  public DeviceLimitsBuilder localCarveOuts(long... value) {
    if (value.length > MAX_CARVE_OUTS) {
      throw Errors.invalid(value.length + " carve-outs are more than " + MAX_CARVE_OUTS);
    }
    localCarveOuts = Sizes.check("localCarveOuts", value).clone();
    return this;
  }

  /**
   * Begins with the limits of other device data.
   *
   * @param limits the limits
   * @return this
   */
  public DeviceLimitsBuilder like(DeviceLimits limits) {
    model = limits.model();
    vendor = limits.vendor();
    localCarveOuts = limits.localCarveOuts();
    figures.put("computeMajor", limits.computeMajor());
    figures.put("computeMinor", limits.computeMinor());
    figures.put("warpSize", limits.warpSize());
    figures.put("maxThreadsPerGroup", limits.maxThreadsPerGroup());
    figures.put("maxWarpsPerMp", limits.maxWarpsPerMp());
    figures.put("maxGroupsPerMp", limits.maxGroupsPerMp());
    figures.put("maxLoneWarpGroupsPerMp", limits.maxLoneWarpGroupsPerMp());
    figures.put("registersPerMp", limits.registersPerMp());
    figures.put("registersPerGroup", limits.registersPerGroup());
    figures.put("maxRegistersPerThread", limits.maxRegistersPerThread());
    figures.put("registerUnit", limits.registerUnit());
    figures.put("registerLanes", limits.registerLanes());
    figures.put("registerAllocation", limits.registerAllocation());
    figures.put("warpGranularity", limits.warpGranularity());
    figures.put("subPartitions", limits.subPartitions());
    figures.put("minSubPartitionsCheck", limits.minSubPartitionsCheck());
    figures.put("barriersPerMp", limits.barriersPerMp());
    figures.put("partitionedCache", limits.partitionedCache());
    figures.put("localAccessThreads", limits.localAccessThreads());
    figures.put("localPerMp", limits.localPerMp());
    figures.put("localPerGroup", limits.localPerGroup());
    figures.put("localPerGroupOptIn", limits.localPerGroupOptIn());
    figures.put("localUnit", limits.localUnit());
    figures.put("localReserved", limits.localReserved());
    return this;
  }

  /** Fills a new struct, which begins with the defaults. */
  clpool_device_limits toC() {
    clpool_device_limits c = new clpool_device_limits();
    c.setModel(model.number());
    c.setVendor(vendor.number());
    c.setCompute_major(figures.getOrDefault("computeMajor", c.getCompute_major()));
    c.setCompute_minor(figures.getOrDefault("computeMinor", c.getCompute_minor()));
    c.setWarp_size(figures.getOrDefault("warpSize", c.getWarp_size()));
    c.setMax_threads_per_group(figures.getOrDefault("maxThreadsPerGroup", c.getMax_threads_per_group()));
    c.setMax_warps_per_mp(figures.getOrDefault("maxWarpsPerMp", c.getMax_warps_per_mp()));
    c.setMax_groups_per_mp(figures.getOrDefault("maxGroupsPerMp", c.getMax_groups_per_mp()));
    c.setMax_lone_warp_groups_per_mp(
        figures.getOrDefault("maxLoneWarpGroupsPerMp", c.getMax_lone_warp_groups_per_mp()));
    c.setRegisters_per_mp(figures.getOrDefault("registersPerMp", c.getRegisters_per_mp()));
    c.setRegisters_per_group(figures.getOrDefault("registersPerGroup", c.getRegisters_per_group()));
    c.setMax_registers_per_thread(figures.getOrDefault("maxRegistersPerThread", c.getMax_registers_per_thread()));
    c.setRegister_unit(figures.getOrDefault("registerUnit", c.getRegister_unit()));
    c.setRegister_lanes(figures.getOrDefault("registerLanes", c.getRegister_lanes()));
    c.setRegister_allocation(figures.getOrDefault("registerAllocation", c.getRegister_allocation()));
    c.setWarp_granularity(figures.getOrDefault("warpGranularity", c.getWarp_granularity()));
    c.setSub_partitions(figures.getOrDefault("subPartitions", c.getSub_partitions()));
    c.setMin_sub_partitions_check(figures.getOrDefault("minSubPartitionsCheck", c.getMin_sub_partitions_check()));
    c.setBarriers_per_mp(figures.getOrDefault("barriersPerMp", c.getBarriers_per_mp()));
    c.setPartitioned_cache(figures.getOrDefault("partitionedCache", c.getPartitioned_cache()));
    c.setLocal_access_threads(figures.getOrDefault("localAccessThreads", c.getLocal_access_threads()));
    c.setLocal_per_mp(figures.getOrDefault("localPerMp", c.getLocal_per_mp()));
    c.setLocal_per_group(figures.getOrDefault("localPerGroup", c.getLocal_per_group()));
    c.setLocal_per_group_opt_in(figures.getOrDefault("localPerGroupOptIn", c.getLocal_per_group_opt_in()));
    c.setLocal_unit(figures.getOrDefault("localUnit", c.getLocal_unit()));
    c.setLocal_reserved(figures.getOrDefault("localReserved", c.getLocal_reserved()));
    c.setLocal_carve_out_count(localCarveOuts.length);
    c.setLocal_carve_outs(java.util.Arrays.copyOf(localCarveOuts, MAX_CARVE_OUTS));
    return c;
  }

  /**
   * Device data with these limits.
   *
   * @return the device data
   * @throws IllegalArgumentException naming the figure that cannot be
   */
  public DeviceData build() {
    try (clpool_device_limits c = toC()) {
      return new DeviceData(Native.clpool_device_data_create_from_limits(c));
    }
  }
}
