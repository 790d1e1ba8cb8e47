package io.weir.rules.database;

import io.weir.rule.RuleSet;
import io.weir.rules.database.Secret.Digest;
import io.weir.store.Clock;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Keeps the copy on disk in step with what serves: soon after a change, and never for more than a
 * small part of the time, however large the copy and however many the changes.
 */
final class CopyKeeper {
  private static final Logger LOG = System.getLogger(CopyKeeper.class.getName());
  private static final int PART = 20;

  private final Copy copy;
  private final Clock clock;
  private final AtomicBoolean news = new AtomicBoolean();
  private boolean failing;
  private long due;

  CopyKeeper(Copy copy, Clock clock) {
    this.copy = copy;
    this.clock = clock;
    try {
      copy.tidy();
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "what a crash left of the copy stays", e);
    }
  }

  /** Something other serves now. */
  void changed() {
    news.set(true);
  }

  /** Writes the copy if it is time to. */
  void keep(RuleSet rules, Map<Digest, Caller> keys) {
    if (news.get() && clock.micros() >= due) {
      keepNow(rules, keys);
    }
  }

  /** Writes the copy if anything changed. */
  void keepNow(RuleSet rules, Map<Digest, Caller> keys) {
    if (!news.getAndSet(false)) {
      return;
    }
    long start = clock.micros();
    try {
      copy.write(rules, keys);
      failing = false;
    } catch (IOException e) {
      news.set(true);
      if (!failing) {
        LOG.log(
            Level.WARNING,
            "the copy of the rules cannot be written, tried again: {0}",
            e.toString());
      }
      failing = true;
    }
    long now = clock.micros();
    due = now + PART * (now - start);
  }
}
