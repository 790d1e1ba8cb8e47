package io.weir.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rule.Claim;
import io.weir.rule.Fingerprint;
import io.weir.rule.Posture;
import io.weir.rule.Rule;
import io.weir.rule.RuleBuilder;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** What is answered for a store that does not. */
class PosturesTest {
  private final AtomicLong time = new AtomicLong(1_000_000_000);
  private final Fingerprint fingerprint = Fingerprint.random();
  private final Postures postures = new Postures(time::get);

  @Test
  void openAdmitsAndClosedRefusesForAWhile() {
    Outcome open = ask(Mode.TAKE, claim(rule("a", Posture.OPEN), 1))[0];
    assertThat(open).isEqualTo(Outcome.degraded(true, time.get()));
    Outcome closed = ask(Mode.TAKE, claim(rule("a", Posture.CLOSED), 1))[0];
    assertThat(closed.fits()).isFalse();
    assertThat(closed.never()).isFalse();
    assertThat(closed.waitFor()).isPositive();
  }

  @Test
  void aLimitOfNothingRefusesWhateverThePosture() {
    for (Posture posture : List.of(Posture.OPEN, Posture.CLOSED, Posture.local(10))) {
      Rule none = rule("a", posture).edit().limit("0/minute").build();
      assertThat(ask(Mode.TAKE, claim(none, 1))[0].fits()).as(posture.toString()).isFalse();
    }
  }

  @Test
  void localCountsItsShareAndRefills() {
    Claim one = claim(rule("a", Posture.local(25)), 1);
    for (int i = 0; i < 25; i++) {
      assertThat(ask(Mode.TAKE, one)[0].fits()).isTrue();
    }
    Outcome refused = ask(Mode.TAKE, one)[0];
    assertThat(refused.fits()).isFalse();
    assertThat(refused.degraded()).isTrue();
    time.addAndGet(refused.waitFor());
    assertThat(ask(Mode.TAKE, one)[0].fits()).isTrue();
  }

  @Test
  void whatNeverFitsAShareIsRefusedForNowOnly() {
    Outcome o = ask(Mode.TAKE, claim(rule("a", Posture.local(10)), 50))[0];
    assertThat(o.fits()).isFalse();
    assertThat(o.never()).as("it fits the whole").isFalse();
  }

  @Test
  void whereOneIsClosedNoShareIsCharged() {
    Claim local = claim(rule("a", Posture.local(10)), 1);
    Claim closed = claim(rule("b", Posture.CLOSED), 1);
    for (int i = 0; i < 100; i++) {
      assertThat(fits(ask(Mode.TAKE, local, closed))).containsExactly(true, false);
      assertThat(fits(ask(Mode.TAKE, closed, local))).containsExactly(false, true);
    }
    assertThat(ask(Mode.PEEK, local)[0].remaining()).isEqualTo(10);
  }

  @Test
  void aClosedShadowRuleKeepsNothingFromBeingCharged() {
    Claim local = claim(rule("a", Posture.local(10)), 1);
    Rule shadow = rule("b", Posture.CLOSED).edit().shadow(true).build();
    ask(Mode.TAKE, local, claim(shadow, 1));
    assertThat(ask(Mode.PEEK, local)[0].remaining()).isEqualTo(9);
  }

  @Test
  void severalSharesAreAllOrNothing() {
    Claim wide = claim(rule("a", Posture.local(50)), 1);
    Claim narrow = claim(rule("b", Posture.local(2)), 1);
    Claim open = claim(rule("c", Posture.OPEN), 1);
    for (int i = 0; i < 20; i++) {
      assertThat(fits(ask(Mode.TAKE, wide, open, narrow))).containsExactly(true, true, i < 2);
    }
    assertThat(ask(Mode.PEEK, wide)[0].remaining()).isEqualTo(48);
  }

  @Test
  void aPeekTakesNothingAndARefundGivesBack() {
    Claim local = claim(rule("a", Posture.local(10)), 4);
    ask(Mode.TAKE, local);
    ask(Mode.PEEK, local);
    assertThat(ask(Mode.PEEK, local)[0].remaining()).isEqualTo(6);
    ask(Mode.REFUND, local);
    assertThat(ask(Mode.PEEK, local)[0].remaining()).isEqualTo(10);
  }

  private static Rule rule(String id, Posture posture) {
    RuleBuilder builder = Rule.named(id).limit("100/minute");
    return builder.onStoreFailure(posture).build();
  }

  private Claim claim(Rule rule, long cost) {
    return Claim.of(rule.limits().get(0), fingerprint.of("x"), cost);
  }

  private Outcome[] ask(Mode mode, Claim... claims) {
    return postures.answer(claims, mode, Store.NOW);
  }

  private static List<Boolean> fits(Outcome[] outcomes) {
    return Arrays.stream(outcomes).map(Outcome::fits).toList();
  }
}
