package io.weir.rules.database;

import java.time.Instant;
import java.util.Optional;

/**
 * An API key without its secret, so that it can be shown.
 *
 * @param owner the owner of the key
 * @param who who created it
 * @param revoked when it was revoked; empty while it is valid
 */
public record ApiKey(ApiKeyOwner owner, String who, Instant created, Optional<Instant> revoked) {}
