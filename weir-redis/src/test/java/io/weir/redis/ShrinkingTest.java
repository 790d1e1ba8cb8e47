package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** When a hash needs look-ups, and how many. */
class ShrinkingTest {
  private static final String SOMEWHERE = "12345";

  private final Shrinking shrinking = new Shrinking();

  @Test
  void aFullTableNeedsNone() {
    shrinking.scanned(256, 260, 0, 0, "0", "4");
    assertThat(shrinking.take()).isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 130, 260})
  void aFewFollowEachThatIsForgotten(int forgotten) {
    shrinking.scanned(256, 260, forgotten, 0, "0", "4");
    assertThat(shrinking.forbidsScans()).isFalse();
    assertThat(shrinking.take()).isEqualTo(3 * forgotten);
    assertThat(shrinking.take()).isZero();
  }

  @Test
  void whoIsAddedMakesUpForThem() {
    shrinking.scanned(256, 260, 130, 130, "0", "4");
    assertThat(shrinking.take()).isZero();
  }

  @Test
  void aNearlyEmptyTableIsNotScannedBeforeAllOfItMayHaveBeenMoved() {
    // 2,560 slots were read; bits reversed, a cursor of 32 in a table of 2^k is 2^-6 of the way
    shrinking.scanned(256, 20, 20, 0, "0", "32");
    int made = 0;
    while (shrinking.forbidsScans()) {
      made += shrinking.take();
    }
    made += shrinking.take();
    assertThat(made).isEqualTo(2560 * 64 / 5);
  }

  @Test
  void whatTheLastRoundFoundIsStillTrueInTheNext() {
    shrinking.scanned(256, 20, 0, 0, "0", "32");
    shrinking.scanned(256, 20, 0, 0, "32", "0");
    assertThat(shrinking.take()).as("nothing was forgotten").isZero();
    shrinking.scanned(256, 200, 1, 0, "0", "0");
    assertThat(shrinking.forbidsScans()).isTrue();
  }

  @Test
  void andNoLongerThanThat() {
    shrinking.scanned(256, 20, 0, 0, "0", "32");
    shrinking.scanned(256, 20, 0, 0, "32", "0");
    shrinking.scanned(256, 200, 0, 0, "0", "0");
    shrinking.scanned(256, 200, 1, 0, "0", "0");
    assertThat(shrinking.forbidsScans()).isFalse();
  }

  @Test
  void aCursorThatDoesNotMoveIsATableOfBoundedSize() {
    shrinking.scanned(256, 0, 1, 0, SOMEWHERE, SOMEWHERE);
    long made = 0;
    while (shrinking.forbidsScans()) {
      made += shrinking.take();
    }
    assertThat(made).isLessThan(1 << 28);
  }
}
