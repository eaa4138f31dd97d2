// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Results cached per OpenCL object: what is computed once for a context, device, queue or pool and a key, such as a
 * built program. The cache holds the objects that it has results for until it is cleared. Any number of threads may use
 * it at once; each result is computed once. Two threads must not compute keys that ask for each other: each then waits for the other
 * for ever.
 *
 * @param <K> keys, with equals and hashCode
 * @param <V> results
 */
public final class Cache<K, V> extends NativeObject {
  /** A key as C knows it, as long as results have it or are computed. */
  private static final class Known {
    final long number;
    int uses;

    Known(long number) {
      this.number = number;
    }
  }

  /** The keys in use. Results refer to it, not to the cache, which may be forgotten. */
  private static final class Keys<K> {
    private final Map<K, Known> all = new ConcurrentHashMap<>();
    private final AtomicLong last = new AtomicLong();

    long begin(K key) {
      return all.compute(
              key,
              (k, found) -> {
                Known known = found == null ? new Known(last.incrementAndGet()) : found;
                ++known.uses;
                return known;
              })
          .number;
    }

    void end(K key) {
      all.computeIfPresent(key, (k, known) -> --known.uses == 0 ? null : known);
    }
  }

  /** A result, as C keeps it. */
  static final class Result<K, V> {
    private final Keys<K> keys;
    private final K key;
    private final V value;

    Result(Keys<K> keys, K key, V value) {
      this.keys = keys;
      this.key = key;
      this.value = value;
      keys.begin(key);
    }

    /** C has given it up. */
    void forget() {
      keys.end(key);
    }
  }

  private final Keys<K> keys = new Keys<>();

  private Cache(LongSupplier made) {
    super("cache", made, Native::clpool_memo_release);
  }

  /**
   * Makes an empty cache.
   *
   * @param <K> keys
   * @param <V> results
   * @return the cache
   */
  public static <K, V> Cache<K, V> create() {
    return new Cache<>(Native::clpool_memo_create);
  }

  /** Clears every cache of the process, as before each test or before the drivers go. */
  public static void clearAll() {
    Native.clpool_memo_clear_all();
  }

  /**
   * The result for a context and a key: the one that is kept, or a new one.
   *
   * @param context the context; held until the result is cleared
   * @param key the key
   * @param compute computes a result; it may use the cache, but not for its own key, nor for one that asks for it
   * @return the result
   * @throws ClpoolException with the cause if the computation fails: what it throws means what it means from
   *     {@link CustomAllocator#allocate}
   */
  public V computeIfAbsent(Context context, K key, Supplier<? extends V> compute) {
    return get(Constants.CLPOOL_MEMO_CONTEXT, Errors.required("context", context), key, compute);
  }

  /**
   * The result for a device and a key.
   *
   * @param device the device
   * @param key the key
   * @param compute computes a result
   * @return the result
   */
  public V computeIfAbsent(Device device, K key, Supplier<? extends V> compute) {
    return get(Constants.CLPOOL_MEMO_DEVICE, Errors.required("device", device).handle(), key, compute);
  }

  /**
   * The result for a queue and a key.
   *
   * @param queue the queue; held until the result is cleared
   * @param key the key
   * @param compute computes a result
   * @return the result
   */
  public V computeIfAbsent(CommandQueue queue, K key, Supplier<? extends V> compute) {
    return get(Constants.CLPOOL_MEMO_QUEUE, Errors.required("queue", queue), key, compute);
  }

  /**
   * The result for a pool and a key.
   *
   * @param pool the pool; held until the result is cleared
   * @param key the key
   * @param compute computes a result
   * @return the result
   */
  public V computeIfAbsent(Pool pool, K key, Supplier<? extends V> compute) {
    return get(Constants.CLPOOL_MEMO_POOL, Errors.required("pool", pool), key, compute);
  }

  /**
   * The result for any number, such as a handle of another kind, which is not held, and a key.
   *
   * @param object the number
   * @param key the key
   * @param compute computes a result
   * @return the result
   */
  public V computeIfAbsent(long object, K key, Supplier<? extends V> compute) {
    return get(Constants.CLPOOL_MEMO_ANY, object, key, compute);
  }

  private V get(int kind, NativeObject owner, K key, Supplier<? extends V> compute) {
    try (Uses uses = new Uses()) {
      return get(kind, uses.of("owner", owner), key, compute);
    }
  }

  private V get(int kind, long object, K key, Supplier<? extends V> compute) {
    Errors.required("key", key);
    Errors.required("compute", compute);
    Supplier<Result<K, V>> kept = () -> new Result<>(keys, key, compute.get());
    long number = keys.begin(key);
    try {
      return take(with(memo -> Native.java_memo_get(memo, kind, object, bytes(number), kept)));
    } finally {
      keys.end(key);
    }
  }

  /**
   * The result for an object's handle and a key if it is kept.
   *
   * @param object the handle of a context, device or queue, or the number
   * @param key the key
   * @return the result, or nothing if it is not kept or null
   */
  public Optional<V> find(long object, K key) {
    Known known = keys.all.get(Errors.required("key", key));
    long value = with(memo -> known == null ? 0 : Native.java_memo_find(memo, object, bytes(known.number)));
    return value == 0 ? Optional.empty() : Optional.ofNullable(take(value));
  }

  @SuppressWarnings("unchecked") // only this cache's computations put values in
  private V take(long value) {
    try {
      return ((Result<K, V>) Native.java_memo_value(value)).value;
    } finally {
      Native.clpool_memo_value_release(value);
    }
  }

  private static byte[] bytes(long number) {
    return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
  }

  /**
   * Number of results that are kept.
   *
   * @return the number
   */
  public long size() {
    long[] size = new long[1];
    with(memo -> Native.clpool_memo_size(memo, size));
    return size[0];
  }

  /** Forgets all results and gives up their objects. */
  public void clear() {
    with(Native::clpool_memo_clear);
  }

  /**
   * Forgets the results of one object.
   *
   * @param object the handle of a context, device or queue, or the number
   */
  public void clear(long object) {
    with(memo -> Native.clpool_memo_clear_object(memo, object));
  }

  /** Clears the cache and ends it. */
  @Override
  public void close() {
    super.close();
  }

  @Override
  String details() {
    return size() + " results";
  }

  /** Keys that are held, for tests. */
  int heldKeys() {
    return keys.all.size();
  }
}
