package io.weir.rules;

import io.weir.rule.Rule;
import io.weir.rules.text.Place;
import io.weir.rules.text.Problems;
import io.weir.rules.text.TextException;
import io.weir.rules.text.Yaml;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** What a file held when it was looked at; equal if it held the same, or failed the same. */
final class FileContent {
  private final String name;
  private final byte[] bytes;
  private final String failure;

  private FileContent(String name, byte[] bytes, String failure) {
    this.name = name;
    this.bytes = bytes;
    this.failure = failure;
  }

  static FileContent of(Path file) {
    String name = file.toString();
    byte[] none = {};
    try {
      if (Files.size(file) > Yaml.MAX_CHARACTERS) {
        return new FileContent(name, none, "is larger than 64 MiB; write fewer rules");
      }
      return new FileContent(name, Files.readAllBytes(file), "");
    } catch (NoSuchFileException e) {
      return new FileContent(name, none, "does not exist; write rules into it");
    } catch (IOException e) {
      return new FileContent(
          name, none, "cannot be read (" + e + "); make it a file that can be read");
    }
  }

  /**
   * The rules it says.
   *
   * @throws TextException if it says none, with everything that is wrong
   */
  List<Rule> rules() {
    if (!failure.isEmpty()) {
      throw new Problems(name).fatal(Place.FILE, failure);
    }
    return Rules.read(name, bytes);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof FileContent that
        && failure.equals(that.failure)
        && Arrays.equals(bytes, that.bytes);
  }

  @Override
  public int hashCode() {
    return 31 * failure.hashCode() + Arrays.hashCode(bytes);
  }
}
