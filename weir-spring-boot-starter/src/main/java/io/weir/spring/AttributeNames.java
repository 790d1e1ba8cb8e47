package io.weir.spring;

import io.weir.rules.text.NameSuggestion;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** The names of what rules can know of a request in a Spring application. */
final class AttributeNames {
  /** Who is authenticated, or else the address: {@code user:ann}, {@code ip:10.0.0.1}. */
  static final String PRINCIPAL = "principal";

  /** Who is authenticated; missing if nobody is. */
  static final String USER = "user";

  /** The class of the controller that handles it. */
  static final String CONTROLLER = "controller";

  /** The method that handles it, such as {@code com.example.Orders.list}. */
  static final String HANDLER = "handler";

  static final String HEADER_PREFIX = "header.";

  /** Ends the name of one that is the address where there is no value. */
  static final String OR_IP_SUFFIX = ".or-ip";

  /** Begins the name of one that an annotation's expression says. */
  static final String EXPRESSION_PREFIX = "expression.";

  private static final List<String> BUILT_IN =
      List.of("ip", USER, PRINCIPAL, "endpoint", "method", "path", "host", CONTROLLER, HANDLER);

  private AttributeNames() {}

  /** Whether requests can have it, given the names of the application's own. */
  static boolean isKnown(String name, Set<String> own) {
    String plain = withoutOrIpSuffix(name);
    return BUILT_IN.contains(plain)
        || own.contains(plain)
        || plain.startsWith(EXPRESSION_PREFIX)
        || (plain.startsWith(HEADER_PREFIX) && plain.length() > HEADER_PREFIX.length());
  }

  /**
   * Whether it can be known only after authentication, given the names of the application's own.
   */
  static boolean needsAuthentication(String name, Set<String> own) {
    String plain = withoutOrIpSuffix(name);
    return plain.equals(USER)
        || plain.equals(PRINCIPAL)
        || plain.startsWith(EXPRESSION_PREFIX)
        || own.contains(plain);
  }

  /** The header field it is of, if it is of one. */
  static Optional<String> headerName(String name) {
    String plain = withoutOrIpSuffix(name);
    return plain.startsWith(HEADER_PREFIX)
        ? Optional.of(plain.substring(HEADER_PREFIX.length()))
        : Optional.empty();
  }

  static String withoutOrIpSuffix(String name) {
    return name.endsWith(OR_IP_SUFFIX)
        ? name.substring(0, name.length() - OR_IP_SUFFIX.length())
        : name;
  }

  /** What an annotation's {@code per} counts by: never nothing, so that nobody can leave it out. */
  static String countingName(String per) {
    String name =
        per.regionMatches(true, 0, HEADER_PREFIX, 0, HEADER_PREFIX.length())
            ? toLowerCase(per)
            : per;
    boolean always = name.equals("ip") || name.equals(PRINCIPAL);
    return always ? name : name.equals(USER) ? PRINCIPAL : name + OR_IP_SUFFIX;
  }

  private static String toLowerCase(String text) {
    return text.toLowerCase(Locale.ROOT);
  }

  /** What to say of a name no request can have. */
  static String suggestion(String name, Collection<String> own) {
    List<String> known = new ArrayList<>(BUILT_IN);
    known.add(HEADER_PREFIX + "x-tenant");
    known.addAll(own);
    return NameSuggestion.hint(name, known);
  }
}
