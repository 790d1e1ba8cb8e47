package io.weir.rules.database;

import java.util.List;
import java.util.Optional;

/**
 * The API keys of a database: made and revoked there, verified from this node's memory.
 *
 * <p>A change is in force on this node when the call returns, and on every other node within two
 * seconds. Safe for any number of threads.
 */
public final class ApiKeys {
  private static final int MAX_NAME_LENGTH = 200;

  private final Database database;
  private final DatabaseReplica replica;

  ApiKeys(Database database, DatabaseReplica node) {
    this.database = database;
    this.replica = node;
  }

  /**
   * Makes a key.
   *
   * @param tier empty for none
   * @return it with its secret, of which only a digest is kept
   * @throws DatabaseException if the database is away
   */
  public NewApiKey create(String user, String tier, String who) {
    if (user.isBlank() || user.length() > MAX_NAME_LENGTH || tier.length() > MAX_NAME_LENGTH) {
      throw new IllegalArgumentException(
          "a key is for a user, and a tier if there are any; write 1 to 200 characters");
    }
    String by = DatabaseRules.requireName(who);
    NewApiKey made = ApiKeySecret.generate();
    ApiKeyOwner caller = new ApiKeyOwner(made.id(), user, tier);
    String hash = ApiKeySecret.digest(made.secret()).toHex();
    return replica.change(
        by,
        connection -> {
          ApiKeyTable.insert(connection, caller, hash, by);
          return made;
        });
  }

  /**
   * Revokes a key for good.
   *
   * @return whether there was such a key, and it was not revoked yet
   * @throws DatabaseException if the database is away
   */
  public boolean revoke(String id) {
    // a secret, written here by mistake, must not reach the database and its logs
    return !ApiKeySecret.hasSecretPrefix(id)
        && replica.change("", connection -> ApiKeyTable.revoke(connection, id));
  }

  /**
   * All keys, those revoked included, in the order they were made.
   *
   * @throws DatabaseException if the database is away
   */
  public List<ApiKey> list() {
    return database.read(ApiKeyTable::list);
  }

  /** Whom a presented secret is of; empty if it is of no good key. Never asks the database. */
  public Optional<ApiKeyOwner> verify(String presented) {
    return ApiKeySecret.hasSecretPrefix(presented)
        ? Optional.ofNullable(replica.apiKeys().ownerOf(ApiKeySecret.digest(presented)))
        : Optional.empty();
  }
}
