package io.weir.rules;

import io.weir.rule.Rule;
import io.weir.rules.text.Place;
import io.weir.rules.text.Problems;
import io.weir.rules.text.TextException;
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
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/**
 * What a file holds, read up to a number of bytes and only if it is a regular file: a FIFO would
 * block its reader, a device may have no end.
 */
final class FileContent {
  private static final int CHUNK_BYTES = 1 << 16;

  private final String name;
  private final byte[] bytes;
  private final String failure;

  /**
   * Tells contents apart without keeping them.
   *
   * @param digest of the bytes; empty if they could not be read
   * @param failure why they could not be read; empty if they could
   */
  record Identity(String digest, String failure) {}

  private FileContent(String name, byte[] bytes, String failure) {
    this.name = name;
    this.bytes = bytes;
    this.failure = failure;
  }

  static FileContent of(Path file, long maxBytes) {
    try (SeekableByteChannel in = open(file, maxBytes)) {
      ByteBuffer buffer = ByteBuffer.allocate((int) Math.min(maxBytes, in.size()) + 1);
      while (buffer.hasRemaining() && in.read(buffer) >= 0) {}
      if (!buffer.hasRemaining()) { // it grew, or its size was not said, as in /proc
        buffer = rest(in, buffer, maxBytes);
      }
      byte[] read = new byte[buffer.flip().remaining()];
      buffer.get(read);
      return new FileContent(file.toString(), read, "");
    } catch (IOException e) {
      return new FileContent(file.toString(), new byte[0], reason(e));
    }
  }

  private static ByteBuffer rest(SeekableByteChannel in, ByteBuffer begun, long maxBytes)
      throws IOException {
    ByteBuffer buffer = begun;
    while (true) {
      while (buffer.hasRemaining()) {
        if (in.read(buffer) < 0) {
          return buffer;
        }
      }
      if (buffer.capacity() > maxBytes) {
        throw RulesSize.exceeded(buffer.capacity(), maxBytes);
      }
      long larger = Math.min(maxBytes + 1, buffer.capacity() * 2L + CHUNK_BYTES);
      buffer = ByteBuffer.allocate((int) larger).put(buffer.flip());
    }
  }

  /** As {@code of(file, maxBytes).identity()}, in little memory whatever the size of the file. */
  static Identity identify(Path file, long maxBytes) {
    try (SeekableByteChannel in = open(file, maxBytes)) {
      MessageDigest digest = sha256();
      ByteBuffer buffer = ByteBuffer.allocate(CHUNK_BYTES);
      for (long total = 0; in.read(buffer) >= 0; buffer.clear()) {
        total += buffer.flip().remaining();
        if (total > maxBytes) {
          throw RulesSize.exceeded(total, maxBytes);
        }
        digest.update(buffer);
      }
      return new Identity(HexFormat.of().formatHex(digest.digest()), "");
    } catch (IOException e) {
      return new Identity("", reason(e));
    }
  }

  /** Links are followed first, so that a link to a device is refused as the device is. */
  private static SeekableByteChannel open(Path file, long maxBytes) throws IOException {
    BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
    if (!attributes.isRegularFile()) {
      throw new RefusedFileException(
          "must be a regular file (was %s); write rules into one"
              .formatted(attributes.isDirectory() ? "a folder" : "a pipe, socket or device"));
    }
    if (attributes.size() > maxBytes) {
      throw RulesSize.exceeded(attributes.size(), maxBytes);
    }
    return FileChannel.open(file, StandardOpenOption.READ);
  }

  private static String reason(IOException e) {
    if (e instanceof NoSuchFileException) {
      return "does not exist; write rules into it";
    }
    return e instanceof RefusedFileException
        ? String.valueOf(e.getMessage())
        : "cannot be read (" + e + "); make it a file that can be read";
  }

  Identity identity() {
    return failure.isEmpty()
        ? new Identity(HexFormat.of().formatHex(sha256().digest(bytes)), "")
        : new Identity("", failure);
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every JDK has it
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
}
