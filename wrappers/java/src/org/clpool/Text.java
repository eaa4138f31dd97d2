// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import java.nio.file.FileSystems;
import java.nio.file.Path;

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

  /** The same for text that ends with a zero in C, and so has none before. */
  static byte[] toBytes(String name, String text) {
    int zero = text == null ? -1 : text.indexOf('\0');
    if (zero >= 0) {
      throw Errors.invalid(
          name + " has the character 0 at index " + zero + ", but text ends there: \"" + text.substring(0, zero) + "\"");
    }
    return toBytes(text);
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

  /** The name of a file that native code opens. */
  static String nameOf(Path file) {
    if (Errors.required("file", file).getFileSystem() != FileSystems.getDefault()) {
      throw Errors.invalid("file is " + file.toUri() + ", but must be one of the default file system");
    }
    return file.toString();
  }
}
