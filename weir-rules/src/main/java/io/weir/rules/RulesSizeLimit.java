package io.weir.rules;

import io.weir.rules.text.YamlReader;
import java.io.IOException;

/**
 * How many bytes of rules a process reads: so many that the old rules and the new ones fit into
 * half of its heap.
 *
 * <p>Measured (docs/rules.md): while a file of rules is read and the rules before it serve, 48 to
 * 73 bytes of heap are needed for each byte of text.
 */
public final class RulesSizeLimit {
  private static final int HEAP_BYTES_PER_TEXT_BYTE = 128;
  private static final int MIN_DEFAULT_BYTES = 64 << 10;

  private RulesSizeLimit() {}

  /** The most bytes of rules in a file if nothing else is set, from the maximum heap. */
  public static long defaultMaxBytes() {
    long heap = Runtime.getRuntime().maxMemory();
    return Math.max(
        MIN_DEFAULT_BYTES, Math.min(YamlReader.MAX_CHARACTERS, heap / HEAP_BYTES_PER_TEXT_BYTE));
  }

  /** As {@link #defaultMaxBytes}, of a database, where a rule that did not change is kept. */
  public static long defaultMaxDatabaseBytes() {
    return 2 * defaultMaxBytes();
  }

  /** Says that rules are too many to be read. */
  public static String tooLargeMessage(long bytes, long maxBytes) {
    return ("rules must be at most %d bytes (was at least %d) with a maximum heap of %d MiB;"
            + " write fewer rules, give a larger heap (-Xmx), or set rules-max-bytes")
        .formatted(maxBytes, bytes, Runtime.getRuntime().maxMemory() >> 20);
  }

  static IOException tooLargeException(long bytes, long maxBytes) {
    return new RejectedFileException(tooLargeMessage(bytes, maxBytes));
  }
}
