package io.weir.bench.redis;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;

/** Two instances of a candidate on one Redis, used alternately like nodes behind a balancer. */
final class AlternatingCandidate implements LimiterCandidate {
  private final LimiterCandidate first;
  private final LimiterCandidate second;
  private final AtomicInteger turn = new AtomicInteger();

  AlternatingCandidate(LimiterCandidate first, LimiterCandidate second) {
    this.first = first;
    this.second = second;
  }

  @Override
  public CompletionStage<?> decide(String caller) {
    return (turn.getAndIncrement() % 2 == 0 ? first : second).decide(caller);
  }

  @Override
  public boolean isAllowed(Object answer) {
    return first.isAllowed(answer);
  }

  @Override
  public void close() {
    first.close();
    second.close();
  }
}
