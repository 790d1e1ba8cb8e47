package io.weir.rules.database;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.rules.Rules;
import io.weir.rules.database.ApiKeySecret.SecretDigest;
import io.weir.rules.text.InvalidConfigurationException;
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
 * A backup of the last good rules and keys in a file, for a start without the database.
 *
 * <p>The first line has the revision and the number of keys and rules; then follow one line per
 * key, one line per rule as JSON, and an end marker. An invalid line is reported and skipped, since
 * the database to repair it from is unavailable; a truncated file is rejected.
 */
final class RuleBackup {
  private static final Logger LOG = System.getLogger(RuleBackup.class.getName());
  private static final String FORMAT_MARKER = "weir-copy-3";
  private static final String INCOMPLETE = "it is incomplete";
  private static final Pattern SPACE = Pattern.compile(" ");
  private static final Pattern UNENCODED_TEXT = Pattern.compile("[A-Za-z0-9_.-]*");
  private static final String TEMPORARY_SUFFIX = ".next";

  private final Path file;
  private final Path folder;

  RuleBackup(Path file) {
    this.file = file.toAbsolutePath();
    Path parent = this.file.getParent();
    folder = parent == null ? this.file : parent;
  }

  /**
   * The content of a backup.
   *
   * @param rejected the problems of rules that were skipped, by their position
   * @param writtenAtMicros when it was written, in microseconds since the epoch
   */
  record BackupContent(
      RuleSet rules,
      Map<String, String> rejected,
      Map<SecretDigest, ApiKeyOwner> keys,
      long writtenAtMicros) {}

  /** Replaces the backup atomically: readers see the old file or the new one. */
  void write(RuleSet rules, Map<SecretDigest, ApiKeyOwner> keys) throws IOException {
    Files.createDirectories(folder);
    // readable by this user only, on systems with file owners
    Path next = Files.createTempFile(folder, file.getFileName() + "-", TEMPORARY_SUFFIX);
    try {
      try (FileChannel channel = FileChannel.open(next, StandardOpenOption.WRITE)) {
        Writer out = new BufferedWriter(Channels.newWriter(channel, UTF_8));
        write(out, rules, keys);
        out.flush();
        channel.force(true);
      }
      Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
      syncFolder();
    } finally {
      Files.deleteIfExists(next);
    }
  }

  private static void write(Writer out, RuleSet rules, Map<SecretDigest, ApiKeyOwner> keys)
      throws IOException {
    String counts = " " + rules.revision() + " " + keys.size() + " " + rules.rules().size();
    out.append(FORMAT_MARKER).append(counts).append('\n');
    for (Map.Entry<SecretDigest, ApiKeyOwner> key : keys.entrySet()) {
      ApiKeyOwner caller = key.getValue();
      out.append(key.getKey().toHex()).append(' ').append(encoded(caller.key())).append(' ');
      out.append(encoded(caller.user())).append(' ').append(encoded(caller.tier())).append('\n');
    }
    for (Rule rule : rules.rules()) {
      out.append(Rules.toJson(rule)).append('\n');
    }
    out.append(FORMAT_MARKER);
  }

  /** Forces the folder to the disk, without which a renamed file may not survive a crash. */
  private void syncFolder() {
    try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
      channel.force(true);
    } catch (IOException e) {
      // not every system can open a folder; there the rename is as durable as the system makes it
    }
  }

  /** Deletes temporary files left by a crash. */
  void deleteUnfinished() throws IOException {
    if (Files.isDirectory(folder)) {
      String unfinished = file.getFileName() + "-*" + TEMPORARY_SUFFIX;
      try (DirectoryStream<Path> leftovers = Files.newDirectoryStream(folder, unfinished)) {
        for (Path leftover : leftovers) {
          Files.deleteIfExists(leftover);
        }
      }
    }
  }

  /**
   * Reads the backup.
   *
   * @throws IOException if there is no backup, or it cannot be read
   */
  BackupContent read() throws IOException {
    if (!Files.exists(file)) {
      throw new IOException("there is no backup of the rules at " + file);
    }
    try (BufferedReader lines = Files.newBufferedReader(file, UTF_8)) {
      String[] first = SPACE.split(requireLine(lines), -1);
      if (first.length != 4 || !first[0].equals(FORMAT_MARKER)) {
        throw new IOException("its first line is not that of a backup");
      }
      Map<SecretDigest, ApiKeyOwner> keys = new HashMap<>();
      for (long left = Long.parseLong(first[2]); left > 0; left--) {
        readKey(requireLine(lines), keys);
      }
      List<Rule> rules = new ArrayList<>();
      Map<String, String> refused = new HashMap<>();
      for (long n = 1; n <= Long.parseLong(first[3]); n++) {
        readRule(file + " rule " + n, requireLine(lines), rules, refused);
      }
      if (!requireLine(lines).equals(FORMAT_MARKER)) {
        throw new IOException(INCOMPLETE);
      }
      long written = Files.getLastModifiedTime(file).toMillis();
      RuleSet set = RuleSet.of(Long.parseLong(first[1]), rules);
      return new BackupContent(set, refused, keys, written * 1000);
    } catch (IOException | IllegalArgumentException e) {
      throw new IOException("the backup at " + file + " cannot be read: " + e.getMessage(), e);
    }
  }

  private static String requireLine(BufferedReader lines) throws IOException {
    String line = lines.readLine();
    if (line == null) {
      throw new IOException(INCOMPLETE);
    }
    return line;
  }

  private void readKey(String line, Map<SecretDigest, ApiKeyOwner> keys) {
    try {
      String[] words = SPACE.split(line, -1);
      keys.put(
          SecretDigest.fromHex(words[0]),
          new ApiKeyOwner(decoded(words[1]), decoded(words[2]), decoded(words[3])));
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
      LOG.log(Level.WARNING, "the backup at {0} has an invalid API key, which is skipped", file);
    }
  }

  private static void readRule(
      String place, String line, List<Rule> rules, Map<String, String> refused) {
    try {
      rules.add(Rules.readOne(place, line));
    } catch (InvalidConfigurationException e) {
      refused.put(place, String.valueOf(e.getMessage()));
    }
  }

  private static String encoded(String text) {
    return UNENCODED_TEXT.matcher(text).matches() ? text : URLEncoder.encode(text, UTF_8);
  }

  private static String decoded(String text) {
    return UNENCODED_TEXT.matcher(text).matches() ? text : URLDecoder.decode(text, UTF_8);
  }

  @Override
  public String toString() {
    return file.toString();
  }
}
