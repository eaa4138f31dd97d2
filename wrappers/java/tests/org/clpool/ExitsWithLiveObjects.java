// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import java.util.ArrayList;
import java.util.List;

/** A program that closes nothing and just ends, while another thread still allocates. */
public final class ExitsWithLiveObjects {
  private static final List<Object> ALIVE = new ArrayList<>();

  private ExitsWithLiveObjects() {}

  public static void main(String[] arguments) throws InterruptedException {
    Session session = Clpool.createDefault();
    Clpool.setMessageListener((severity, text) -> System.out.println(text));
    Allocator allocator = Allocator.immediate(session.queue());
    Pool pool = Pool.builder(allocator).onMessage((severity, text) -> {}).build();
    Allocator custom = Allocator.custom(new Support.Dry());
    Pool dry = Pool.of(custom);
    Memory buffer = Memory.buffer(session.context(), Cl.MEM_READ_WRITE, 4096);
    Cache<String, Object> cache = Cache.create();
    cache.computeIfAbsent(session.context(), "key", Object::new);
    ALIVE.addAll(List.of(session, allocator, pool, custom, dry, buffer, cache));
    ALIVE.add(session.queue().map(buffer, Cl.MAP_READ));
    for (int i = 0; i < 100; ++i) {
      ALIVE.add(pool.allocate(1000 + i));
      dry.allocate(i);
    }
    Thread busy =
        new Thread(
            () -> {
              while (true) {
                dry.allocate(100).close();
              }
            });
    busy.setDaemon(true);
    busy.start();
    System.gc();
    Thread.sleep(100);
    System.out.println("leaving");
  }
}
