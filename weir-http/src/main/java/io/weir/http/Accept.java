package io.weir.http;

import org.jspecify.annotations.Nullable;

/** Reads an {@code Accept} field (RFC 9110, 12.5.1) for the one question there is. */
final class Accept {
  /** What is read of a field; who has more to say gets JSON. */
  private static final int LONGEST = 4096;

  private static final int THOUSAND = 1000;
  private static final int UNKNOWN = -1;

  private Accept() {}

  /**
   * Whether {@code application/problem+json} is named, and wanted no less than JSON. A wildcard
   * does not name it: who takes anything gets the plain JSON.
   */
  static boolean wantsProblem(@Nullable String field) {
    if (field == null || field.length() > LONGEST) {
      return false;
    }
    int problem = UNKNOWN;
    int json = UNKNOWN;
    int group = UNKNOWN;
    int any = UNKNOWN;
    for (int from = 0; from < field.length(); ) {
      int comma = Parts.end(field, from, field.length(), ',');
      String element = field.substring(from, comma);
      int end = Parts.end(element, 0, element.length(), ';');
      int weight = weight(element, end + 1);
      switch (Ascii.lower(element.substring(0, end).strip())) {
        case Refusal.PROBLEM_JSON -> problem = Math.max(problem, weight);
        case Refusal.JSON -> json = Math.max(json, weight);
        case "application/*" -> group = Math.max(group, weight);
        case "*/*" -> any = Math.max(any, weight);
        default -> {}
      }
      from = comma + 1;
    }
    int plain = json != UNKNOWN ? json : group != UNKNOWN ? group : any;
    return problem > 0 && problem >= plain;
  }

  /** The weight in thousandths that the parameters from there on give; 0 if it is none. */
  private static int weight(String element, int parameters) {
    for (int from = parameters; from < element.length(); ) {
      int end = Parts.end(element, from, element.length(), ';');
      String parameter = element.substring(from, end).strip();
      if (parameter.startsWith("q=") || parameter.startsWith("Q=")) {
        return thousandths(parameter.substring(2));
      }
      from = end + 1;
    }
    return THOUSAND;
  }

  private static int thousandths(String q) {
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
    return zero ? value : value == 0 ? THOUSAND : 0;
  }
}
