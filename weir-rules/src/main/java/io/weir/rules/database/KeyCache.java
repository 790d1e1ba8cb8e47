package io.weir.rules.database;

import io.weir.rules.database.Secret.Digest;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The good API keys of the database as this node knows them.
 *
 * <p>They are found by the digest of the whole secret: how long that takes depends on what only
 * somebody who has the secret could choose, and so tells nothing of which keys there are.
 *
 * <p>Changed by one thread at a time; read by any.
 */
final class KeyCache {
  private static final Logger LOG = System.getLogger(KeyCache.class.getName());
  private static final long NONE = -1;

  private long seen = NONE;
  private volatile Map<Digest, Caller> keys = new ConcurrentHashMap<>();

  @Nullable Caller caller(Digest digest) {
    return keys.get(digest);
  }

  /** All that are good; not to be changed. */
  Map<Digest, Caller> keys() {
    return keys;
  }

  /** Knows the keys of a copy until those of the database are read. */
  void restore(Map<Digest, Caller> copied) {
    if (seen == NONE) {
      keys = new ConcurrentHashMap<>(copied);
    }
  }

  /**
   * Takes what the database says now.
   *
   * @param whole whether to look for lost keys even if the revision is the one seen last
   * @return whether anything is new
   */
  boolean look(Connection connection, boolean whole) throws SQLException {
    long revision = Kind.KEYS.revision(connection);
    boolean changed = revision != seen;
    if (changed && seen != NONE && revision > seen) {
      read(connection, seen, keys);
    } else if (changed) {
      replace(connection);
    }
    // only a hand deletes a key or gives it another secret: rows that are gone tell of no change
    if ((changed || whole) && KeyTable.count(connection) != keys.size()) {
      replace(connection);
      changed = true;
    }
    seen = revision;
    return changed;
  }

  private void replace(Connection connection) throws SQLException {
    Map<Digest, Caller> all = new ConcurrentHashMap<>();
    read(connection, NONE, all);
    keys = all;
  }

  private static void read(Connection connection, long since, Map<Digest, Caller> into)
      throws SQLException {
    KeyTable.since(
        connection,
        since,
        (hash, caller, revoked) -> {
          try {
            Digest digest = Digest.of(hash);
            if (revoked) {
              into.remove(digest);
            } else {
              into.put(digest, caller);
            }
          } catch (IllegalArgumentException e) {
            LOG.log(Level.WARNING, "weir_key {0}: hash is not hex; delete it", caller.key());
          }
        });
  }
}
