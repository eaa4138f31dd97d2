// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import java.util.Arrays;

/** What one call uses: none of it goes back before the call has ended, whoever closes it meanwhile. Of one thread. */
final class Uses implements AutoCloseable {
  private static final int USUAL = 4;

  private Usable[] begun = new Usable[USUAL];
  private int count;

  /** Begins the use of an argument, and gives its native object. */
  long of(String name, Usable object) {
    long value = Errors.required(name, object).begin();
    if (count == begun.length) {
      begun = Arrays.copyOf(begun, 2 * count);
    }
    begun[count++] = object;
    return value;
  }

  /** The same for one that may be missing: its native object is 0. */
  long ofOptional(Usable object) {
    return object == null ? 0 : of("", object);
  }

  /** The same for several. */
  long[] all(String name, Usable[] objects) {
    long[] values = new long[Errors.required(name, objects).length];
    for (int i = 0; i < values.length; ++i) {
      if (objects[i] == null) {
        throw Errors.missing(name + "[" + i + "]");
      }
      values[i] = of(name, objects[i]);
    }
    return values;
  }

  /** The events that a command waits for; null for none, as C has it. */
  long[] of(Event[] after) {
    return of("after", after);
  }

  /** The same, called so in messages. */
  long[] of(String name, Event[] events) {
    return events == null || events.length == 0 ? null : all(name, events);
  }

  /** The queue among what is used; null: none. */
  CommandQueue queue() {
    for (int i = 0; i < count; ++i) {
      if (begun[i] instanceof CommandQueue) {
        return (CommandQueue) begun[i];
      }
    }
    return null;
  }

  /** That one of the events among what is used; null: none, unless there was nothing to do. */
  Event find(long event) {
    for (int i = 0; i < count; ++i) {
      if (begun[i] instanceof Event && ((Event) begun[i]).handle.value == event) {
        return (Event) begun[i];
      }
    }
    return null;
  }

  /** Ends all of them, whichever fails; the first failure is thrown then. */
  @Override
  public void close() {
    RuntimeException failure = null;
    Error error = null;
    while (count > 0) {
      Usable ended = begun[count - 1];
      --count;
      try {
        ended.end();
      } catch (RuntimeException e) {
        failure = failure == null ? e : failure;
      } catch (Error e) {
        error = error == null ? e : error;
      }
    }
    if (error != null) {
      throw error;
    }
    if (failure != null) {
      throw failure;
    }
  }
}
