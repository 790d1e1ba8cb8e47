package io.weir.rules.database;

import io.weir.internal.Sha256;
import java.math.BigInteger;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HexFormat;

/** Secrets of API keys: {@code weir_}, an id, {@code _}, and 32 random bytes in base 62. */
final class ApiKeySecret {
  private static final SecureRandom RANDOM = new SecureRandom();
  private static final String ALPHABET =
      "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  private static final BigInteger BASE = BigInteger.valueOf(ALPHABET.length());
  private static final int RANDOM_BYTES = 32;
  private static final int ENCODED_LENGTH = 43;
  private static final int ID_LENGTH = 12;
  private static final int ID_ALPHABET_SIZE = 36;
  private static final int MAX_LENGTH = 128;

  private ApiKeySecret() {}

  static NewApiKey generate() {
    StringBuilder id = new StringBuilder();
    while (id.length() < ID_LENGTH) {
      id.append(ALPHABET.charAt(RANDOM.nextInt(ID_ALPHABET_SIZE)));
    }
    StringBuilder random = new StringBuilder();
    BigInteger rest = new BigInteger(RANDOM_BYTES * Byte.SIZE, RANDOM);
    while (random.length() < ENCODED_LENGTH) {
      BigInteger[] parts = rest.divideAndRemainder(BASE);
      random.append(ALPHABET.charAt(parts[1].intValue()));
      rest = parts[0];
    }
    return new NewApiKey(id.toString(), "weir_" + id + "_" + random);
  }

  /** Whether a text can be a secret; does not depend on existing keys. */
  static boolean hasSecretPrefix(String presented) {
    return presented.startsWith("weir_") && presented.length() <= MAX_LENGTH;
  }

  static SecretDigest digest(String secret) {
    return new SecretDigest(Sha256.digest(secret));
  }

  /** The SHA-256 of a secret, compared in constant time. */
  static final class SecretDigest {
    /** The digest that no secret has. */
    static final SecretDigest NONE = new SecretDigest(new byte[0]);

    private final byte[] bytes;

    private SecretDigest(byte[] bytes) {
      this.bytes = bytes;
    }

    /**
     * Parses a digest in hex.
     *
     * @throws IllegalArgumentException if the text is not hexadecimal
     */
    static SecretDigest fromHex(String hex) {
      return new SecretDigest(HexFormat.of().parseHex(hex));
    }

    String toHex() {
      return HexFormat.of().formatHex(bytes);
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof SecretDigest that && MessageDigest.isEqual(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(bytes);
    }
  }
}
