package io.weir.bench.redis;

import java.util.concurrent.CompletionStage;

/** A limiter on Redis, for callers identified by name. */
interface LimiterCandidate extends AutoCloseable {

  /** Takes the cost of the quota for a caller. */
  CompletionStage<?> decide(String caller);

  /** Returns whether an answer allows the request; fails if it has no decision. */
  boolean isAllowed(Object answer);

  /** Writes the state that the first {@code callers} callers need. */
  default void prepare(int callers) {}

  @Override
  default void close() {}
}
