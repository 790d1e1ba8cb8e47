package io.weir.internal;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** SHA-256 digests, without the checked exception for an algorithm that every JDK has. */
public final class Sha256 {
  private Sha256() {}

  /** Returns the digest of a text in UTF-8. */
  public static byte[] digest(String text) {
    return newDigest().digest(text.getBytes(UTF_8));
  }

  /** Returns a digest that is computed step by step. */
  public static MessageDigest newDigest() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
