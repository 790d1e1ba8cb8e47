package io.weir.server.refusals;

import static java.nio.charset.StandardCharsets.UTF_16BE;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.weir.Request;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Pseudonymizes callers in the refusal log: lines of one caller have the same hash, and without the
 * salt the caller cannot be identified. The hash is 64 bits of an HMAC-SHA-256. Not thread-safe.
 */
final class CallerHash {
  private static final int HASH_BYTES = 8;

  private final Mac mac;

  /**
   * @param salt a secret; equal on several nodes or runs, it makes their hashes comparable. If
   *     empty, a random salt is generated at each start
   */
  CallerHash(Optional<String> salt) {
    byte[] key = salt.map(text -> text.getBytes(UTF_8)).orElseGet(CallerHash::randomKey);
    if (key.length == 0) {
      throw new IllegalArgumentException(
          "the salt must not be empty; write a secret text, or leave it out");
    }
    try {
      mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has HmacSHA256", e);
    }
  }

  /** Returns the hash of the caller, identified by these attributes. */
  String hash(Request request, List<String> per) {
    for (String name : per) {
      update(name);
      String value = request.get(name);
      update(value == null ? "" : value);
    }
    return HexFormat.of().formatHex(mac.doFinal(), 0, HASH_BYTES);
  }

  /** Adds a text with a length prefix, so that different lists are different inputs. */
  private void update(String text) {
    mac.update(ByteBuffer.allocate(Integer.BYTES).putInt(text.length()).flip());
    mac.update(text.getBytes(UTF_16BE));
  }

  private static byte[] randomKey() {
    byte[] key = new byte[32];
    new SecureRandom().nextBytes(key);
    return key;
  }
}
