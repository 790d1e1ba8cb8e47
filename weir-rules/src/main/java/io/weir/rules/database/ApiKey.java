package io.weir.rules.database;

import java.time.Instant;
import java.util.Optional;

/**
 * An API key as it can be shown: all but its secret.
 *
 * @param owner whom it is for
 * @param who who made it
 * @param revoked when it was revoked; empty while it is good
 */
public record ApiKey(ApiKeyOwner owner, String who, Instant created, Optional<Instant> revoked) {}
