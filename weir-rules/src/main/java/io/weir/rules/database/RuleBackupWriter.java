package io.weir.rules.database;

import io.weir.rule.RuleSet;
import io.weir.rules.database.ApiKeySecret.SecretDigest;
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
final class RuleBackupWriter {
  private static final Logger LOG = System.getLogger(RuleBackupWriter.class.getName());
  private static final int PAUSE_PER_WRITE_TIME = 20;

  private final RuleBackup backup;
  private final Clock clock;
  private final AtomicBoolean pending = new AtomicBoolean();
  private boolean lastWriteFailed;
  private long nextWriteMicros;

  RuleBackupWriter(RuleBackup copy, Clock clock) {
    this.backup = copy;
    this.clock = clock;
    try {
      copy.deleteUnfinished();
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "what a crash left of the copy stays", e);
    }
  }

  /** Something other serves now. */
  void markChanged() {
    pending.set(true);
  }

  /** Writes the copy if it is time to. */
  void writeIfDue(RuleSet rules, Map<SecretDigest, ApiKeyOwner> keys) {
    if (pending.get() && clock.micros() >= nextWriteMicros) {
      writeIfChanged(rules, keys);
    }
  }

  /** Writes the copy if anything changed. */
  void writeIfChanged(RuleSet rules, Map<SecretDigest, ApiKeyOwner> keys) {
    if (!pending.getAndSet(false)) {
      return;
    }
    long start = clock.micros();
    try {
      backup.write(rules, keys);
      lastWriteFailed = false;
    } catch (IOException e) {
      pending.set(true);
      if (!lastWriteFailed) {
        LOG.log(
            Level.WARNING,
            "the copy of the rules cannot be written, tried again: {0}",
            e.toString());
      }
      lastWriteFailed = true;
    }
    long now = clock.micros();
    nextWriteMicros = now + PAUSE_PER_WRITE_TIME * (now - start);
  }
}
