package io.weir.rules;

import io.weir.internal.Sha256;
import io.weir.rule.Rule;
import io.weir.rules.text.InvalidConfigurationException;
import io.weir.rules.text.ProblemCollector;
import io.weir.rules.text.SourcePosition;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;

/**
 * The content of a rules file. At most a given number of bytes is read, and only from regular
 * files: a FIFO would block its reader, a device may have no end.
 */
final class FileContent {
  private static final int CHUNK_BYTES = 1 << 16;

  private final String name;
  private final byte[] bytes;
  private final String failure;

  /**
   * Identifies a content without keeping it.
   *
   * @param digest the SHA-256 of the bytes in hex; empty if they could not be read
   * @param failure why they could not be read; empty if they could
   */
  record FileIdentity(String digest, String failure) {}

  private FileContent(String name, byte[] bytes, String failure) {
    this.name = name;
    this.bytes = bytes;
    this.failure = failure;
  }

  static FileContent of(Path file, long maxBytes) {
    try (SeekableByteChannel in = open(file, maxBytes)) {
      ByteBuffer buffer = ByteBuffer.allocate((int) Math.min(maxBytes, in.size()) + 1);
      while (buffer.hasRemaining() && in.read(buffer) >= 0) {}
      if (!buffer.hasRemaining()) { // it grew, or reports size 0, as in /proc
        buffer = readGrowing(in, buffer, maxBytes);
      }
      byte[] read = new byte[buffer.flip().remaining()];
      buffer.get(read);
      return new FileContent(file.toString(), read, "");
    } catch (IOException e) {
      return new FileContent(file.toString(), new byte[0], describeFailure(e));
    }
  }

  private static ByteBuffer readGrowing(SeekableByteChannel in, ByteBuffer full, long maxBytes)
      throws IOException {
    ByteBuffer buffer = full;
    while (true) {
      while (buffer.hasRemaining()) {
        if (in.read(buffer) < 0) {
          return buffer;
        }
      }
      if (buffer.capacity() > maxBytes) {
        throw RulesSizeLimit.tooLargeException(buffer.capacity(), maxBytes);
      }
      long larger = Math.min(maxBytes + 1, buffer.capacity() * 2L + CHUNK_BYTES);
      buffer = ByteBuffer.allocate((int) larger).put(buffer.flip());
    }
  }

  /**
   * As {@code of(file, maxBytes).identity()}, with constant memory whatever the size of the file.
   */
  static FileIdentity identify(Path file, long maxBytes) {
    try (SeekableByteChannel in = open(file, maxBytes)) {
      MessageDigest digest = Sha256.newDigest();
      ByteBuffer buffer = ByteBuffer.allocate(CHUNK_BYTES);
      for (long total = 0; in.read(buffer) >= 0; buffer.clear()) {
        total += buffer.flip().remaining();
        if (total > maxBytes) {
          throw RulesSizeLimit.tooLargeException(total, maxBytes);
        }
        digest.update(buffer);
      }
      return new FileIdentity(HexFormat.of().formatHex(digest.digest()), "");
    } catch (IOException e) {
      return new FileIdentity("", describeFailure(e));
    }
  }

  /** Follows links before checking the type, so that a link to a device is rejected, too. */
  private static SeekableByteChannel open(Path file, long maxBytes) throws IOException {
    BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
    if (!attributes.isRegularFile()) {
      throw new RejectedFileException(
          "must be a regular file (was %s)"
              .formatted(attributes.isDirectory() ? "a folder" : "a pipe, socket or device"));
    }
    if (attributes.size() > maxBytes) {
      throw RulesSizeLimit.tooLargeException(attributes.size(), maxBytes);
    }
    return FileChannel.open(file, StandardOpenOption.READ);
  }

  private static String describeFailure(IOException e) {
    if (e instanceof NoSuchFileException) {
      return "does not exist; create it or correct the path";
    }
    return e instanceof RejectedFileException
        ? String.valueOf(e.getMessage())
        : "cannot be read (" + e + "); check its permissions";
  }

  FileIdentity identity() {
    return failure.isEmpty()
        ? new FileIdentity(HexFormat.of().formatHex(Sha256.newDigest().digest(bytes)), "")
        : new FileIdentity("", failure);
  }

  /**
   * Parses the rules of this content.
   *
   * @throws InvalidConfigurationException with all problems, if the content is not valid
   */
  List<Rule> parseRules() {
    if (!failure.isEmpty()) {
      throw new ProblemCollector(name).fatal(SourcePosition.WHOLE_FILE, failure);
    }
    return Rules.read(name, bytes);
  }
}
