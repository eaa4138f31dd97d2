// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

/** A program whose driver refuses each first unmapping: what was written may not arrive, and close() says so. */
public final class ClosesMapsThatAreNotUnmapped {
  private ClosesMapsThatAreNotUnmapped() {}

  /** @param arguments none */
  public static void main(String[] arguments) {
    try (Session session = Clpool.createDefault();
        Memory memory = Memory.buffer(session.context(), 64)) {
      MappedMemory map = session.queue().map(memory, Cl.MAP_WRITE);
      map.byteBuffer().put((byte) 1);
      try {
        map.close();
        System.out.println("close() said nothing");
      } catch (ClpoolException e) {
        System.out.println("close() said " + e.clError());
      }
      map.close();
      try {
        map.size();
      } catch (IllegalStateException e) {
        System.out.println("and it is closed");
      }
    }
  }
}
