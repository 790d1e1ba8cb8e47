package io.weir.cli.accesslog;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The common and the combined log format of Apache and nginx, with any fields after them. */
final class CommonLogFormat implements LogFormat {
  private static final String QUOTED = "\"((?:[^\"\\\\]|\\\\.)*+)\"";
  private static final Pattern LINE =
      Pattern.compile(
          "(\\S+) \\S+ (.+?) \\[([^]]+)] "
              + QUOTED
              + " (\\S+) \\S+(?: "
              + QUOTED
              + " "
              + QUOTED
              + ")?(?: .*)?");
  private static final String NO_VALUE = "-";

  static boolean matches(String line) {
    return LINE.matcher(line).matches();
  }

  @Override
  public Map<String, String> parse(String line) {
    Matcher match = LINE.matcher(line);
    if (!match.matches()) {
      throw new IllegalArgumentException(
          "is not a line of the common or combined log format, for example"
              + " 203.0.113.9 - - [10/Oct/2026:13:55:36 +0000] \"GET /x HTTP/1.1\" 200 12");
    }
    Map<String, String> fields = new LinkedHashMap<>();
    String[] names = {
      "ip", "user", "time", "request", "status", "header.referer", "header.user-agent"
    };
    for (int i = 0; i < names.length; i++) {
      String value = match.group(i + 1);
      if (value != null && !value.equals(NO_VALUE)) {
        fields.put(names[i], value);
      }
    }
    return fields;
  }
}
