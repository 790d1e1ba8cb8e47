package io.weir.http;

import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads request lines so that no spelling of a path dodges the rules for it.
 *
 * <p>Characters that need no percent-encoding are decoded, hexadecimal digits are capitals, {@code
 * //} is {@code /}, {@code .} and {@code ..} are resolved, parameters of segments ({@code ;a=b})
 * are not matched, nor is a last {@code /} or the query. What upstreams could read differently is a
 * {@link BadRequestException}: an encoded slash, backslash, percent sign before two digits or
 * control character, bytes that are not UTF-8, a {@code ..} above the root, after {@code //} or
 * with parameters. What needs no change is not copied. Immutable.
 */
public final class EndpointNormalizer {
  /** The longest request target that is read. */
  public static final int MAX_TARGET_LENGTH = 8192;

  private static final int MAX_METHOD_LENGTH = 32;

  /** How upstreams differ from the usual. */
  public enum PathOption {
    /** {@code /Orders} is {@code /orders} to the upstream; rules are written in small letters. */
    IGNORE_CASE,
    /** {@code /orders/} is not {@code /orders} to the upstream. */
    KEEP_TRAILING_SLASH
  }

  private final boolean ignoreCase;
  private final boolean keepTrailingSlash;

  public EndpointNormalizer(PathOption... options) {
    Set<PathOption> chosen = Set.of(options);
    ignoreCase = chosen.contains(PathOption.IGNORE_CASE);
    keepTrailingSlash = chosen.contains(PathOption.KEEP_TRAILING_SLASH);
  }

  /**
   * Reads a request line.
   *
   * @param method as it was sent
   * @param target as it was sent: a path, with a query or without; a whole URI; {@code *}
   * @throws BadRequestException if it could be read in more than one way, or is none
   */
  public RequestEndpoint normalize(String method, String target) {
    String capitals = normalizeMethod(method);
    if (target.length() > MAX_TARGET_LENGTH) {
      throw new BadRequestException(
          "the target is longer than " + MAX_TARGET_LENGTH + " characters");
    }
    if (target.startsWith("/")) {
      return originForm(capitals, target, null);
    }
    if (target.equals("*") && capitals.equals("OPTIONS")) {
      return new RequestEndpoint(capitals, "*", "*", null);
    }
    return absoluteForm(capitals, target);
  }

  private RequestEndpoint absoluteForm(String method, String target) {
    int colon = target.indexOf("://");
    String scheme = colon < 0 ? "" : target.substring(0, colon);
    if (!scheme.equalsIgnoreCase("http") && !scheme.equalsIgnoreCase("https")) {
      throw new BadRequestException("the target is no path; write one that begins with /");
    }
    int from = colon + "://".length();
    int end = from;
    while (end < target.length() && "/?#".indexOf(target.charAt(end)) < 0) {
      end++;
    }
    String rest = target.substring(end);
    return originForm(
        method, rest.startsWith("/") ? rest : "/" + rest, target.substring(from, end));
  }

  private RequestEndpoint originForm(String method, String target, @Nullable String authority) {
    int question = target.indexOf('?');
    int end = question < 0 ? target.length() : question;
    checkQuery(target, end);
    if (!isCanonical(target, end)) {
      return new PathNormalizer(ignoreCase, keepTrailingSlash)
          .normalize(target.substring(0, end))
          .toEndpoint(method, target.substring(end), authority);
    }
    boolean slash = end > 1 && target.charAt(end - 1) == '/' && !keepTrailingSlash;
    String path = target.substring(0, slash ? end - 1 : end);
    return new RequestEndpoint(
        method, ignoreCase ? Ascii.toLowerCase(path) : path, target, authority);
  }

  private static String normalizeMethod(String method) {
    if (method.isEmpty() || method.length() > MAX_METHOD_LENGTH) {
      throw new BadRequestException("the method is empty or too long");
    }
    boolean capitals = true;
    for (int i = 0; i < method.length(); i++) {
      char c = method.charAt(i);
      if (!Ascii.isToken(c)) {
        throw new BadRequestException("the method is no token");
      }
      capitals &= c < 'a' || c > 'z';
    }
    return capitals ? method : method.toUpperCase(Locale.ROOT);
  }

  /** Whether a path is spelled as it is matched, but for a last slash and capitals. */
  private static boolean isCanonical(String target, int end) {
    for (int i = 0; i < end; i++) {
      char c = target.charAt(i);
      if (c == '/') {
        char next = i + 1 < end ? target.charAt(i + 1) : 0;
        if (next == '/' || next == '.') {
          return false;
        }
      } else if (!Ascii.isPathSegmentChar(c)) {
        return false;
      }
    }
    return true;
  }

  private static void checkQuery(String target, int from) {
    for (int i = from; i < target.length(); i++) {
      char c = target.charAt(i);
      if (!Ascii.isVisible(c) || c == '#') {
        throw new BadRequestException("the query has a character that must be percent-encoded");
      }
    }
  }
}
