package io.weir.http.jwt;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.weir.http.Caller;
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
  private final int generation;
  private volatile Map<Digest, Known> younger = new ConcurrentHashMap<>();
  private volatile Map<Digest, Known> elder = Map.of();

  /**
   * @param generation how many tokens make a generation
   */
  TokenCache(int generation) {
    this.generation = generation;
  }

  /** The SHA-256 of a token. */
  record Digest(long a, long b, long c, long d) {
    static Digest of(String token) {
      try {
        MessageDigest sha = MessageDigest.getInstance("SHA-256");
        ByteBuffer bytes = ByteBuffer.wrap(sha.digest(token.getBytes(ISO_8859_1)));
        return new Digest(bytes.getLong(), bytes.getLong(), bytes.getLong(), bytes.getLong());
      } catch (NoSuchAlgorithmException e) {
        throw new IllegalStateException("every Java has SHA-256", e);
      }
    }
  }

  /**
   * What was found out of a token.
   *
   * @param keys those that verified it: once they are replaced it must be verified again
   * @param expires when it ends, in milliseconds since the epoch
   */
  record Known(Caller caller, KeySet keys, long expires) {}

  @Nullable Known get(Digest digest) {
    Known known = younger.get(digest);
    if (known == null) {
      known = elder.get(digest);
      if (known != null) {
        put(digest, known);
      }
    }
    return known;
  }

  void put(Digest digest, Known known) {
    if (younger.size() >= generation) {
      turn();
    }
    younger.put(digest, known);
  }

  private synchronized void turn() {
    if (younger.size() >= generation) {
      elder = younger;
      younger = new ConcurrentHashMap<>();
    }
  }

  int size() {
    return younger.size() + elder.size();
  }
}
