// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import java.nio.charset.StandardCharsets;

/** Text to and from C: UTF-8. */
final class Text {
  /** A C function that writes text: into an array, with the bytes that it needs. */
  interface Source {
    void write(byte[] text, long[] needed);
  }

  private static final int FIRST_CAPACITY = 256;

  private Text() {}

  static byte[] toBytes(String text) {
    return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
  }

  static String fromBytes(byte[] bytes) {
    return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
  }

  /** The whole text of a source, which may grow from call to call. */
  static String from(Source source) {
    long[] needed = {FIRST_CAPACITY};
    byte[] bytes;
    do {
      bytes = new byte[Math.toIntExact(needed[0])];
      source.write(bytes, needed);
    } while (needed[0] > bytes.length);
    return new String(bytes, 0, (int) needed[0] - 1, StandardCharsets.UTF_8);
  }
}
