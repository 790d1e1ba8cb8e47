package io.weir.store;

import io.weir.rule.Claim;
import io.weir.rule.Fingerprint;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
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
}
