package io.weir.rules.database;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.weir.rule.RuleSet;
import io.weir.rules.Rules;
import io.weir.rules.database.Secret.Digest;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.StringWriter;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * The last good rules and keys in a file, for a start without the database.
 *
 * <p>A first line with the revision and the number of keys, a line for each key, then the rules as
 * JSON.
 */
final class Copy {
  private static final String MARK = "weir-copy-1";
  private static final Pattern SPACE = Pattern.compile(" ");

  private final Path file;

  Copy(Path file) {
    this.file = file.toAbsolutePath();
  }

  /**
   * What a copy holds.
   *
   * @param micros when it was written, since the epoch
   */
  record Content(RuleSet rules, Map<Digest, Caller> keys, long micros) {}

  /** Replaces the copy, so that whoever reads finds the old one or the new one, whole. */
  void write(RuleSet rules, Map<Digest, Caller> keys) throws IOException {
    Map<Digest, Caller> all = Map.copyOf(keys);
    StringBuilder text = new StringBuilder();
    text.append(MARK + " " + rules.revision() + " " + all.size() + "\n");
    all.forEach(
        (digest, caller) ->
            text.append(digest.hex())
                .append(' ')
                .append(encoded(caller.key()))
                .append(' ')
                .append(encoded(caller.user()))
                .append(' ')
                .append(encoded(caller.tier()))
                .append('\n'));
    text.append(Rules.toJson(rules.rules()));
    Path folder = file.getParent();
    Files.createDirectories(folder == null ? file : folder);
    // private to this user where the system knows of users
    Path next = Files.createTempFile(folder, file.getFileName() + "-", ".next");
    try {
      try (FileChannel channel = FileChannel.open(next, StandardOpenOption.WRITE)) {
        ByteBuffer bytes = UTF_8.encode(text.toString());
        while (bytes.hasRemaining()) {
          channel.write(bytes);
        }
        channel.force(true);
      }
      Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(next);
    }
  }

  /**
   * What was written last.
   *
   * @throws IOException if there is no copy, or it cannot be read
   */
  Content read() throws IOException {
    if (!Files.exists(file)) {
      throw new IOException("there is no copy of the rules at " + file);
    }
    try (BufferedReader lines = Files.newBufferedReader(file, UTF_8)) {
      List<String> first = words(lines, 3);
      if (!first.get(0).equals(MARK)) {
        throw new IOException("its first line is not that of a copy");
      }
      Map<Digest, Caller> keys = new HashMap<>();
      for (int left = Integer.parseInt(first.get(2)); left > 0; left--) {
        List<String> key = words(lines, 4);
        keys.put(
            Digest.of(key.get(0)),
            new Caller(decoded(key.get(1)), decoded(key.get(2)), decoded(key.get(3))));
      }
      StringWriter rest = new StringWriter();
      lines.transferTo(rest);
      RuleSet rules =
          RuleSet.of(Long.parseLong(first.get(1)), Rules.read(file.toString(), rest.toString()));
      long written = Files.getLastModifiedTime(file).toMillis();
      return new Content(rules, keys, written * 1000);
    } catch (IOException | IllegalArgumentException e) {
      throw new IOException("the copy at " + file + " cannot be read: " + e.getMessage(), e);
    }
  }

  private static List<String> words(BufferedReader lines, int count) throws IOException {
    String line = lines.readLine();
    List<String> words = line == null ? List.of() : List.of(SPACE.split(line, -1));
    if (words.size() != count) {
      throw new IOException("a line is not whole");
    }
    return words;
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, UTF_8);
  }

  private static String decoded(String text) {
    return URLDecoder.decode(text, UTF_8);
  }

  @Override
  public String toString() {
    return file.toString();
  }
}
