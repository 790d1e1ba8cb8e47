package io.weir.store;

import io.weir.rule.Fingerprint;

/**
 * A store that may be late, fail or never answer. A {@link Guard} makes it one that always does.
 *
 * <p>Safe for any number of threads; asking never blocks.
 */
public interface Remote extends AutoCloseable {

  /** Sees to a decision: sooner or later answers it or fails it, unless it is settled by then. */
  void ask(Ask ask);

  /** How callers become keys here; nodes that share a store share it. */
  Fingerprint fingerprint();

  @Override
  default void close() {}
}
