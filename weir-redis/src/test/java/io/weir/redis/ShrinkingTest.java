package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** When a hash needs look-ups, and how many. */
class ShrinkingTest {
  private static final String SOMEWHERE = "12345";

  private final Shrinking shrinking = new Shrinking();

  @Test
  void aFullTableNeedsNone() {
    shrinking.scanned(256, 260, false, true, "0", "4");
    assertThat(shrinking.isUnderWay()).isFalse();
    assertThat(shrinking.take()).isZero();
  }

  @Test
  void whereMostIsForgottenAFewFollowEachScan() {
    shrinking.scanned(256, 260, true, true, "0", "4");
    assertThat(shrinking.forbidsScans()).isFalse();
    assertThat(shrinking.take()).isEqualTo(780);
    assertThat(shrinking.isUnderWay()).isFalse();
  }

  @Test
  void aNearlyEmptyTableIsNotScannedBeforeAllOfItMayHaveBeenMoved() {
    // 2,560 slots were read; bits reversed, a cursor of 32 in a table of 2^k is 2^-6 of the way
    shrinking.scanned(256, 20, true, true, "0", "32");
    int made = 0;
    while (shrinking.forbidsScans()) {
      made += shrinking.take();
    }
    made += shrinking.take();
    assertThat(made).isEqualTo(2560 * 64 / 5);
  }

  @Test
  void whatTheLastRoundFoundIsStillTrueInTheNext() {
    shrinking.scanned(256, 20, false, false, "0", "32");
    shrinking.scanned(256, 20, false, false, "32", "0");
    assertThat(shrinking.isUnderWay()).as("nothing was forgotten").isFalse();
    shrinking.scanned(256, 200, false, true, "0", "0");
    assertThat(shrinking.forbidsScans()).isTrue();
  }

  @Test
  void andNoLongerThanThat() {
    shrinking.scanned(256, 20, false, false, "0", "32");
    shrinking.scanned(256, 20, false, false, "32", "0");
    shrinking.scanned(256, 200, false, false, "0", "0");
    shrinking.scanned(256, 200, false, true, "0", "0");
    assertThat(shrinking.isUnderWay()).isFalse();
  }

  @Test
  void aCursorThatDoesNotMoveIsATableOfBoundedSize() {
    shrinking.scanned(256, 0, true, true, SOMEWHERE, SOMEWHERE);
    long made = 0;
    while (shrinking.isUnderWay()) {
      made += shrinking.take();
    }
    assertThat(made).isLessThan(1 << 28);
  }
}
