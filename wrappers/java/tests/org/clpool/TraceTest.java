// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TraceTest {
  private static final String LOG =
      "Thread,Time,Action,Pointer,Size,Stream\n"
          + "1,10,allocate,0x1000,6000000000,0\n"
          + "1,20,allocate,0x2000,100,0\n"
          + "2,30,free,0x1000,6000000000,0\n"
          + "2,40,allocate failure,(nil),7,0\n";

  @TempDir Path folder;

  @Test
  void logsAreRead() {
    try (Trace trace = Trace.parse(LOG, "log")) {
      TraceStatistics statistics = trace.statistics();
      assertEquals(4, statistics.events());
      assertEquals(6000000100L, statistics.peakLiveBytes());
      assertEquals(2, statistics.threads());
      assertEquals(1, statistics.allocateFailures());
      TraceEvent event = trace.event(2);
      assertSame(TraceAction.RELEASE, event.action());
      assertEquals(0x1000, event.pointer());
      assertEquals(6000000000L, event.size());
      assertEquals(4, event.line());
      assertEquals(TraceEvent.NO_SLOT, trace.event(3).slot());
      assertThrows(IllegalArgumentException.class, () -> trace.event(4));
      assertThrows(IllegalArgumentException.class, () -> trace.event(-1));
      assertTrue(trace.toString().contains("4 events"));
    }
  }

  @Test
  void filesOfOtherFileSystemsAreRefused() throws Exception {
    Path own = folder.resolve("own.csv");
    Files.writeString(own, LOG);
    URI archive = URI.create("jar:" + folder.resolve("other.zip").toUri());
    try (FileSystem other = FileSystems.newFileSystem(archive, Map.of("create", "true"))) {
      Path there = other.getPath(own.toString());
      assertThrows(IllegalArgumentException.class, () -> Trace.open(there));
      assertThrows(IllegalArgumentException.class, () -> TraceWriter.create(there));
      try (Allocator allocator = Allocator.custom(new Support.Dry())) {
        assertThrows(IllegalArgumentException.class, () -> allocator.withTrace(there));
      }
    }
    assertEquals(LOG, Files.readString(own));
  }

  @Test
  void logsAreReplayed() {
    try (Trace trace = Trace.parse(LOG, "log");
        Allocator allocator = Allocator.custom(new Support.Dry());
        Pool pool = Pool.of(allocator)) {
      ReplayResult result = trace.replay(pool);
      assertEquals(2, result.allocations());
      assertEquals(2, result.releases());
      assertEquals(6000000100L, result.peakLiveBytes());
      assertTrue(result.peakDriverBytes() >= 6000000100L);
      assertTrue(result.ratioPpm() >= 1_000_000);
      long[] last = new long[2];
      trace.replay(
          allocator,
          1,
          (done, total) -> {
            last[0] = done;
            last[1] = total;
            return true;
          });
      assertEquals(3, last[1]);
      assertTrue(last[0] >= 1);
      ClpoolException stopped =
          assertThrows(ClpoolException.class, () -> trace.replay(pool, 1, (done, total) -> false));
      assertEquals(Status.CALLBACK, stopped.status());
      RuntimeException mine = new RuntimeException("stop");
      ClpoolException thrown =
          assertThrows(
              ClpoolException.class,
              () ->
                  trace.replay(
                      pool,
                      1,
                      (done, total) -> {
                        throw mine;
                      }));
      assertSame(mine, thrown.getCause());
      assertEquals(0, pool.statistics().activeBlocks());
    }
  }

  @Test
  void logsAreWrittenAndReadAgain() {
    Path file = folder.resolve("log ä.csv");
    try (TraceWriter writer = TraceWriter.create(file)) {
      writer.write(TraceAction.ALLOCATE, 16, 5L << 32, 3, Status.SUCCESS, "tag, with comma");
      writer.write(TraceAction.ALLOCATE_FAILURE, 0, 8, 0, Status.OUT_OF_MEMORY, null);
      writer.flush();
      assertTrue(writer.toString().startsWith("TraceWriter[0x"));
    }
    try (Trace trace = Trace.open(file)) {
      assertEquals(5L << 32, trace.event(0).size());
      assertEquals(3, trace.event(0).stream());
      assertSame(TraceAction.ALLOCATE_FAILURE, trace.event(1).action());
    }
  }

  @Test
  void allocatorsAreTraced() {
    Path file = folder.resolve("trace.csv");
    try (Allocator dry = Allocator.custom(new Support.Dry());
        Allocator traced = dry.withTrace(file)) {
      traced.allocate(1000).close();
      traced.allocate(2000).close();
    }
    try (Trace trace = Trace.open(file)) {
      assertEquals(2, trace.statistics().allocations());
      assertEquals(2, trace.statistics().releases());
      assertEquals(2000, trace.statistics().largestBytes());
    }
  }
}
