package io.weir.bench.redis;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;

/** Two of a kind on one database, asked in turn: as nodes behind a balancer. */
final class InTurn implements Candidate {
  private final Candidate one;
  private final Candidate other;
  private final AtomicInteger turn = new AtomicInteger();

  InTurn(Candidate one, Candidate other) {
    this.one = one;
    this.other = other;
  }

  @Override
  public CompletionStage<?> ask(String caller) {
    return (turn.getAndIncrement() % 2 == 0 ? one : other).ask(caller);
  }

  @Override
  public boolean allowed(Object answer) {
    return one.allowed(answer);
  }

  @Override
  public void close() {
    one.close();
    other.close();
  }
}
