package io.weir.http;

import org.jspecify.annotations.Nullable;

/**
 * One path on its way to its one spelling, segment by segment: as it is matched and as it is
 * forwarded. The two differ where upstreams may tell things apart that rules do not: in parameters,
 * a last slash, capitals, and characters that mean the same encoded or not to most, not to all.
 */
final class PathSpelling {
  private static final int DELETE = 0x7f;

  private final boolean ignoreCase;
  private final boolean keepLastSlash;
  private final StringBuilder matched = new StringBuilder();
  private final StringBuilder forwarded = new StringBuilder();
  private boolean hadEmpty;
  private boolean hadUp;

  PathSpelling(boolean ignoreCase, boolean keepLastSlash) {
    this.ignoreCase = ignoreCase;
    this.keepLastSlash = keepLastSlash;
  }

  Endpoint endpoint(String method, String query, @Nullable String authority) {
    return new Endpoint(method, matched.toString(), forwarded.append(query).toString(), authority);
  }

  PathSpelling read(String path) {
    for (int from = 1; from <= path.length(); ) {
      int slash = path.indexOf('/', from);
      int end = slash < 0 ? path.length() : slash;
      segment(path, from, end);
      from = end + 1;
    }
    if (hadEmpty && hadUp) {
      throw new BadRequestException("the path has both // and ..; write it without");
    }
    if (Percent.isTwice(forwarded)) {
      throw new BadRequestException("the path is percent-encoded twice; encode it once");
    }
    return this;
  }

  private void segment(String path, int from, int end) {
    int start = matched.length();
    int forwardedStart = forwarded.length();
    matched.append('/');
    forwarded.append('/');
    boolean parameters = spell(path, from, end);
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
    hadEmpty |= empty && !last;
    hadUp |= up;
    if (up && start == 0) {
      throw new BadRequestException("the path leads above its root");
    }
    matched.setLength(up ? matched.lastIndexOf("/", start - 1) : start);
    forwarded.setLength(up ? forwarded.lastIndexOf("/", forwardedStart - 1) : forwardedStart);
    if (last) {
      forwarded.append('/');
      if (keepLastSlash || matched.length() == 0) {
        matched.append('/');
      }
    }
  }

  /** Appends a segment's characters; whether it has parameters, which are not matched. */
  private boolean spell(String path, int from, int end) {
    boolean parameters = false;
    for (int i = from; i < end; i++) {
      char c = path.charAt(i);
      if (c == ';') {
        parameters = true;
        forwarded.append(c);
      } else if (c != '%') {
        plain(c, parameters);
      } else {
        int character = Percent.decode(path, i, end);
        i += 3 * Percent.octets(character) - 1;
        encoded(character, parameters);
      }
    }
    return parameters;
  }

  private void plain(char c, boolean parameter) {
    if (!Ascii.isVisible(c) || c == '\\' || c == '#') {
      throw new BadRequestException("the path has a character that cannot stand in a path");
    }
    if (Ascii.isPath(c)) {
      forwarded.append(c);
    } else {
      Ascii.percent(forwarded, c);
    }
    if (!parameter) {
      match(c);
    }
  }

  private void encoded(int c, boolean parameter) {
    if (c < ' ' || (c >= DELETE && c < 0xa0) || c == '/' || c == '\\') {
      throw new BadRequestException("the path has an encoded slash or control character");
    }
    if (Ascii.isUnreserved(c)) {
      forwarded.append((char) c);
    } else {
      Percent.encode(forwarded, c);
    }
    if (!parameter) {
      match(c);
    }
  }

  private void match(int c) {
    int letter = ignoreCase ? Character.toLowerCase(Character.toUpperCase(c)) : c;
    if (Ascii.isPath(letter)) {
      matched.append((char) letter);
    } else {
      Percent.encode(matched, letter);
    }
  }
}
