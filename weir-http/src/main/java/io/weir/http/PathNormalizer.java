package io.weir.http;

import org.jspecify.annotations.Nullable;

/**
 * Normalizes one path, segment by segment, into the form to match and the form to forward. They
 * differ where upstreams may distinguish paths that rules do not: in segment parameters, a trailing
 * slash, upper case, and characters that most, but not all, upstreams treat alike with and without
 * percent-encoding.
 */
final class PathNormalizer {
  private static final int DELETE_CHAR = 0x7f;

  private final boolean ignoreCase;
  private final boolean keepTrailingSlash;
  private final StringBuilder matched = new StringBuilder();
  private final StringBuilder forwarded = new StringBuilder();
  private boolean hasEmptySegment;
  private boolean hasParentSegment;

  PathNormalizer(boolean ignoreCase, boolean keepLastSlash) {
    this.ignoreCase = ignoreCase;
    this.keepTrailingSlash = keepLastSlash;
  }

  RequestEndpoint toEndpoint(String method, String query, @Nullable String authority) {
    return new RequestEndpoint(
        method, matched.toString(), forwarded.append(query).toString(), authority);
  }

  PathNormalizer normalize(String path) {
    for (int from = 1; from <= path.length(); ) {
      int slash = path.indexOf('/', from);
      int end = slash < 0 ? path.length() : slash;
      appendSegment(path, from, end);
      from = end + 1;
    }
    if (hasEmptySegment && hasParentSegment) {
      throw new BadRequestException("the path contains both // and ..");
    }
    if (PercentEncoding.isEncodedTwice(forwarded)) {
      throw new BadRequestException("the path is percent-encoded twice; encode it once");
    }
    return this;
  }

  private void appendSegment(String path, int from, int end) {
    int start = matched.length();
    int forwardedStart = forwarded.length();
    matched.append('/');
    forwarded.append('/');
    boolean parameters = appendCharacters(path, from, end);
    boolean last = end == path.length();
    int length = matched.length() - start - 1;
    boolean empty = length == 0;
    boolean up =
        length == 2 && matched.charAt(start + 1) == '.' && matched.charAt(start + 2) == '.';
    if (!empty && !up && !(length == 1 && matched.charAt(start + 1) == '.')) {
      return;
    }
    if (parameters) {
      throw new BadRequestException("the path has parameters after an empty segment, . or ..");
    }
    hasEmptySegment |= empty && !last;
    hasParentSegment |= up;
    if (up && start == 0) {
      throw new BadRequestException("the path leads above its root");
    }
    matched.setLength(up ? matched.lastIndexOf("/", start - 1) : start);
    forwarded.setLength(up ? forwarded.lastIndexOf("/", forwardedStart - 1) : forwardedStart);
    if (last) {
      forwarded.append('/');
      if (keepTrailingSlash || matched.length() == 0) {
        matched.append('/');
      }
    }
  }

  /** Appends a segment; returns whether it has parameters, which are not matched. */
  private boolean appendCharacters(String path, int from, int end) {
    boolean parameters = false;
    for (int i = from; i < end; i++) {
      char c = path.charAt(i);
      if (c == ';') {
        parameters = true;
        forwarded.append(c);
      } else if (c != '%') {
        appendPlain(c, parameters);
      } else {
        int character = PercentEncoding.decode(path, i, end);
        i += 3 * PercentEncoding.utf8Length(character) - 1;
        appendDecoded(character, parameters);
      }
    }
    return parameters;
  }

  private void appendPlain(char c, boolean parameter) {
    if (!Ascii.isVisible(c) || c == '\\' || c == '#') {
      throw new BadRequestException("the path has a character that is not allowed in a path");
    }
    if (Ascii.isPathSegmentChar(c)) {
      forwarded.append(c);
    } else {
      Ascii.appendPercentEncoded(forwarded, c);
    }
    if (!parameter) {
      appendMatched(c);
    }
  }

  private void appendDecoded(int c, boolean parameter) {
    if (c < ' ' || (c >= DELETE_CHAR && c < 0xa0) || c == '/' || c == '\\') {
      throw new BadRequestException("the path has an encoded slash or control character");
    }
    if (Ascii.isUnreserved(c)) {
      forwarded.append((char) c);
    } else {
      PercentEncoding.encode(forwarded, c);
    }
    if (!parameter) {
      appendMatched(c);
    }
  }

  private void appendMatched(int c) {
    int letter = ignoreCase ? Character.toLowerCase(Character.toUpperCase(c)) : c;
    if (Ascii.isPathSegmentChar(letter)) {
      matched.append((char) letter);
    } else {
      PercentEncoding.encode(matched, letter);
    }
  }
}
