// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import java.lang.ref.Reference;
import java.util.function.LongUnaryOperator;

/**
 * Something native that calls use and that is given back one day. Who closes it while it is in use only ends its use by
 * others: it goes back when the last call that uses it has ended, on whatever thread, a callback's included. {@link Uses}
 * begins and ends the uses of a call.
 */
abstract class Usable {
  /** Begins a use, which {@link #end} ends on the same thread; false if it is closed. */
  abstract boolean tryBegin();

  /** Ends a use, and gives the native object back if it was closed meanwhile and this was the last one. */
  abstract void end();

  /** The native object, for as long as a use of it lasts. */
  abstract long value();

  /** What it is called in messages. */
  abstract String what();

  /** Begins a use. */
  final long begin() {
    if (!tryBegin()) {
      throw Errors.closed(what());
    }
    return value();
  }

  /** What a native call makes of the native object. */
  final long with(LongUnaryOperator call) {
    long value = begin();
    try {
      return call.applyAsLong(value);
    } finally {
      end();
      Reference.reachabilityFence(this);
    }
  }

  /** What it tells of itself between the brackets of its text; called during a use. */
  String details() {
    return "0x" + Long.toHexString(value());
  }

  /** Its class, and what it tells of itself, or that it is closed. */
  final String describe() {
    String text = "closed";
    if (tryBegin()) {
      try {
        text = details();
      } catch (IllegalStateException closedMeanwhile) {
        // it is what the text says
      } finally {
        end();
      }
    }
    return getClass().getSimpleName() + "[" + text + "]";
  }
}
