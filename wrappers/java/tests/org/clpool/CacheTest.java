// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.ref.WeakReference;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class CacheTest {
  private final Session session = Support.session();

  @Test
  void eachResultIsComputedOnce() {
    AtomicInteger calls = new AtomicInteger();
    try (Cache<String, Object> cache = Cache.create()) {
      Object first = cache.computeIfAbsent(session.context(), "a", () -> "value " + calls.incrementAndGet());
      assertSame(first, cache.computeIfAbsent(session.context(), "a", Object::new));
      assertEquals("value 1", first);
      cache.computeIfAbsent(session.context(), "b", () -> calls.incrementAndGet());
      cache.computeIfAbsent(session.device(), "a", () -> calls.incrementAndGet());
      cache.computeIfAbsent(session.queue(), "a", () -> calls.incrementAndGet());
      cache.computeIfAbsent(42L, "a", () -> calls.incrementAndGet());
      try (Pool pool = Pool.of(Allocator.custom(new Support.Dry()))) {
        cache.computeIfAbsent(pool, "a", () -> calls.incrementAndGet());
      }
      assertEquals(6, calls.get());
      assertEquals(6, cache.size());
      assertEquals(Optional.of(first), cache.find(session.context().handle(), "a"));
      assertEquals(Optional.empty(), cache.find(session.context().handle(), "z"));
      assertEquals(Optional.empty(), cache.find(43L, "a"));
      cache.clear(42L);
      assertEquals(5, cache.size());
      cache.clear();
      assertEquals(0, cache.size());
      assertTrue(cache.toString().contains("0 results"));
      cache.computeIfAbsent(1L, "a", () -> 1);
      Cache.clearAll();
      assertEquals(0, cache.size());
    }
  }

  @Test
  void aFailedComputationIsTheCauseAndIsNotKept() {
    RuntimeException mine = new RuntimeException("cannot build");
    try (Cache<String, String> cache = Cache.create()) {
      ClpoolException thrown =
          assertThrows(
              ClpoolException.class,
              () ->
                  cache.computeIfAbsent(
                      1L,
                      "a",
                      () -> {
                        throw mine;
                      }));
      assertSame(mine, thrown.getCause());
      assertEquals(0, cache.size());
      assertNull(cache.computeIfAbsent(1L, "a", () -> null));
      assertEquals("b", cache.computeIfAbsent(1L, "b", () -> "b"));
      assertThrows(NullPointerException.class, () -> cache.computeIfAbsent(1L, "c", null));
    }
  }

  @Test
  void aComputationMustNotAskForItsOwnKey() {
    try (Cache<String, String> cache = Cache.create()) {
      ClpoolException thrown =
          assertThrows(
              ClpoolException.class,
              () -> cache.computeIfAbsent(1L, "a", () -> cache.computeIfAbsent(1L, "a", () -> "x")));
      assertTrue(thrown.getCause() instanceof IllegalStateException);
    }
  }

  @Test
  void keysAreForgottenWithTheirLastResult() {
    try (Cache<String, String> cache = Cache.create()) {
      for (int i = 0; i < 100; ++i) {
        cache.computeIfAbsent(1L, "key " + i, () -> "x");
      }
      assertEquals(100, cache.heldKeys());
      cache.computeIfAbsent(2L, "key 0", () -> "y");
      assertEquals(100, cache.heldKeys());
      cache.clear(1L);
      assertEquals(1, cache.heldKeys());
      assertEquals(Optional.of("y"), cache.find(2L, "key 0"));
      cache.clear();
      assertEquals(0, cache.heldKeys());
      assertThrows(
          ClpoolException.class,
          () ->
              cache.computeIfAbsent(
                  1L,
                  "failed",
                  () -> {
                    throw new IllegalStateException();
                  }));
      assertEquals(0, cache.heldKeys());
      cache.computeIfAbsent(1L, "a", () -> "x");
      Cache.clearAll();
      assertEquals(0, cache.heldKeys());
    }
  }

  @Test
  void resultsAreGivenUpWhenTheCacheIsCleared() throws Exception {
    try (Cache<String, Object> cache = Cache.create()) {
      WeakReference<Object> result = new WeakReference<>(cache.computeIfAbsent(1L, "a", Object::new));
      System.gc();
      assertSame(result.get(), cache.find(1L, "a").orElse(null));
      cache.clear();
      assertTrue(Support.collectUntil(() -> result.get() == null));
    }
  }
}
