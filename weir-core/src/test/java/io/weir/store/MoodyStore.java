package io.weir.store;

import io.weir.rule.Claim;
import io.weir.rule.Fingerprint;
import io.weir.rule.Posture;
import io.weir.rule.Rule;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** A store that does what a test says, and at first nothing. */
final class MoodyStore implements Store {
  final List<CompletableFuture<Outcome[]>> asked = new ArrayList<>();
  private final Fingerprint fingerprint = Fingerprint.random();
  private Supplier<CompletableFuture<Outcome[]>> mood = CompletableFuture::new;

  void answers() {
    mood =
        () ->
            CompletableFuture.completedFuture(new Outcome[] {new Outcome(true, false, 9, 0, 0, 0)});
  }

  void failsWith(RuntimeException reason) {
    mood = () -> CompletableFuture.failedFuture(reason);
  }

  void throwsOut(RuntimeException reason) {
    mood =
        () -> {
          throw reason;
        };
  }

  void isSilent() {
    mood = CompletableFuture::new;
  }

  @Override
  public CompletableFuture<Outcome[]> take(Claim[] claims, Mode mode) {
    CompletableFuture<Outcome[]> answer = mood.get();
    asked.add(answer);
    return answer;
  }

  @Override
  public CompletableFuture<Outcome[]> refund(Claim[] claims, long chargedAt) {
    return take(claims, Mode.REFUND);
  }

  @Override
  public Fingerprint fingerprint() {
    return fingerprint;
  }

  /** Asks a store for a permit under a rule of that posture. */
  static CompletableFuture<Outcome[]> take(Store store, Posture posture) {
    Rule rule = Rule.named("a").limit("10/minute").onStoreFailure(posture).build();
    Claim claim = Claim.of(rule.limits().get(0), store.fingerprint().of("x"), 1);
    return store.take(new Claim[] {claim}, Mode.TAKE);
  }

  /** The answer, which must come. */
  static Outcome soon(CompletableFuture<Outcome[]> answer) throws Exception {
    return answer.get(5, TimeUnit.SECONDS)[0];
  }
}
