// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The table of all wrappers in wrappers/README.md names what is there. */
class TableTest {
  private static boolean has(String name) throws ClassNotFoundException {
    String[] parts = name.split("\\.");
    Class<?> found = Class.forName("org.clpool." + parts[0]);
    return Modifier.isPublic(found.getModifiers())
        && (parts.length == 1
            || Arrays.stream(found.getMethods()).anyMatch(method -> method.getName().equals(parts[1])));
  }

  @Test
  void everyNameIsThere() throws IOException, ClassNotFoundException {
    Path readme = Paths.get(System.getProperty("org.clpool.headers")).resolve("../../wrappers/README.md");
    String section = Files.readString(readme).split("## Names")[1].split("\n## ")[0];
    int found = 0;
    for (String line : section.split("\n")) {
      if (line.matches("\\| [a-zA-Z].*")) {
        Matcher names = Pattern.compile("`([\\w.]+)`").matcher(line.split("\\|")[3]);
        while (names.find()) {
          assertTrue(has(names.group(1)), names.group(1));
          ++found;
        }
      }
    }
    assertTrue(found > 50, section);
  }
}
