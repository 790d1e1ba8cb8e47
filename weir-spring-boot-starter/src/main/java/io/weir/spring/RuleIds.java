package io.weir.spring;

import java.util.Collection;
import java.util.Locale;

/** Names rules by what they are for, in the letters ids have. */
final class RuleIds {
  private static final int MAX_LENGTH = 60;

  private RuleIds() {}

  /** {@code OrdersController-list} is {@code orders-controller-list}. */
  static String fromName(String name) {
    String id =
        name.replaceAll("(?<=[a-z0-9])(?=[A-Z])", "-")
            .toLowerCase(Locale.ROOT)
            .replaceAll("[^a-z0-9]+", "-")
            .replaceAll("^-|-$", "");
    return id.length() <= MAX_LENGTH
        ? id
        : id.substring(0, MAX_LENGTH - 9) + "-" + Integer.toHexString(id.hashCode());
  }

  /** That id, or with the first number from 2 on that is not taken. */
  static String makeUnique(String id, Collection<String> taken) {
    String free = id;
    for (int n = 2; taken.contains(free); n++) {
      free = id + "-" + n;
    }
    return free;
  }
}
