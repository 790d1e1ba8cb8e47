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
 * The valid API keys of the database, in the memory of this node.
 *
 * <p>Keys are looked up by the digest of the whole secret. The time of a lookup depends on the
 * digest, which an attacker without the secret cannot choose, so it reveals nothing about existing
 * keys.
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

  /** Returns the owners of all valid keys by digest; must not be modified. */
  Map<SecretDigest, ApiKeyOwner> keys() {
    return keys;
  }

  /** Uses the keys of a backup until those of the database are read. */
  void restore(Map<SecretDigest, ApiKeyOwner> restored) {
    keys = Map.copyOf(restored);
  }

  /**
   * Applies the changes of the database since the last call.
   *
   * @param whole whether to check for missing keys even if no deletion was recorded
   * @return whether anything changed
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

  /** An index of valid keys: by id for updates, by digest for lookups. */
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
          LOG.log(
              Level.WARNING,
              "weir_key {0}: hash must be hexadecimal; delete the row",
              caller.key());
        }
        return SecretDigest.NONE;
      }
    }
  }
}
