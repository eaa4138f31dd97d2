// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

/** Properties of memory in the driver's bytes: which C function knows which name. */
final class MemoryInfo {
  private static final int FIRST_IMAGE_INFO = 0x1110;
  private static final int FIRST_PIPE_INFO = 0x1120;
  private static final int FIRST_OTHER_INFO = 0x1130;

  private MemoryInfo() {}

  static byte[] of(Memory memory, int name) {
    long[] needed = new long[1];
    byte[][] answer = new byte[1][];
    memory.with(
        m -> {
          ask(m, name, null, needed);
          answer[0] = new byte[Math.toIntExact(needed[0])];
          ask(m, name, answer[0], needed);
          return m;
        });
    return answer[0];
  }

  private static void ask(long memory, int name, byte[] answer, long[] needed) {
    if (name >= FIRST_IMAGE_INFO && name < FIRST_PIPE_INFO) {
      Native.clpool_image_info(memory, name, answer, needed);
    } else if (name >= FIRST_PIPE_INFO && name < FIRST_OTHER_INFO) {
      Native.clpool_pipe_info(memory, name, answer, needed);
    } else {
      Native.clpool_mem_info(memory, name, answer, needed);
    }
  }
}
