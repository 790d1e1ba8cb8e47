package io.weir.store;

import io.weir.rule.Claim;
import io.weir.rule.Fingerprint;
import io.weir.rule.Posture;
import io.weir.rule.Rule;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** A remote store that does what a test says, and at first nothing. */
final class MoodyStore implements Remote {
  final List<Ask> asked = new ArrayList<>();
  private final Clock clock;
  private final Fingerprint fingerprint = Fingerprint.random();
  private Consumer<Ask> mood = ask -> {};

  /** Since when it says it owes a reply. */
  long awaitingSince;

  boolean failsWhenLookedAt;

  MoodyStore(Clock clock) {
    this.clock = clock;
  }

  void answers() {
    mood = this::answer;
  }

  void failsWith(StoreException reason) {
    mood = ask -> ask.fail(reason);
  }

  void throwsOut(RuntimeException reason) {
    mood =
        ask -> {
          throw reason;
        };
  }

  void isSilent() {
    mood = ask -> {};
  }

  void answer(Ask ask) {
    ask.answer(new Outcome[] {new Outcome(true, false, 9, 0, 0, 0)}, clock.micros());
  }

  @Override
  public void ask(Ask ask) {
    asked.add(ask);
    mood.accept(ask);
  }

  @Override
  public long awaitingSince() {
    if (failsWhenLookedAt) {
      throw new IllegalStateException("a bug");
    }
    return awaitingSince;
  }

  @Override
  public Fingerprint fingerprint() {
    return fingerprint;
  }

  /** Asks a store for a permit of a rule with that posture. */
  static CompletableFuture<Outcome[]> take(Store store, Posture posture) {
    return take(store, posture, 1);
  }

  /** The same at a cost; the limit is 10. */
  static CompletableFuture<Outcome[]> take(Store store, Posture posture, long cost) {
    Rule rule = Rule.named("a").limit("10/minute").onStoreFailure(posture).build();
    Claim claim = Claim.of(rule.limits().get(0), store.fingerprint().of("x"), cost);
    return store.take(new Claim[] {claim}, Mode.TAKE);
  }

  static Outcome soon(CompletableFuture<Outcome[]> answer) throws Exception {
    return answer.get(30, TimeUnit.SECONDS)[0];
  }
}
