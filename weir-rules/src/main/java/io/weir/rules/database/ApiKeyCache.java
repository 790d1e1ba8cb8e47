package io.weir.rules.database;

import io.weir.rules.database.ApiKeySecret.SecretDigest;
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
final class ApiKeyCache {
  private static final Logger LOG = System.getLogger(ApiKeyCache.class.getName());
  private static final long NO_REVISION = -1;

  private final Set<String> reportedKeys = new HashSet<>();
  private long lastRevision = NO_REVISION;
  private ApiKeyIndex index = new ApiKeyIndex();
  private volatile Map<SecretDigest, ApiKeyOwner> keys = index.ownersByDigest;

  @Nullable ApiKeyOwner ownerOf(SecretDigest digest) {
    return keys.get(digest);
  }

  /** All that are good; not to be changed. */
  Map<SecretDigest, ApiKeyOwner> keys() {
    return keys;
  }

  /** Knows the keys of a copy until those of the database are read. */
  void restore(Map<SecretDigest, ApiKeyOwner> copied) {
    keys = Map.copyOf(copied);
  }

  /**
   * Takes what was changed in the database.
   *
   * @param whole whether to look for lost keys even if nothing says that any are
   * @return whether anything is new
   */
  boolean refresh(Connection connection, ChangeFeed.FeedPosition moved, boolean whole)
      throws SQLException {
    boolean back =
        lastRevision == NO_REVISION
            || moved.revision() < lastRevision
            || moved.deletedRevision() > lastRevision;
    boolean changed = moved.revision() != lastRevision;
    if (back || (whole && ApiKeyTable.countActive(connection) != index.digestsById.size())) {
      reload(connection);
      changed = true;
    } else if (changed) {
      ApiKeyTable.visitChangedSince(connection, lastRevision, index);
    }
    lastRevision = moved.revision();
    return changed;
  }

  private void reload(Connection connection) throws SQLException {
    ApiKeyIndex all = new ApiKeyIndex();
    ApiKeyTable.visitActive(connection, all);
    index = all;
    keys = all.ownersByDigest;
  }

  /** The rows of good keys, by their id for those who change them, by their digest for all. */
  private final class ApiKeyIndex implements ApiKeyTable.ApiKeyVisitor {
    final Map<String, SecretDigest> digestsById = new HashMap<>();
    final Map<SecretDigest, ApiKeyOwner> ownersByDigest = new ConcurrentHashMap<>();

    @Override
    public void visit(String hash, ApiKeyOwner caller, boolean revoked) {
      SecretDigest now = revoked ? SecretDigest.NONE : digest(hash, caller);
      SecretDigest old =
          revoked ? digestsById.remove(caller.key()) : digestsById.put(caller.key(), now);
      if (!now.equals(SecretDigest.NONE)) {
        ownersByDigest.put(now, caller);
      }
      if (old != null && !old.equals(now)) {
        ownersByDigest.remove(old);
      }
    }

    private SecretDigest digest(String hash, ApiKeyOwner caller) {
      try {
        return SecretDigest.fromHex(hash);
      } catch (IllegalArgumentException e) {
        if (reportedKeys.add(caller.key())) {
          LOG.log(Level.WARNING, "weir_key {0}: hash is not hex; delete it", caller.key());
        }
        return SecretDigest.NONE;
      }
    }
  }
}
