package io.weir.architecture;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Reads the files of this checkout. */
final class SourceTree {
  static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  private SourceTree() {}

  static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static String read(String file) {
    return read(ROOT.resolve(file));
  }

  /** Returns the directories of the modules listed in the root pom. */
  static List<Path> modules() {
    return Pattern.compile("<module>([^<]+)</module>")
        .matcher(read("pom.xml"))
        .results()
        .map(name -> ROOT.resolve(name.group(1)))
        .toList();
  }

  /** Returns the files with an ending below a directory; empty if it does not exist. */
  static List<Path> below(Path folder, String ending) {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(file -> file.toString().endsWith(ending)).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the path of a file relative to the root, for messages. */
  static String name(Path file) {
    return ROOT.relativize(file).toString();
  }
}
