package io.weir.redis;

/**
 * How many look-ups a hash still needs until Redis has surely moved it to a smaller table.
 *
 * <p>When most of a hash is gone, Redis makes it a smaller table and moves a little to it with
 * every look-up. Until that is done, a scan reads the large table, too, which takes the longer the
 * less is left. So look-ups are made for as many as there are fewer (who adds one looks up, too):
 * then Redis is through before so much less is left that it shrinks the table again. And where one
 * is found nearly empty (Redis does not shrink any while a child of it saves) none is scanned
 * before there were enough.
 */
final class RehashTracker {
  private static final int MAX_LOOKUPS_PER_CALL = 1024; // as many as shelf.lua can make
  private static final int LOOKUPS_PER_REMOVED_FIELD = 3;
  private static final int SLOTS_MOVED_PER_LOOKUP =
      5; // it moves past ten that are empty, or one that is not
  private static final int MAX_SLOTS_SCANNED_PER_FIELD =
      10; // where a scan gives up, for each it was to find
  private static final double MAX_TABLE_SLOTS = 1 << 28;

  private long pendingLookups;
  private long
      sparseTableSlots; // the slots of a table found nearly empty in this round of scans, or 0
  private long previousSparseTableSlots; // in the last round

  /** Whether a scan may read far more than it finds. */
  boolean mustNotScan() {
    return pendingLookups > MAX_LOOKUPS_PER_CALL;
  }

  /** How many look-ups to make now. */
  int takeLookups() {
    int now = (int) Math.min(pendingLookups, MAX_LOOKUPS_PER_CALL);
    pendingLookups -= now;
    return now;
  }

  /**
   * Learns from a scan.
   *
   * @param fields how many it was to find
   * @param found how many it found
   * @param forgotten how many of them it removed, at most: of a page, any of its counters counts
   * @param added how many were added since the one before
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
   * How many slots a table has, by how far a scan came that gave up: cursors count with their bits
   * reversed, up to 2^64 however large the table.
   */
  private static long estimateTableSlots(int fields, String from, String to) {
    long way =
        Long.reverse(Long.parseUnsignedLong(to)) - Long.reverse(Long.parseUnsignedLong(from));
    return (long)
        Math.min(MAX_TABLE_SLOTS, MAX_SLOTS_SCANNED_PER_FIELD * fields / ((way >>> 1) * 0x1p-63));
  }
}
