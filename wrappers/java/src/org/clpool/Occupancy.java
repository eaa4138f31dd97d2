// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import java.util.Set;

/** How many work-groups a multiprocessor holds at a time, and what limits them. */
public final class Occupancy {
  /** A limit that does not bind. */
  public static final long UNLIMITED = 0xffffffffL;

  private final long groupsPerMp;
  private final long warpsPerGroup;
  private final long warpsPerMp;
  private final long maxWarpsPerMp;
  private final Set<LimitingFactor> limitingFactors;
  private final long limitWarps;
  private final long limitRegisters;
  private final long limitLocalMemory;
  private final long limitGroups;
  private final long limitBarriers;
  private final long registersPerGroup;
  private final long localPerGroup;
  private final long localPerMp;
  private final double occupancy;

  Occupancy(clpool_occupancy c) {
    groupsPerMp = c.getGroups_per_mp();
    warpsPerGroup = c.getWarps_per_group();
    warpsPerMp = c.getWarps_per_mp();
    maxWarpsPerMp = c.getMax_warps_per_mp();
    limitingFactors = LimitingFactor.of(c.getLimiting_factors());
    limitWarps = c.getLimit_warps();
    limitRegisters = c.getLimit_registers();
    limitLocalMemory = c.getLimit_local_memory();
    limitGroups = c.getLimit_groups();
    limitBarriers = c.getLimit_barriers();
    registersPerGroup = c.getRegisters_per_group();
    localPerGroup = c.getLocal_per_group();
    localPerMp = c.getLocal_per_mp();
    occupancy = c.getOccupancy();
  }

  /**
   * Groups that a multiprocessor holds; 0: the kernel cannot run, and the factors say why.
   *
   * @return the figure
   */
  public long groupsPerMp() {
    return groupsPerMp;
  }

  /**
   * Warps of a group.
   *
   * @return the figure
   */
  public long warpsPerGroup() {
    return warpsPerGroup;
  }

  /**
   * Warps of all these groups.
   *
   * @return the figure
   */
  public long warpsPerMp() {
    return warpsPerMp;
  }

  /**
   * Warps that a multiprocessor can hold.
   *
   * @return the figure
   */
  public long maxWarpsPerMp() {
    return maxWarpsPerMp;
  }

  /**
   * Every limit that {@link #groupsPerMp()} reaches. PyCUDA's models: one of them.
   *
   * @return the value
   */
  public Set<LimitingFactor> limitingFactors() {
    return limitingFactors;
  }

  /**
   * Groups by each limit alone, or {@link #UNLIMITED}.
   *
   * @return the figure
   */
  public long limitWarps() {
    return limitWarps;
  }

  /**
   * Groups by each limit alone, or {@link #UNLIMITED}.
   *
   * @return the figure
   */
  public long limitRegisters() {
    return limitRegisters;
  }

  /**
   * Groups by each limit alone, or {@link #UNLIMITED}.
   *
   * @return the figure
   */
  public long limitLocalMemory() {
    return limitLocalMemory;
  }

  /**
   * Groups by each limit alone, or {@link #UNLIMITED}.
   *
   * @return the figure
   */
  public long limitGroups() {
    return limitGroups;
  }

  /**
   * Groups by each limit alone, or {@link #UNLIMITED}.
   *
   * @return the figure
   */
  public long limitBarriers() {
    return limitBarriers;
  }

  /**
   * Registers of a group, as given out.
   *
   * @return the figure
   */
  public long registersPerGroup() {
    return registersPerGroup;
  }

  /**
   * Bytes of local memory of a group, as given out, with what the system takes.
   *
   * @return the figure
   */
  public long localPerGroup() {
    return localPerGroup;
  }

  /**
   * Bytes of local memory that the multiprocessor is assumed to be set to.
   *
   * @return the figure
   */
  public long localPerMp() {
    return localPerMp;
  }

  /**
   * {@link #warpsPerMp()} / {@link #maxWarpsPerMp()}, 0 to 1.
   *
   * @return the figure
   */
  public double occupancy() {
    return occupancy;
  }

  @Override
  public String toString() {
    return groupsPerMp + " groups, occupancy " + occupancy;
  }
}
