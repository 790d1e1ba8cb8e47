package io.weir.http.jwt;

import io.weir.http.VerifiedCaller;
import io.weir.internal.Sha256;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Caches verified tokens by digest, so that a signature is checked once and not for each request.
 * Bounded: there are two generations; when the young one is full, the old one is dropped.
 */
final class TokenCache {
  private final int generationSize;
  private volatile Map<TokenDigest, CachedToken> youngGeneration = new ConcurrentHashMap<>();
  private volatile Map<TokenDigest, CachedToken> oldGeneration = Map.of();

  /**
   * @param generation the maximum number of tokens of a generation
   */
  TokenCache(int generation) {
    this.generationSize = generation;
  }

  /** The SHA-256 of a token. */
  record TokenDigest(long a, long b, long c, long d) {
    static TokenDigest of(String token) {
      ByteBuffer bytes = ByteBuffer.wrap(Sha256.digest(token));
      return new TokenDigest(bytes.getLong(), bytes.getLong(), bytes.getLong(), bytes.getLong());
    }
  }

  /**
   * The result of verifying a token.
   *
   * @param caller the caller that the token belongs to
   * @param keys the keys it was verified with; once they are replaced, it must be verified again
   * @param expiresMillis when the token expires, in milliseconds since the epoch
   */
  record CachedToken(VerifiedCaller caller, JwtKeySet keys, long expiresMillis) {}

  @Nullable CachedToken get(TokenDigest digest) {
    CachedToken known = youngGeneration.get(digest);
    if (known == null) {
      known = oldGeneration.get(digest);
      if (known != null) {
        put(digest, known);
      }
    }
    return known;
  }

  void put(TokenDigest digest, CachedToken known) {
    if (youngGeneration.size() >= generationSize) {
      rotateGenerations();
    }
    youngGeneration.put(digest, known);
  }

  private synchronized void rotateGenerations() {
    if (youngGeneration.size() >= generationSize) {
      oldGeneration = youngGeneration;
      youngGeneration = new ConcurrentHashMap<>();
    }
  }

  int size() {
    return youngGeneration.size() + oldGeneration.size();
  }
}
