// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

/** Told how far a replay is. The time it takes is not measured. */
@FunctionalInterface
public interface ReplayProgress {
  /**
   * Shall the replay go on?
   *
   * @param done events that were replayed
   * @param total events to replay
   * @return false to stop
   */
  boolean proceed(long done, long total);
}
