package io.weir.spring;

import io.weir.rules.text.NameSuggestion;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** The names of request attributes that rules can use in a Spring application. */
final class AttributeNames {
  /** The authenticated user, or else the address: {@code user:ann}, {@code ip:10.0.0.1}. */
  static final String PRINCIPAL = "principal";

  /** The authenticated user; missing for an anonymous request. */
  static final String USER = "user";

  /** The class of the controller that handles the request. */
  static final String CONTROLLER = "controller";

  /** The method that handles the request, for example {@code com.example.Orders.list}. */
  static final String HANDLER = "handler";

  static final String HEADER_PREFIX = "header.";

  /** The suffix of attributes that fall back to the client address if there is no value. */
  static final String OR_IP_SUFFIX = ".or-ip";

  /** The prefix of attributes computed by an expression of an annotation. */
  static final String EXPRESSION_PREFIX = "expression.";

  private static final List<String> BUILT_IN =
      List.of("ip", USER, PRINCIPAL, "endpoint", "method", "path", "host", CONTROLLER, HANDLER);

  private AttributeNames() {}

  /** Returns whether requests can have the attribute. */
  static boolean isKnown(String name, Set<String> customAttributes) {
    String plain = withoutOrIpSuffix(name);
    return BUILT_IN.contains(plain)
        || customAttributes.contains(plain)
        || plain.startsWith(EXPRESSION_PREFIX)
        || (plain.startsWith(HEADER_PREFIX) && plain.length() > HEADER_PREFIX.length());
  }

  /** Returns whether the attribute is available only after authentication. */
  static boolean needsAuthentication(String name, Set<String> customAttributes) {
    String plain = withoutOrIpSuffix(name);
    return plain.equals(USER)
        || plain.equals(PRINCIPAL)
        || plain.startsWith(EXPRESSION_PREFIX)
        || customAttributes.contains(plain);
  }

  /** Returns the header field of an attribute; empty if it is not a header attribute. */
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

  /** Returns the attribute for {@code per} of an annotation; it has a value in every request. */
  static String countingName(String per) {
    String name =
        per.regionMatches(true, 0, HEADER_PREFIX, 0, HEADER_PREFIX.length())
            ? toLowerCase(per)
            : per;
    boolean alwaysPresent = name.equals("ip") || name.equals(PRINCIPAL);
    return alwaysPresent ? name : name.equals(USER) ? PRINCIPAL : name + OR_IP_SUFFIX;
  }

  private static String toLowerCase(String text) {
    return text.toLowerCase(Locale.ROOT);
  }

  /** Returns a suggestion for an unknown attribute name. */
  static String suggestion(String name, Collection<String> customAttributes) {
    List<String> known = new ArrayList<>(BUILT_IN);
    known.add(HEADER_PREFIX + "x-tenant");
    known.addAll(customAttributes);
    return NameSuggestion.hint(name, known);
  }
}
