package io.weir.architecture;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The files of this checkout, as these tests read them. */
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

  /** The folders of the modules, as the root's pom names them. */
  static List<Path> modules() {
    return Pattern.compile("<module>([^<]+)</module>")
        .matcher(read("pom.xml"))
        .results()
        .map(name -> ROOT.resolve(name.group(1)))
        .toList();
  }

  /** The files with an ending below a folder; none if there is no such folder. */
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

  /** A file's path from the root, for messages. */
  static String name(Path file) {
    return ROOT.relativize(file).toString();
  }
}
