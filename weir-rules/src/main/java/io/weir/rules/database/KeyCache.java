package io.weir.rules.database;

import io.weir.rules.database.Secret.Digest;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
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

  private final Set<String> told = new HashSet<>();
  private long seen = NONE;
  private Table table = new Table();
  private volatile Map<Digest, Caller> keys = table.callers;

  @Nullable Caller caller(Digest digest) {
    return keys.get(digest);
  }

  /** All that are good; not to be changed. */
  Map<Digest, Caller> keys() {
    return keys;
  }

  /** Knows the keys of a copy until those of the database are read. */
  void restore(Map<Digest, Caller> copied) {
    keys = Map.copyOf(copied);
  }

  /**
   * Takes what was changed in the database.
   *
   * @param whole whether to look for lost keys even if nothing says that any are
   * @return whether anything is new
   */
  boolean look(Connection connection, Kind.Moved moved, boolean whole) throws SQLException {
    boolean back = seen == NONE || moved.now() < seen || moved.deleted() > seen;
    boolean changed = moved.now() != seen;
    if (back || (whole && KeyTable.count(connection) != table.digests.size())) {
      replace(connection);
      changed = true;
    } else if (changed) {
      KeyTable.since(connection, seen, table);
    }
    seen = moved.now();
    return changed;
  }

  private void replace(Connection connection) throws SQLException {
    Table all = new Table();
    KeyTable.good(connection, all);
    table = all;
    keys = all.callers;
  }

  /** The rows of good keys, by their id for those who change them, by their digest for all. */
  private final class Table implements KeyTable.Visitor {
    final Map<String, Digest> digests = new HashMap<>();
    final Map<Digest, Caller> callers = new ConcurrentHashMap<>();

    @Override
    public void key(String hash, Caller caller, boolean revoked) {
      Digest now = revoked ? Digest.NONE : digest(hash, caller);
      Digest old = revoked ? digests.remove(caller.key()) : digests.put(caller.key(), now);
      if (!now.equals(Digest.NONE)) {
        callers.put(now, caller);
      }
      if (old != null && !old.equals(now)) {
        callers.remove(old);
      }
    }

    private Digest digest(String hash, Caller caller) {
      try {
        return Digest.of(hash);
      } catch (IllegalArgumentException e) {
        if (told.add(caller.key())) {
          LOG.log(Level.WARNING, "weir_key {0}: hash is not hex; delete it", caller.key());
        }
        return Digest.NONE;
      }
    }
  }
}
