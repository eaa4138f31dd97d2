// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

/** A kernel, as the occupancy model sees it. Immutable: each method gives a changed copy. */
public final class OccupancyRequest extends OccupancyRequestFields<OccupancyRequest> {
  private int flags;

  private OccupancyRequest() {}

  /**
   * A kernel that uses nothing else.
   *
   * @param threads threads (work items) per group, 1 to the device's limit
   * @return the request
   */
  public static OccupancyRequest ofThreads(long threads) {
    return new OccupancyRequest().threads(threads);
  }

  /**
   * A group gets no more than the default local memory, as without CUDA's opt-in.
   *
   * @return the changed copy
   */
  public OccupancyRequest withoutOptIn() {
    return with(Constants.CLPOOL_OCCUPANCY_NO_OPT_IN);
  }

  /**
   * Global loads are cached by halves of the multiprocessor, where it can.
   *
   * @return the changed copy
   */
  public OccupancyRequest withPartitionedCache() {
    return with(Constants.CLPOOL_OCCUPANCY_PARTITIONED_CACHE);
  }

  private OccupancyRequest with(int flag) {
    OccupancyRequest copy = target();
    copy.flags |= flag;
    return copy;
  }

  @Override
  OccupancyRequest target() {
    OccupancyRequest copy = new OccupancyRequest();
    copy.assign(this);
    copy.flags = flags;
    return copy;
  }

  clpool_occupancy_request toC() {
    clpool_occupancy_request c = new clpool_occupancy_request();
    fill(c);
    c.setFlags(flags);
    return c;
  }

  @Override
  public String toString() {
    return "OccupancyRequest[" + fields() + ", flags=" + flags + "]";
  }
}
