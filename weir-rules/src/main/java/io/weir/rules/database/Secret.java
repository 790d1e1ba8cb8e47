package io.weir.rules.database;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.math.BigInteger;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HexFormat;

/** Secrets of API keys: {@code weir_}, an id, {@code _}, and 32 random bytes in base 62. */
final class Secret {
  private static final SecureRandom RANDOM = new SecureRandom();
  private static final String DIGITS =
      "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  private static final BigInteger BASE = BigInteger.valueOf(DIGITS.length());
  private static final int BYTES = 32;
  private static final int LENGTH = 43;
  private static final int ID_LENGTH = 12;
  private static final int ID_DIGITS = 36;
  private static final int LONGEST = 128;

  private Secret() {}

  static NewKey make() {
    StringBuilder id = new StringBuilder();
    while (id.length() < ID_LENGTH) {
      id.append(DIGITS.charAt(RANDOM.nextInt(ID_DIGITS)));
    }
    StringBuilder random = new StringBuilder();
    BigInteger rest = new BigInteger(BYTES * Byte.SIZE, RANDOM);
    while (random.length() < LENGTH) {
      BigInteger[] parts = rest.divideAndRemainder(BASE);
      random.append(DIGITS.charAt(parts[1].intValue()));
      rest = parts[0];
    }
    return new NewKey(id.toString(), "weir_" + id + "_" + random);
  }

  /** Whether this could be a secret; nobody can learn from it which keys there are. */
  static boolean looksLike(String presented) {
    return presented.startsWith("weir_") && presented.length() <= LONGEST;
  }

  static Digest digest(String secret) {
    try {
      return new Digest(MessageDigest.getInstance("SHA-256").digest(secret.getBytes(UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  /** The SHA-256 of a secret; two are compared in constant time. */
  static final class Digest {
    /** That of nothing. */
    static final Digest NONE = new Digest(new byte[0]);

    private final byte[] bytes;

    private Digest(byte[] bytes) {
      this.bytes = bytes;
    }

    /**
     * Of its hex.
     *
     * @throws IllegalArgumentException if it is none
     */
    static Digest of(String hex) {
      return new Digest(HexFormat.of().parseHex(hex));
    }

    String hex() {
      return HexFormat.of().formatHex(bytes);
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Digest that && MessageDigest.isEqual(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(bytes);
    }
  }
}
