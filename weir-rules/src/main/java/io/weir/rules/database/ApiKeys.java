package io.weir.rules.database;

import java.util.List;
import java.util.Optional;

/**
 * The API keys of a database: created and revoked there, verified from this node's memory.
 *
 * <p>A change is in force on this node when the call returns, and on every other node within two
 * seconds. Thread-safe.
 */
public final class ApiKeys {
  private static final int MAX_NAME_LENGTH = 200;

  private final Database database;
  private final DatabaseReplica replica;

  ApiKeys(Database database, DatabaseReplica replica) {
    this.database = database;
    this.replica = replica;
  }

  /**
   * Creates a key.
   *
   * @param tier empty for none
   * @return the key with its secret, of which only a digest is stored
   * @throws DatabaseException if the database is unavailable
   */
  public NewApiKey create(String user, String tier, String who) {
    if (user.isBlank() || user.length() > MAX_NAME_LENGTH || tier.length() > MAX_NAME_LENGTH) {
      throw new IllegalArgumentException(
          "user must have 1 to 200 characters and tier at most 200, for example acme and pro");
    }
    String author = DatabaseRules.requireName(who);
    NewApiKey key = ApiKeySecret.generate();
    ApiKeyOwner owner = new ApiKeyOwner(key.id(), user, tier);
    String hash = ApiKeySecret.digest(key.secret()).toHex();
    return replica.change(
        author,
        connection -> {
          ApiKeyTable.insert(connection, owner, hash, author);
          return key;
        });
  }

  /**
   * Revokes a key permanently.
   *
   * @return whether the key exists and was not revoked yet
   * @throws DatabaseException if the database is unavailable
   */
  public boolean revoke(String id) {
    // a secret passed by mistake must not reach the database and its logs
    return !ApiKeySecret.hasSecretPrefix(id)
        && replica.change("", connection -> ApiKeyTable.revoke(connection, id));
  }

  /**
   * Returns all keys, including revoked ones, in the order they were created.
   *
   * @throws DatabaseException if the database is unavailable
   */
  public List<ApiKey> list() {
    return database.read(ApiKeyTable::list);
  }

  /** Returns the owner of a secret; empty if no valid key has it. Never queries the database. */
  public Optional<ApiKeyOwner> verify(String presented) {
    return ApiKeySecret.hasSecretPrefix(presented)
        ? Optional.ofNullable(replica.apiKeys().ownerOf(ApiKeySecret.digest(presented)))
        : Optional.empty();
  }
}
