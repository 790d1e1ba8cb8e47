package io.weir.spring;

import io.weir.rules.text.Nearest;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** The names of what rules can know of a request in a Spring application. */
final class Attribute {
  /** Who is authenticated, or else the address: {@code user:ann}, {@code ip:10.0.0.1}. */
  static final String PRINCIPAL = "principal";

  /** Who is authenticated; missing if nobody is. */
  static final String USER = "user";

  /** The class of the controller that handles it. */
  static final String CONTROLLER = "controller";

  /** The method that handles it, such as {@code com.example.Orders.list}. */
  static final String HANDLER = "handler";

  static final String HEADER = "header.";

  /** Ends the name of one that is the address where there is no value. */
  static final String OR_IP = ".or-ip";

  /** Begins the name of one that an annotation's expression says. */
  static final String EXPRESSION = "expression.";

  private static final List<String> PLAIN =
      List.of("ip", USER, PRINCIPAL, "endpoint", "method", "path", "host", CONTROLLER, HANDLER);

  private Attribute() {}

  /** Whether requests can have it, given the names of the application's own. */
  static boolean isKnown(String name, Set<String> own) {
    String plain = withoutOrIp(name);
    return PLAIN.contains(plain)
        || own.contains(plain)
        || plain.startsWith(EXPRESSION)
        || (plain.startsWith(HEADER) && plain.length() > HEADER.length());
  }

  /**
   * Whether it can be known only after authentication, given the names of the application's own.
   */
  static boolean isLate(String name, Set<String> own) {
    String plain = withoutOrIp(name);
    return plain.equals(USER)
        || plain.equals(PRINCIPAL)
        || plain.startsWith(EXPRESSION)
        || own.contains(plain);
  }

  /** The header field it is of, if it is of one. */
  static Optional<String> header(String name) {
    String plain = withoutOrIp(name);
    return plain.startsWith(HEADER)
        ? Optional.of(plain.substring(HEADER.length()))
        : Optional.empty();
  }

  static String withoutOrIp(String name) {
    return name.endsWith(OR_IP) ? name.substring(0, name.length() - OR_IP.length()) : name;
  }

  /** What an annotation's {@code per} counts by: never nothing, so that nobody can leave it out. */
  static String counted(String per) {
    String name = per.regionMatches(true, 0, HEADER, 0, HEADER.length()) ? lower(per) : per;
    boolean always = name.equals("ip") || name.equals(PRINCIPAL);
    return always ? name : name.equals(USER) ? PRINCIPAL : name + OR_IP;
  }

  private static String lower(String text) {
    return text.toLowerCase(Locale.ROOT);
  }

  /** What to say of a name no request can have. */
  static String hint(String name, Collection<String> own) {
    List<String> known = new ArrayList<>(PLAIN);
    known.add(HEADER + "x-tenant");
    known.addAll(own);
    return Nearest.hint(name, known);
  }
}
