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
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
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

  @Test
  void noClassIsCalledLikeOneOfJavaUtil() throws IOException {
    String jar = Pool.class.getProtectionDomain().getCodeSource().getLocation().getPath();
    try (JarFile classes = new JarFile(jar)) {
      List<String> names =
          classes.stream()
              .map(entry -> entry.getName())
              .filter(name -> name.startsWith("org/clpool/") && name.endsWith(".class"))
              .map(name -> name.replaceAll("^org/clpool/|\\.class$", ""))
              .collect(Collectors.toList());
      assertTrue(names.size() > 80, jar);
      for (String name : names) {
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
    for (RegisterAllocation value : RegisterAllocation.values()) {
      assertNumber(headers, "CLPOOL_REGISTERS_" + value.name(), value.number());
    }
    for (Model value : Model.values()) {
      assertNumber(headers, "CLPOOL_MODEL_" + value.name(), value.number());
    }
    for (AnswerSource value : AnswerSource.values()) {
      assertNumber(headers, "CLPOOL_SOURCE_" + value.name(), value.number());
    }
    for (DeviceVendor value : DeviceVendor.values()) {
      assertNumber(headers, "CLPOOL_DEVICE_VENDOR_" + value.name(), value.number());
    }
    for (ElementType value : ElementType.values()) {
      assertNumber(headers, "CLPOOL_ELEMENT_" + value.name(), value.number());
    }
    for (SvmKind value : SvmKind.values()) {
      assertNumber(headers, "CLPOOL_SVM_KIND_" + value.name(), value.number());
    }
    for (MemoryKind value : MemoryKind.values()) {
      assertNumber(headers, "CLPOOL_MEM_KIND_" + value.name(), value.number());
    }
    for (TraceAction value : TraceAction.values()) {
      assertNumber(headers, "CLPOOL_TRACE_" + value.name(), value.number());
    }
    for (PoolStretch.State value : PoolStretch.State.values()) {
      assertNumber(headers, "CLPOOL_STRETCH_" + value.name(), value.number());
    }
    for (LimitingFactor value : LimitingFactor.values()) {
      assertNumber(headers, "CLPOOL_LIMITED_BY_" + value.name(), value.number());
    }
    for (Severity value : Severity.values()) {
      assertNumber(headers, "CLPOOL_MESSAGE_" + value.name(), value.number());
    }
  }
}
