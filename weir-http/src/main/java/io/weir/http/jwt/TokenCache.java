package io.weir.http.jwt;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.weir.http.VerifiedCaller;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Tokens that were verified, by digest, so that a signature is checked once and not at each
 * request. Bounded: two generations, of which the elder is dropped when the younger is full.
 */
final class TokenCache {
  private final int generationSize;
  private volatile Map<TokenDigest, CachedToken> youngGeneration = new ConcurrentHashMap<>();
  private volatile Map<TokenDigest, CachedToken> oldGeneration = Map.of();

  /**
   * @param generation how many tokens make a generation
   */
  TokenCache(int generation) {
    this.generationSize = generation;
  }

  /** The SHA-256 of a token. */
  record TokenDigest(long a, long b, long c, long d) {
    static TokenDigest of(String token) {
      try {
        MessageDigest sha = MessageDigest.getInstance("SHA-256");
        ByteBuffer bytes = ByteBuffer.wrap(sha.digest(token.getBytes(ISO_8859_1)));
        return new TokenDigest(bytes.getLong(), bytes.getLong(), bytes.getLong(), bytes.getLong());
      } catch (NoSuchAlgorithmException e) {
        throw new IllegalStateException("every Java has SHA-256", e);
      }
    }
  }

  /**
   * What was found out of a token.
   *
   * @param keys those that verified it: once they are replaced it must be verified again
   * @param expiresMillis when it ends, in milliseconds since the epoch
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
