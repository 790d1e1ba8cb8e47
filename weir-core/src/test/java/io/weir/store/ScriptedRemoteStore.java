package io.weir.store;

import io.weir.rule.Claim;
import io.weir.rule.Fingerprint;
import io.weir.rule.Rule;
import io.weir.rule.StoreFailureFallback;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** A remote store that does what a test says, and at first nothing. */
final class ScriptedRemoteStore implements RemoteStore {
  final List<PendingDecision> submitted = new ArrayList<>();
  private final Clock clock;
  private final Fingerprint fingerprint = Fingerprint.random();
  private Consumer<PendingDecision> behavior = ask -> {};

  /** Since when it says it owes a reply. */
  long awaitingReplySince;

  boolean failsWhenPolled;

  ScriptedRemoteStore(Clock clock) {
    this.clock = clock;
  }

  void answerAll() {
    behavior = this::answer;
  }

  void failAllWith(StoreException reason) {
    behavior = ask -> ask.fail(reason);
  }

  void throwAlways(RuntimeException reason) {
    behavior =
        ask -> {
          throw reason;
        };
  }

  void answerNone() {
    behavior = ask -> {};
  }

  void answer(PendingDecision ask) {
    ask.answer(new ClaimOutcome[] {new ClaimOutcome(true, false, 9, 0, 0, 0)}, clock.micros());
  }

  @Override
  public void submit(PendingDecision ask) {
    submitted.add(ask);
    behavior.accept(ask);
  }

  @Override
  public long awaitingReplySince() {
    if (failsWhenPolled) {
      throw new IllegalStateException("a bug");
    }
    return awaitingReplySince;
  }

  @Override
  public Fingerprint fingerprint() {
    return fingerprint;
  }

  /** Asks a store for a permit of a rule with that posture. */
  static CompletableFuture<ClaimOutcome[]> take(Store store, StoreFailureFallback posture) {
    return take(store, posture, 1);
  }

  /** The same at a cost; the limit is 10. */
  static CompletableFuture<ClaimOutcome[]> take(
      Store store, StoreFailureFallback posture, long cost) {
    Rule rule = Rule.named("a").limit("10/minute").onStoreFailure(posture).build();
    Claim claim = Claim.of(rule.limits().get(0), store.fingerprint().of("x"), cost);
    return store.apply(new Claim[] {claim}, StoreOperation.TAKE);
  }

  static ClaimOutcome await(CompletableFuture<ClaimOutcome[]> answer) throws Exception {
    return answer.get(30, TimeUnit.SECONDS)[0];
  }
}
