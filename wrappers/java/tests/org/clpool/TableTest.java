// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.reflect.Member;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The tables of the manual and of wrappers/README.md name what is there, and so does Java's page of five minutes. */
class TableTest {
  private static final Path ROOT = Paths.get(System.getProperty("org.clpool.headers")).resolve("../..").normalize();
  private static final Pattern CODE = Pattern.compile("`([^`]+)`");
  private static final Pattern NAME = Pattern.compile("([A-Z]\\w*)(?:\\.(\\w+))?(?:\\(.*\\))?");

  private final List<String> wrong = new ArrayList<>();
  private int found;

  private static boolean has(String type, String member) {
    try {
      Class<?> named = Class.forName("org.clpool." + type);
      Stream<Member> members = Stream.concat(Arrays.stream(named.getMethods()), Arrays.stream(named.getFields()));
      return Modifier.isPublic(named.getModifiers())
          && (member == null || members.anyMatch(each -> each.getName().equals(member)));
    } catch (ClassNotFoundException e) {
      return false;
    }
  }

  private static List<Path> pages() throws IOException {
    try (Stream<Path> files = Files.walk(ROOT.resolve("docs"))) {
      Stream<Path> readmes = Stream.of(ROOT.resolve("wrappers/README.md"), ROOT.resolve("capi/README.md"));
      return Stream.concat(readmes, files.filter(file -> file.toString().endsWith(".md"))).collect(Collectors.toList());
    }
  }

  private void check(String where, String text) {
    Matcher codes = CODE.matcher(text);
    while (codes.find()) {
      Matcher name = NAME.matcher(codes.group(1));
      if (!name.matches() || !has(name.group(1), name.group(2))) {
        wrong.add(where + ": " + codes.group(1));
      }
      ++found;
    }
  }

  /** What a table says of Java: in a column with that head, but the first, or in a row that begins with it. */
  private void checkTables(Path page) throws IOException {
    int column = -1; // 0: none
    for (String line : Files.readAllLines(page)) {
      String[] cells = line.split("\\|");
      if (!line.startsWith("|")) {
        column = -1;
      } else if (column < 0) {
        column = 0;
        for (int i = 2; i < cells.length; ++i) {
          column = cells[i].trim().matches("Java( \\(.*)?") ? i : column;
        }
      } else if (column > 0 && column < cells.length) {
        check(page.toString(), cells[column]);
      } else if (column == 0 && cells.length > 1 && cells[1].trim().equals("Java")) {
        check(page.toString(), line);
      }
    }
  }

  @Test
  void everyNameInATableIsThere() throws IOException {
    for (Path page : pages()) {
      checkTables(page);
    }
    assertEquals(List.of(), wrong);
    assertTrue(found > 80, "names: " + found);
  }

  @Test
  void everyNameOnTheFirstPageIsThere() throws IOException {
    Path page = ROOT.resolve("docs/start/java.md");
    Matcher names = Pattern.compile("`(?!FirstPool)[A-Z]\\w*\\.\\w+(?:\\(.*?\\))?`").matcher(Files.readString(page));
    while (names.find()) {
      check(page.toString(), names.group());
    }
    assertEquals(List.of(), wrong);
    assertTrue(found > 1, "names: " + found);
  }
}
