package io.weir.gateway;

import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** Identifies a request in the logs of the gateway and of its upstreams. */
final class RequestId {
  static final String HEADER = "X-Request-ID";
  private static final int MAX_LENGTH = 128;
  private static final int HEX_DIGITS = 16;

  private RequestId() {}

  /** Returns the caller's id if it is of letters, digits and {@code -_.:}, else a random one. */
  static String of(@Nullable String sent) {
    return sent != null && isValid(sent) ? sent : random();
  }

  private static String random() {
    String hex = Long.toHexString(ThreadLocalRandom.current().nextLong());
    return "0".repeat(HEX_DIGITS - hex.length()) + hex;
  }

  private static boolean isValid(String id) {
    if (id.isEmpty() || id.length() > MAX_LENGTH) {
      return false;
    }
    for (int i = 0; i < id.length(); i++) {
      char c = id.charAt(i);
      boolean isLetter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
      if (!isLetter && !(c >= '0' && c <= '9') && "-_.:".indexOf(c) < 0) {
        return false;
      }
    }
    return true;
  }
}
