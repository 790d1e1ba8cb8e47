package io.weir.internal.store;

import io.weir.internal.rule.Claim;
import io.weir.internal.rule.CompiledRule;
import io.weir.internal.rule.Fingerprint;
import io.weir.rule.Rule;
import io.weir.rule.StoreFailureFallback;
import io.weir.store.Clock;
import io.weir.store.StoreOperation;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** A remote store with scripted behavior; at first it does not answer. */
final class ScriptedRemoteStore implements RemoteStore {
  final List<PendingDecision> submitted = new ArrayList<>();
  private final Clock clock;
  private final Fingerprint fingerprint = Fingerprint.random();
  private Consumer<PendingDecision> behavior = decision -> {};

  /** The value that {@link #awaitingReplySince()} returns. */
  long awaitingReplySince;

  boolean failsWhenPolled;

  ScriptedRemoteStore(Clock clock) {
    this.clock = clock;
  }

  void answerAll() {
    behavior = this::answer;
  }

  void failAllWith(StoreException reason) {
    behavior = decision -> decision.fail(reason);
  }

  void throwAlways(RuntimeException reason) {
    behavior =
        decision -> {
          throw reason;
        };
  }

  void answerNone() {
    behavior = decision -> {};
  }

  void answer(PendingDecision decision) {
    decision.answer(new ClaimOutcome[] {new ClaimOutcome(true, false, 9, 0, 0, 0)}, clock.micros());
  }

  @Override
  public void submit(PendingDecision decision) {
    submitted.add(decision);
    behavior.accept(decision);
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

  /** Takes one permit of a rule with that fallback and a limit of 10. */
  static CompletableFuture<ClaimOutcome[]> take(ClaimStore store, StoreFailureFallback fallback) {
    return take(store, fallback, 1);
  }

  /** As above, with a cost. */
  static CompletableFuture<ClaimOutcome[]> take(
      ClaimStore store, StoreFailureFallback fallback, long cost) {
    Rule rule = Rule.named("a").limit("10/minute").onStoreFailure(fallback).build();
    Claim claim =
        Claim.of(CompiledRule.of(rule).limits().get(0), store.fingerprint().of("x"), cost);
    return store.apply(new Claim[] {claim}, StoreOperation.TAKE);
  }

  static ClaimOutcome await(CompletableFuture<ClaimOutcome[]> answer) throws Exception {
    return answer.get(30, TimeUnit.SECONDS)[0];
  }
}
