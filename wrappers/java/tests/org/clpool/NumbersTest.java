// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The numbers that the Java enums stand for are those of the C headers. */
class NumbersTest {
  private static final Pattern NUMBER = Pattern.compile("\\b(CLPOOL_[A-Z0-9_]+) = (\\d+)\\b");

  private static Map<String, Integer> headers() throws IOException {
    Map<String, Integer> numbers = new TreeMap<>();
    try (Stream<Path> files = Files.walk(Paths.get(System.getProperty("org.clpool.headers")))) {
      for (Path file : (Iterable<Path>) files.filter(f -> f.toString().endsWith(".h"))::iterator) {
        Matcher matcher = NUMBER.matcher(Files.readString(file));
        while (matcher.find()) {
          numbers.put(matcher.group(1), Integer.valueOf(matcher.group(2)));
        }
      }
    }
    return numbers;
  }

  private static void assertNumber(Map<String, Integer> headers, String name, int number) {
    assertNotNull(headers.get(name), name);
    assertEquals(headers.get(name), number, name);
  }

  private static String[] figuresOf(String header, String struct) throws IOException {
    String text = Files.readString(Paths.get(System.getProperty("org.clpool.headers"), "clpool", header));
    int start = text.indexOf("typedef struct " + struct + " {");
    Matcher matcher = Pattern.compile("uint64_t (\\w+);").matcher(text.substring(start, text.indexOf("} " + struct, start)));
    return matcher.results().map(found -> found.group(1)).toArray(String[]::new);
  }

  private static String inJava(String field) {
    String name = field.replaceAll("_ns$", "_nanos").replaceAll("_ps$", "_picos");
    Matcher letters = Pattern.compile("_(.)").matcher(name);
    return letters.replaceAll(found -> found.group(1).toUpperCase(Locale.ROOT));
  }

  private static void assertFigures(String[] fields, int count, Function<long[], Object> make) throws Exception {
    assertEquals(fields.length, count);
    Object made = make.apply(LongStream.rangeClosed(1, count).toArray());
    for (int i = 0; i < count; ++i) {
      assertEquals(i + 1L, made.getClass().getMethod(inJava(fields[i])).invoke(made), fields[i]);
    }
  }

  @Test
  void figuresStandInTheOrderOfTheHeaders() throws Exception {
    assertFigures(figuresOf("pool.h", "clpool_pool_stats"), PoolStatistics.COUNT, PoolStatistics::new);
    assertFigures(figuresOf("heap.h", "clpool_heap_stats"), HeapStatistics.COUNT, HeapStatistics::new);
    assertFigures(figuresOf("trace.h", "clpool_trace_stats"), TraceStatistics.COUNT, TraceStatistics::new);
    assertFigures(figuresOf("trace.h", "clpool_trace_replay_result"), ReplayResult.COUNT, ReplayResult::new);
  }

  @Test
  void noClassIsCalledLikeOneOfJavaUtil() throws IOException {
    Path classes = Paths.get(System.getProperty("org.clpool.headers")).resolve("../../wrappers/java/src/org/clpool");
    try (Stream<Path> files = Files.list(classes)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        String name = file.getFileName().toString().replace(".java", "");
        assertThrows(ClassNotFoundException.class, () -> Class.forName("java.util." + name), name);
      }
    }
  }

  @Test
  void enumsHaveTheNumbersOfTheHeaders() throws IOException {
    Map<String, Integer> headers = headers();
    assertTrue(headers.size() > 50);
    for (Status value : Status.values()) {
      String name = value == Status.SUCCESS ? "CLPOOL_SUCCESS" : "CLPOOL_ERROR_" + value.name();
      assertNumber(headers, name, value.number());
    }
    for (Strategy value : Strategy.values()) {
      assertNumber(headers, "CLPOOL_STRATEGY_" + value.name(), value.number());
    }
    for (Model value : Model.values()) {
      assertNumber(headers, "CLPOOL_MODEL_" + value.name(), value.number());
    }
    for (AnswerSource value : AnswerSource.values()) {
      assertNumber(headers, "CLPOOL_SOURCE_" + value.name(), value.ordinal());
    }
    for (DeviceVendor value : DeviceVendor.values()) {
      assertNumber(headers, "CLPOOL_DEVICE_VENDOR_" + value.name(), value.number());
    }
    for (ElementType value : ElementType.values()) {
      assertNumber(headers, "CLPOOL_ELEMENT_" + value.name(), value.number());
    }
    for (SvmKind value : SvmKind.values()) {
      assertNumber(headers, "CLPOOL_SVM_" + value.name(), value.number());
    }
    for (MemoryKind value : MemoryKind.values()) {
      assertNumber(headers, "CLPOOL_MEM_KIND_" + value.name(), value.ordinal() + 1);
    }
    for (TraceAction value : TraceAction.values()) {
      assertNumber(headers, "CLPOOL_TRACE_" + value.name(), value.number());
    }
    for (PoolStretch.State value : PoolStretch.State.values()) {
      assertNumber(headers, "CLPOOL_STRETCH_" + value.name(), value.ordinal() + 1);
    }
    for (LimitingFactor value : LimitingFactor.values()) {
      assertNumber(headers, "CLPOOL_LIMITED_BY_" + value.name(), 1 << value.ordinal());
    }
    for (Severity value : Severity.values()) {
      assertNumber(headers, "CLPOOL_MESSAGE_" + value.name(), value.ordinal() + 1);
    }
  }
}
