// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * Results cached per OpenCL object: what is computed once for a context, device, queue or pool and a key, such as a
 * built program. The cache holds the objects that it has results for until it is cleared. Any number of threads may use
 * it at once; each result is computed once.
 *
 * @param <K> keys, with equals and hashCode
 * @param <V> results
 */
public final class Cache<K, V> implements AutoCloseable {
  private static final int ANY = 0;
  private static final int CONTEXT = 1;
  private static final int DEVICE = 2;
  private static final int QUEUE = 3;
  private static final int POOL = 4;

  private final Handle handle;
  private final Map<K, Long> numbers = new ConcurrentHashMap<>(); // keys as C knows them
  private final AtomicLong last = new AtomicLong();

  private Cache(long value) {
    handle = Handle.own(this, "cache", value, Native::clpool_memo_release);
  }

  /**
   * Makes an empty cache.
   *
   * @param <K> keys
   * @param <V> results
   * @return the cache
   */
  public static <K, V> Cache<K, V> create() {
    return new Cache<>(Native.clpool_memo_create());
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
   * @param compute computes a result; it may use the cache, but not for its own key
   * @return the result
   * @throws ClpoolException with {@link Status#CALLBACK} and the cause if the computation fails
   */
  public V computeIfAbsent(Context context, K key, Supplier<? extends V> compute) {
    return get(CONTEXT, context.handle(), context, key, compute);
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
    return get(DEVICE, device.handle(), device, key, compute);
  }

  /**
   * The result for a queue and a key.
   *
   * @param queue the queue; held until the result is cleared
   * @param key the key
   * @param compute computes a result
   * @return the result
   */
  public V computeIfAbsent(Queue queue, K key, Supplier<? extends V> compute) {
    return get(QUEUE, queue.handle(), queue, key, compute);
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
    return get(POOL, pool.handle(), pool, key, compute);
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
    return get(ANY, object, null, key, compute);
  }

  private V get(int kind, long object, Object owner, K key, Supplier<? extends V> compute) {
    if (compute == null) {
      throw new IllegalArgumentException("compute is null");
    }
    long value = Native.java_memo_get(handle.get(), kind, object, bytes(number(key)), compute);
    Reference.reachabilityFence(this);
    Reference.reachabilityFence(owner);
    return take(value);
  }

  /**
   * The result for an object's handle and a key if it is kept.
   *
   * @param object the handle of a context, device or queue, or the number
   * @param key the key
   * @return the result, or nothing if it is not kept or null
   */
  public Optional<V> find(long object, K key) {
    Long number = numbers.get(key);
    long value = number == null ? 0 : Native.java_memo_find(handle.get(), object, bytes(number));
    Reference.reachabilityFence(this);
    return value == 0 ? Optional.empty() : Optional.ofNullable(take(value));
  }

  @SuppressWarnings("unchecked") // only this cache's computations put values in
  private V take(long value) {
    try {
      return (V) Native.java_memo_value(value);
    } finally {
      Native.clpool_memo_value_release(value);
    }
  }

  private long number(K key) {
    return numbers.computeIfAbsent(key, k -> last.incrementAndGet());
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
    Native.clpool_memo_size(handle.get(), size);
    Reference.reachabilityFence(this);
    return size[0];
  }

  /** Forgets all results and gives up their objects. */
  public void clear() {
    Native.clpool_memo_clear(handle.get());
    Reference.reachabilityFence(this);
  }

  /**
   * Forgets the results of one object.
   *
   * @param object the handle of a context, device or queue, or the number
   */
  public void clear(long object) {
    Native.clpool_memo_clear_object(handle.get(), object);
    Reference.reachabilityFence(this);
  }

  /** Clears the cache and ends it. */
  @Override
  public void close() {
    handle.close();
  }

  @Override
  public String toString() {
    return handle.isClosed() ? "Cache[closed]" : "Cache[" + size() + " results]";
  }
}
