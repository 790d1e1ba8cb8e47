package io.weir.http;

import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Normalizes request lines, so that no alternative spelling of a path evades its rules.
 *
 * <p>Characters that need no percent-encoding are decoded, hexadecimal digits become upper case,
 * {@code //} becomes {@code /}, and {@code .} and {@code ..} are resolved. Segment parameters
 * ({@code ;a=b}), a trailing {@code /} and the query are not matched. Targets that upstreams could
 * interpret differently are rejected with a {@link BadRequestException}: an encoded slash,
 * backslash, percent sign before two digits or control character, bytes that are not UTF-8, a
 * {@code ..} above the root, after {@code //} or with parameters. Targets that need no change are
 * not copied. Immutable.
 */
public final class EndpointNormalizer {
  /** The maximum length of a request target, in characters. */
  public static final int MAX_TARGET_LENGTH = 8192;

  private static final int MAX_METHOD_LENGTH = 32;

  /** Describes how upstreams differ from the default path handling. */
  public enum PathOption {
    /** The upstream treats {@code /Orders} as {@code /orders}; rules use lower case. */
    IGNORE_CASE,
    /** The upstream treats {@code /orders/} and {@code /orders} as different paths. */
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
   * Normalizes a request line.
   *
   * @param method as it was sent
   * @param target as it was sent: a path with or without a query, an absolute URI, or {@code *}
   * @throws BadRequestException if it is invalid or ambiguous
   */
  public RequestEndpoint normalize(String method, String target) {
    String upperMethod = normalizeMethod(method);
    if (target.length() > MAX_TARGET_LENGTH) {
      throw new BadRequestException(
          "the request target is longer than " + MAX_TARGET_LENGTH + " characters");
    }
    if (target.startsWith("/")) {
      return originForm(upperMethod, target, null);
    }
    if (target.equals("*") && upperMethod.equals("OPTIONS")) {
      return new RequestEndpoint(upperMethod, "*", "*", null);
    }
    return absoluteForm(upperMethod, target);
  }

  private RequestEndpoint absoluteForm(String method, String target) {
    int colon = target.indexOf("://");
    String scheme = colon < 0 ? "" : target.substring(0, colon);
    if (!scheme.equalsIgnoreCase("http") && !scheme.equalsIgnoreCase("https")) {
      throw new BadRequestException("the request target must be a path that begins with /");
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
    boolean upperCase = true;
    for (int i = 0; i < method.length(); i++) {
      char c = method.charAt(i);
      if (!Ascii.isToken(c)) {
        throw new BadRequestException("the method is not a valid token");
      }
      upperCase &= c < 'a' || c > 'z';
    }
    return upperCase ? method : method.toUpperCase(Locale.ROOT);
  }

  /** Returns whether a path is normalized, except for a trailing slash and upper case. */
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
