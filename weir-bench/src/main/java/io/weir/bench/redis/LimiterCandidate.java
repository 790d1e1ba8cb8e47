package io.weir.bench.redis;

import java.util.concurrent.CompletionStage;

/** One way to decide over Redis, for callers known by name. */
interface LimiterCandidate extends AutoCloseable {

  /** Asks for what the quota costs, in the name of a caller. */
  CompletionStage<?> decide(String caller);

  /** Whether an answer says yes; fails if it says nothing. */
  boolean isAllowed(Object answer);

  /** Writes what must be there before the first so many callers ask. */
  default void prepare(int callers) {}

  @Override
  default void close() {}
}
