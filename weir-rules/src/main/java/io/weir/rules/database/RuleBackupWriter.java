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
 * Writes the backup after changes of rules and keys. Writing takes at most about 5% of the time,
 * however large the backup and however frequent the changes. Used by one thread, except for {@link
 * #markChanged}.
 */
final class RuleBackupWriter {
  private static final Logger LOG = System.getLogger(RuleBackupWriter.class.getName());
  private static final int PAUSE_PER_WRITE_TIME = 20;

  private final RuleBackup backup;
  private final Clock clock;
  private final AtomicBoolean pending = new AtomicBoolean();
  private boolean lastWriteFailed;
  private long nextWriteMicros;

  RuleBackupWriter(RuleBackup backup, Clock clock) {
    this.backup = backup;
    this.clock = clock;
    try {
      backup.deleteUnfinished();
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "temporary files of a backup cannot be deleted", e);
    }
  }

  /** Marks that rules or keys have changed. */
  void markChanged() {
    pending.set(true);
  }

  /** Writes the backup if anything changed and the pause since the last write is over. */
  void writeIfDue(RuleSet rules, Map<SecretDigest, ApiKeyOwner> keys) {
    if (pending.get() && clock.micros() >= nextWriteMicros) {
      writeIfChanged(rules, keys);
    }
  }

  /** Writes the backup if anything changed. */
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
            "the backup of the rules cannot be written, it will be retried: {0}",
            e.toString());
      }
      lastWriteFailed = true;
    }
    long now = clock.micros();
    nextWriteMicros = now + PAUSE_PER_WRITE_TIME * (now - start);
  }
}
