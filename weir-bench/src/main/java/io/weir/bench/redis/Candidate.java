package io.weir.bench.redis;

import java.util.concurrent.CompletionStage;

/** One way to decide over Redis, for callers known by name. */
interface Candidate extends AutoCloseable {

  /** Asks for what the quota costs, in the name of a caller. */
  CompletionStage<?> ask(String caller);

  /** Whether an answer says yes; fails if it says nothing. */
  boolean allowed(Object answer);

  /** Writes what must be there before the first so many callers ask. */
  default void prepare(int callers) {}

  @Override
  default void close() {}
}
