package io.weir.rules.database;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.rules.Rules;
import io.weir.rules.database.Secret.Digest;
import io.weir.rules.text.TextException;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.Writer;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * The last good rules and keys in a file, for a start without the database.
 *
 * <p>A first line with the revision and how many lines follow: one for each key, then one for each
 * rule, as JSON, and the end. A line that says nothing good is told of and left out, for the
 * database it could be put right from is away; where lines are missing nothing is read.
 */
final class Copy {
  private static final Logger LOG = System.getLogger(Copy.class.getName());
  private static final String MARK = "weir-copy-3";
  private static final String TORN = "it is not whole";
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
   * @param refused what is wrong with rules that are left out, by their place
   * @param micros when it was written, since the epoch
   */
  record Content(
      RuleSet rules, Map<String, String> refused, Map<Digest, Caller> keys, long micros) {}

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
    String counts = " " + rules.revision() + " " + keys.size() + " " + rules.rules().size();
    out.append(MARK).append(counts).append('\n');
    for (Map.Entry<Digest, Caller> key : keys.entrySet()) {
      Caller caller = key.getValue();
      out.append(key.getKey().hex()).append(' ').append(encoded(caller.key())).append(' ');
      out.append(encoded(caller.user())).append(' ').append(encoded(caller.tier())).append('\n');
    }
    for (Rule rule : rules.rules()) {
      out.append(Rules.toJson(rule)).append('\n');
    }
    out.append(MARK);
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
      String[] first = SPACE.split(line(lines), -1);
      if (first.length != 4 || !first[0].equals(MARK)) {
        throw new IOException("its first line is not that of a copy");
      }
      Map<Digest, Caller> keys = new HashMap<>();
      for (long left = Long.parseLong(first[2]); left > 0; left--) {
        readKey(line(lines), keys);
      }
      List<Rule> rules = new ArrayList<>();
      Map<String, String> refused = new HashMap<>();
      for (long n = 1; n <= Long.parseLong(first[3]); n++) {
        readRule(file + " rule " + n, line(lines), rules, refused);
      }
      if (!line(lines).equals(MARK)) {
        throw new IOException(TORN);
      }
      long written = Files.getLastModifiedTime(file).toMillis();
      RuleSet set = RuleSet.of(Long.parseLong(first[1]), rules);
      return new Content(set, refused, keys, written * 1000);
    } catch (IOException | IllegalArgumentException e) {
      throw new IOException("the copy at " + file + " cannot be read: " + e.getMessage(), e);
    }
  }

  private static String line(BufferedReader lines) throws IOException {
    String line = lines.readLine();
    if (line == null) {
      throw new IOException(TORN);
    }
    return line;
  }

  private void readKey(String line, Map<Digest, Caller> keys) {
    try {
      String[] words = SPACE.split(line, -1);
      keys.put(
          Digest.of(words[0]), new Caller(decoded(words[1]), decoded(words[2]), decoded(words[3])));
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
      LOG.log(Level.WARNING, "the copy at {0} has a key that is none; it is left out", file);
    }
  }

  private static void readRule(
      String place, String line, List<Rule> rules, Map<String, String> refused) {
    try {
      rules.add(Rules.readOne(place, line));
    } catch (TextException e) {
      refused.put(place, String.valueOf(e.getMessage()));
    }
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
