package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** When a hash needs look-ups to finish a rehash, and how many. */
class RehashTrackerTest {
  private static final String CURSOR = "12345";

  private final RehashTracker tracker = new RehashTracker();

  @Test
  void fullTable_needsNoLookups() {
    tracker.recordScan(256, 260, 0, 0, "0", "4");
    assertThat(tracker.takeLookups()).isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 130, 260})
  void eachRemovedField_needsThreeLookups(int forgotten) {
    tracker.recordScan(256, 260, forgotten, 0, "0", "4");
    assertThat(tracker.mustNotScan()).isFalse();
    assertThat(tracker.takeLookups()).isEqualTo(3 * forgotten);
    assertThat(tracker.takeLookups()).isZero();
  }

  @Test
  void addedFields_replaceLookups() {
    tracker.recordScan(256, 260, 130, 130, "0", "4");
    assertThat(tracker.takeLookups()).isZero();
  }

  @Test
  void sparseTable_isNotScannedBeforeItIsMoved() {
    // 2,560 slots were read; with its bits reversed, cursor 32 is 2^-6 of the way
    tracker.recordScan(256, 20, 20, 0, "0", "32");
    int made = 0;
    while (tracker.mustNotScan()) {
      made += tracker.takeLookups();
    }
    made += tracker.takeLookups();
    assertThat(made).isEqualTo(2560 * 64 / 5);
  }

  @Test
  void sparseTableOfLastRound_stillCountsInNext() {
    tracker.recordScan(256, 20, 0, 0, "0", "32");
    tracker.recordScan(256, 20, 0, 0, "32", "0");
    assertThat(tracker.takeLookups()).as("nothing was forgotten").isZero();
    tracker.recordScan(256, 200, 1, 0, "0", "0");
    assertThat(tracker.mustNotScan()).isTrue();
  }

  @Test
  void sparseTableOfEarlierRound_isForgotten() {
    tracker.recordScan(256, 20, 0, 0, "0", "32");
    tracker.recordScan(256, 20, 0, 0, "32", "0");
    tracker.recordScan(256, 200, 0, 0, "0", "0");
    tracker.recordScan(256, 200, 1, 0, "0", "0");
    assertThat(tracker.mustNotScan()).isFalse();
  }

  @Test
  void unmovedCursor_isTableOfBoundedSize() {
    tracker.recordScan(256, 0, 1, 0, CURSOR, CURSOR);
    long made = 0;
    while (tracker.mustNotScan()) {
      made += tracker.takeLookups();
    }
    assertThat(made).isLessThan(1 << 28);
  }
}
