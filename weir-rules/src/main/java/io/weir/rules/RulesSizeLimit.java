package io.weir.rules;

import io.weir.rules.text.YamlReader;
import java.io.IOException;

/**
 * The limit on the size of rules, in bytes of text, that a process reads: chosen so that the old
 * and the new rules fit into half of its heap.
 *
 * <p>Measured (docs/guide/rules.md): reading a file while the previous rules are in force takes 48
 * to 73 bytes of heap per byte of text.
 */
public final class RulesSizeLimit {
  private static final int HEAP_BYTES_PER_TEXT_BYTE = 128;
  private static final int MIN_DEFAULT_BYTES = 64 << 10;

  private RulesSizeLimit() {}

  /** Returns the default limit for rules in a file, derived from the maximum heap. */
  public static long defaultMaxBytes() {
    long heap = Runtime.getRuntime().maxMemory();
    return Math.max(
        MIN_DEFAULT_BYTES, Math.min(YamlReader.MAX_CHARACTERS, heap / HEAP_BYTES_PER_TEXT_BYTE));
  }

  /** As {@link #defaultMaxBytes}, for a database, where unchanged rules are not read again. */
  public static long defaultMaxDatabaseBytes() {
    return 2 * defaultMaxBytes();
  }

  /** Returns the error message for rules that are larger than the limit. */
  public static String tooLargeMessage(long bytes, long maxBytes) {
    return ("rules must be at most %d bytes (was at least %d) with a maximum heap of %d MiB;"
            + " write fewer rules, give a larger heap (-Xmx), or set rules-max-bytes")
        .formatted(maxBytes, bytes, Runtime.getRuntime().maxMemory() >> 20);
  }

  static IOException tooLargeException(long bytes, long maxBytes) {
    return new RejectedFileException(tooLargeMessage(bytes, maxBytes));
  }
}
