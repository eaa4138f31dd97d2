// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import java.util.Arrays;

/**
 * A box of bytes and where it lies in source and target. Index 0 counts bytes, 1 rows, 2 slices; missing entries of the
 * region are 1, of origins 0. Immutable: each method gives a changed copy.
 */
public final class Box {
  private static final long[] ZERO = {0, 0, 0};

  private final long[] region;
  private final long[] sourceOrigin;
  private final long[] targetOrigin;
  private final long[] pitches; // source row, source slice, target row, target slice

  private Box(long[] region, long[] sourceOrigin, long[] targetOrigin, long[] pitches) {
    this.region = region;
    this.sourceOrigin = sourceOrigin;
    this.targetOrigin = targetOrigin;
    this.pitches = pitches;
  }

  /**
   * A box at the beginning of both sides, without gaps between its rows.
   *
   * @param region bytes, rows, slices
   * @return the box
   */
  public static Box of(long... region) {
    return new Box(Sizes.three("region", region, 1), ZERO, ZERO, new long[4]);
  }

  /**
   * Where it begins in the source.
   *
   * @param origin bytes, rows, slices
   * @return the changed copy
   */
  public Box from(long... origin) {
    return new Box(region, Sizes.three("source origin", origin, 0), targetOrigin, pitches);
  }

  /**
   * Where it begins in the target.
   *
   * @param origin bytes, rows, slices
   * @return the changed copy
   */
  public Box to(long... origin) {
    return new Box(region, sourceOrigin, Sizes.three("target origin", origin, 0), pitches);
  }

  /**
   * How the source is laid out.
   *
   * @param rowPitch bytes from row to row; 0: as many as a row of the region
   * @param slicePitch bytes from slice to slice; 0: rows x row pitch
   * @return the changed copy
   */
  public Box sourcePitches(long rowPitch, long slicePitch) {
    long[] changed = {
      Sizes.check("rowPitch", rowPitch), Sizes.check("slicePitch", slicePitch), pitches[2], pitches[3]
    };
    return new Box(region, sourceOrigin, targetOrigin, changed);
  }

  /**
   * How the target is laid out.
   *
   * @param rowPitch bytes from row to row; 0: as many as a row of the region
   * @param slicePitch bytes from slice to slice; 0: rows x row pitch
   * @return the changed copy
   */
  public Box targetPitches(long rowPitch, long slicePitch) {
    long[] changed = {
      pitches[0], pitches[1], Sizes.check("rowPitch", rowPitch), Sizes.check("slicePitch", slicePitch)
    };
    return new Box(region, sourceOrigin, targetOrigin, changed);
  }

  clpool_box toC() {
    clpool_box box = new clpool_box();
    box.setDimensions(3);
    box.setRegion(region);
    box.setSource_origin(sourceOrigin);
    box.setTarget_origin(targetOrigin);
    box.setSource_row_pitch(pitches[0]);
    box.setSource_slice_pitch(pitches[1]);
    box.setTarget_row_pitch(pitches[2]);
    box.setTarget_slice_pitch(pitches[3]);
    return box;
  }

  @Override
  public String toString() {
    return "Box[" + Arrays.toString(region) + " from " + Arrays.toString(sourceOrigin) + " to " + Arrays.toString(targetOrigin)
        + ", pitches " + Arrays.toString(pitches) + "]";
  }
}
