package io.weir.http;

import org.jspecify.annotations.Nullable;

/**
 * Parses an {@code Accept} header (RFC 9110, 12.5.1) to choose between plain JSON and problem JSON.
 */
final class AcceptHeader {
  /** Longer fields are not parsed; their senders get plain JSON. */
  private static final int MAX_FIELD_LENGTH = 4096;

  private static final int FULL_WEIGHT = 1000;
  private static final int NOT_LISTED = -1;

  private AcceptHeader() {}

  /**
   * Returns whether {@code application/problem+json} is listed with at least the weight of JSON. A
   * wildcard does not list it: clients that accept anything get plain JSON.
   */
  static boolean prefersProblemJson(@Nullable String field) {
    if (field == null || field.length() > MAX_FIELD_LENGTH) {
      return false;
    }
    int problem = NOT_LISTED;
    int json = NOT_LISTED;
    int group = NOT_LISTED;
    int any = NOT_LISTED;
    for (int from = 0; from < field.length(); ) {
      int comma = HeaderValueScanner.endOfPart(field, from, field.length(), ',');
      String element = field.substring(from, comma);
      int end = HeaderValueScanner.endOfPart(element, 0, element.length(), ';');
      int weight = weight(element, end + 1);
      switch (Ascii.toLowerCase(element.substring(0, end).strip())) {
        case RefusalResponse.PROBLEM_JSON -> problem = Math.max(problem, weight);
        case RefusalResponse.JSON -> json = Math.max(json, weight);
        case "application/*" -> group = Math.max(group, weight);
        case "*/*" -> any = Math.max(any, weight);
        default -> {}
      }
      from = comma + 1;
    }
    int plain = json != NOT_LISTED ? json : group != NOT_LISTED ? group : any;
    return problem > 0 && problem >= plain;
  }

  /**
   * Returns the weight, in thousandths, of the {@code q} parameter at or after the given index:
   * 1000 if there is none, 0 if it is invalid.
   */
  private static int weight(String element, int parameters) {
    for (int from = parameters; from < element.length(); ) {
      int end = HeaderValueScanner.endOfPart(element, from, element.length(), ';');
      String parameter = element.substring(from, end).strip();
      if (parameter.startsWith("q=") || parameter.startsWith("Q=")) {
        return parseWeight(parameter.substring(2));
      }
      from = end + 1;
    }
    return FULL_WEIGHT;
  }

  private static int parseWeight(String q) {
    boolean zero = q.startsWith("0");
    if (q.length() > 5 || (!zero && !q.startsWith("1")) || (q.length() > 1 && q.charAt(1) != '.')) {
      return 0;
    }
    int value = 0;
    for (int i = 2; i < 5; i++) {
      char c = i < q.length() ? q.charAt(i) : '0';
      if (c < '0' || c > '9') {
        return 0;
      }
      value = value * 10 + c - '0';
    }
    return zero ? value : value == 0 ? FULL_WEIGHT : 0;
  }
}
