// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
package org.clpool;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;
import java.util.Locale;

/**
 * Loads the native part: from where the property {@code org.clpool.library.path} says, else as the system finds it,
 * else from the prefix into which this jar was installed, else from this jar.
 */
final class NativeLibrary {
  private static final String PROPERTY = "org.clpool.library.path";
  private static final String GLUE = "clpooljni";
  private static final String LIBRARY = "libclpool.so.1";

  private NativeLibrary() {}

  /** Called once, before the first native method. */
  static void load() {
    String given = System.getProperty(PROPERTY);
    if (given != null && !given.isEmpty()) {
      try {
        loadFrom(Paths.get(given).toAbsolutePath());
      } catch (UnsatisfiedLinkError wrong) {
        throw new UnsatisfiedLinkError("the property " + PROPERTY + " is \"" + given + "\": " + wrong.getMessage());
      }
      return;
    }
    try {
      System.loadLibrary(GLUE);
    } catch (UnsatisfiedLinkError missing) {
      Path installed = besideJar();
      if (installed != null && Files.exists(installed)) {
        loadFrom(installed);
      } else if (!loadFromJar()) {
        throw new UnsatisfiedLinkError(
            missing.getMessage() + (installed == null ? "" : "; nor is there " + installed) + "; nor is it in the jar, as " + folderInJar() + System.mapLibraryName(GLUE) + "; the property "
                + PROPERTY + ", which may name its folder, is not set");
      }
    }
  }

  // A folder or the file itself; a libclpool beside it is taken before the system's.
  private static void loadFrom(Path path) {
    Path glue = Files.isDirectory(path) ? path.resolve(System.mapLibraryName(GLUE)) : path;
    Path library = glue.resolveSibling(LIBRARY);
    if (Files.exists(library)) {
      System.load(library.toString());
    }
    System.load(glue.toString());
  }

  // Of PREFIX/share/java/clpool.jar: PREFIX/lib/jni, the folders into which both are installed unless the build says otherwise.
  private static Path besideJar() {
    try {
      Path jar = Paths.get(NativeLibrary.class.getProtectionDomain().getCodeSource().getLocation().toURI()).toRealPath();
      return jar.resolve("../../../lib/jni").resolve(System.mapLibraryName(GLUE)).normalize();
    } catch (IOException | RuntimeException | URISyntaxException noFile) {
      return null;
    }
  }

  private static boolean loadFromJar() {
    String folder = folderInJar();
    try {
      Path target = Files.createTempDirectory("clpool");
      boolean found = unpack(folder + LIBRARY, target.resolve(LIBRARY));
      found = unpack(folder + System.mapLibraryName(GLUE), target.resolve(System.mapLibraryName(GLUE))) && found;
      try {
        if (found) {
          loadFrom(target);
        }
      } finally {
        Files.deleteIfExists(target.resolve(LIBRARY));
        Files.deleteIfExists(target.resolve(System.mapLibraryName(GLUE)));
        Files.deleteIfExists(target);
      }
      return found;
    } catch (IOException e) {
      throw new UncheckedIOException("the native libraries of " + folder + " could not be unpacked", e);
    }
  }

  private static boolean unpack(String resource, Path target) throws IOException {
    try (InputStream in = NativeLibrary.class.getResourceAsStream(resource)) {
      if (in == null) {
        return false;
      }
      Files.copy(in, target, StandardCopyOption.REPLACE_EXISTING);
      return true;
    }
  }

  private static String folderInJar() {
    return "native/" + System.getProperty("os.name").toLowerCase(Locale.ROOT) + "-" + architecture() + "/";
  }

  private static String architecture() {
    String name = System.getProperty("os.arch");
    return name.equals("amd64") ? "x86_64" : name;
  }
}
