// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

/**
 * Receives messages. Called without any lock held, from the thread in which the message arose, possibly from several
 * at once; it may use the library.
 */
@FunctionalInterface
public interface MessageListener {
  /**
   * Receives one message.
   *
   * @param severity how much it matters
   * @param text one line
   */
  void message(Severity severity, String text);
}
