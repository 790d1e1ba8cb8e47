package io.weir.rules.database;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.weir.rule.RuleSet;
import io.weir.rules.Rules;
import io.weir.rules.database.Secret.Digest;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.StringWriter;
import java.io.Writer;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
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
 * <p>A first line with the revision, a line for each key, an empty line, then the rules as JSON.
 */
final class Copy {
  private static final String MARK = "weir-copy-2";
  private static final Pattern SPACE = Pattern.compile(" ");
  private static final Pattern SIMPLE = Pattern.compile("[A-Za-z0-9_.-]*");
  private static final String UNFINISHED = ".next";

  private final Path file;
  private final Path folder;

  Copy(Path file) {
    this.file = file.toAbsolutePath();
    Path parent = this.file.getParent();
    folder = parent == null ? this.file : parent;
  }

  /**
   * What a copy holds.
   *
   * @param micros when it was written, since the epoch
   */
  record Content(RuleSet rules, Map<Digest, Caller> keys, long micros) {}

  /** Replaces the copy, so that whoever reads finds the old one or the new one, whole. */
  void write(RuleSet rules, Map<Digest, Caller> keys) throws IOException {
    Files.createDirectories(folder);
    // private to this user where the system knows of users
    Path next = Files.createTempFile(folder, file.getFileName() + "-", UNFINISHED);
    try {
      try (FileChannel channel = FileChannel.open(next, StandardOpenOption.WRITE)) {
        Writer out = new BufferedWriter(Channels.newWriter(channel, UTF_8));
        write(out, rules, keys);
        out.flush();
        channel.force(true);
      }
      Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
      keepName();
    } finally {
      Files.deleteIfExists(next);
    }
  }

  private static void write(Writer out, RuleSet rules, Map<Digest, Caller> keys)
      throws IOException {
    out.append(MARK).append(' ').append(Long.toString(rules.revision())).append('\n');
    for (Map.Entry<Digest, Caller> key : keys.entrySet()) {
      Caller caller = key.getValue();
      out.append(key.getKey().hex()).append(' ').append(encoded(caller.key())).append(' ');
      out.append(encoded(caller.user())).append(' ').append(encoded(caller.tier())).append('\n');
    }
    out.append('\n').append(Rules.toJson(rules.rules()));
  }

  /** A new name outlives a crash only once its folder is on the disk. */
  private void keepName() {
    try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
      channel.force(true);
    } catch (IOException e) {
      // not every system opens a folder; there the name is as safe as the system makes it
    }
  }

  /** Removes what a crash has left unfinished. */
  void tidy() throws IOException {
    if (Files.isDirectory(folder)) {
      String unfinished = file.getFileName() + "-*" + UNFINISHED;
      try (DirectoryStream<Path> left = Files.newDirectoryStream(folder, unfinished)) {
        for (Path one : left) {
          Files.deleteIfExists(one);
        }
      }
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
      List<String> first = words(lines, 2);
      if (!first.get(0).equals(MARK)) {
        throw new IOException("its first line is not that of a copy");
      }
      Map<Digest, Caller> keys = new HashMap<>();
      for (List<String> key = words(lines, 4); key.size() == 4; key = words(lines, 4)) {
        Caller caller = new Caller(decoded(key.get(1)), decoded(key.get(2)), decoded(key.get(3)));
        keys.put(Digest.of(key.get(0)), caller);
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

  /** So many words, or the single empty one of an empty line. */
  private static List<String> words(BufferedReader lines, int count) throws IOException {
    String line = lines.readLine();
    List<String> words = line == null ? List.of() : List.of(SPACE.split(line, -1));
    if (words.size() != count && !words.equals(List.of(""))) {
      throw new IOException("a line is not whole");
    }
    return words;
  }

  private static String encoded(String text) {
    return SIMPLE.matcher(text).matches() ? text : URLEncoder.encode(text, UTF_8);
  }

  private static String decoded(String text) {
    return SIMPLE.matcher(text).matches() ? text : URLDecoder.decode(text, UTF_8);
  }

  @Override
  public String toString() {
    return file.toString();
  }
}
