package io.weir.spring;

import java.util.Collection;
import java.util.Locale;

/** Derives rule ids from class, method and route names. */
final class RuleIds {
  private static final int MAX_LENGTH = 60;

  private RuleIds() {}

  /**
   * Returns an id in kebab case: {@code OrdersController-list} is {@code orders-controller-list}.
   */
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

  /** Returns the id, with a number from 2 on appended if it is already taken. */
  static String makeUnique(String id, Collection<String> taken) {
    String unique = id;
    for (int n = 2; taken.contains(unique); n++) {
      unique = id + "-" + n;
    }
    return unique;
  }
}
