package io.weir.redis;

/**
 * Tracks how many look-ups a hash still needs until Redis has certainly finished its incremental
 * rehash to a smaller table.
 *
 * <p>When most fields of a hash are gone, Redis allocates a smaller table and moves a few slots to
 * it with every look-up. Until that is done, a scan also reads the large table, which takes longer
 * the fewer fields are left. So look-ups are made in proportion to the number of fields removed
 * (adding a field is a look-up, too): then Redis finishes before it has to shrink the table again.
 * Where a table is found nearly empty (Redis does not shrink tables while a child process saves),
 * no scan runs before enough look-ups were made.
 */
final class RehashTracker {
  private static final int MAX_LOOKUPS_PER_CALL = 1024; // the limit of one call of shard.lua
  private static final int LOOKUPS_PER_REMOVED_FIELD = 3;
  private static final int SLOTS_MOVED_PER_LOOKUP = 5; // ten empty slots or one used slot
  private static final int MAX_SLOTS_SCANNED_PER_FIELD = 10; // then a scan gives up
  private static final double MAX_TABLE_SLOTS = 1 << 28;

  private long pendingLookups;
  private long sparseTableSlots; // slots of a table found nearly empty in this round of scans, or 0
  private long previousSparseTableSlots; // the same for the previous round

  /** Returns whether a scan might read far more slots than it finds fields. */
  boolean mustNotScan() {
    return pendingLookups > MAX_LOOKUPS_PER_CALL;
  }

  /** Returns how many look-ups to make now, and counts them as made. */
  int takeLookups() {
    int now = (int) Math.min(pendingLookups, MAX_LOOKUPS_PER_CALL);
    pendingLookups -= now;
    return now;
  }

  /**
   * Records the result of a scan.
   *
   * @param fields the number of fields requested
   * @param found the number of fields found
   * @param forgotten an upper bound of the fields removed: every counter removed from a packed
   *     bucket counts as one
   * @param added the number of counters added since the previous scan
   */
  void recordScan(int fields, long found, long forgotten, long added, String from, String to) {
    boolean roundEnds = to.equals("0");
    if (!roundEnds && 2 * found < fields) {
      sparseTableSlots = Math.max(sparseTableSlots, estimateTableSlots(fields, from, to));
    }
    long slots = Math.max(sparseTableSlots, previousSparseTableSlots);
    if (slots > 0 && forgotten > 0) {
      pendingLookups = Math.max(pendingLookups, slots / SLOTS_MOVED_PER_LOOKUP);
    } else {
      pendingLookups += LOOKUPS_PER_REMOVED_FIELD * Math.max(0, forgotten - added);
    }
    if (roundEnds) {
      previousSparseTableSlots = sparseTableSlots;
      sparseTableSlots = 0;
    }
  }

  /**
   * Estimates the number of slots of a table from the progress of a scan that gave up: cursors
   * count with their bits reversed, up to 2^64 for any table size.
   */
  private static long estimateTableSlots(int fields, String from, String to) {
    long progress =
        Long.reverse(Long.parseUnsignedLong(to)) - Long.reverse(Long.parseUnsignedLong(from));
    return (long)
        Math.min(
            MAX_TABLE_SLOTS, MAX_SLOTS_SCANNED_PER_FIELD * fields / ((progress >>> 1) * 0x1p-63));
  }
}
