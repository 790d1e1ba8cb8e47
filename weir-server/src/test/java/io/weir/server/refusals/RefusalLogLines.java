package io.weir.server.refusals;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The totals of a refusal log.
 *
 * @param refused the number of written refusals
 * @param dropped the number of refusals reported as dropped
 */
record RefusalLogLines(long refused, long dropped) {
  private static final Pattern REFUSED =
      Pattern.compile(
          "\\{\"time\":\"[0-9TZ:.-]+\",\"event\":\"refused\",\"rule\":\"[a-z0-9-]+\","
              + "\"key\":\"[0-9a-f]{16}\",\"endpoint\":(null|\"[A-Za-z0-9 /*._-]{0,123}\"),"
              + "\"reason\":\"[a-z_]+\",\"retry_after_ms\":\\d+,\"shadow\":(true|false),"
              + "\"degraded\":(true|false),\"revision\":\\d+}");
  private static final Pattern DROPPED =
      Pattern.compile(
          "\\{\"time\":\"[0-9TZ:.-]+\",\"event\":\"dropped\",\"rule\":\"[a-z0-9-]+\","
              + "\"dropped\":(\\d+)}");

  /**
   * Parses and sums the lines of a log.
   *
   * @throws AssertionError if a line has an unknown format
   */
  static RefusalLogLines of(List<String> lines) {
    long refused = 0;
    long dropped = 0;
    for (String line : lines) {
      Matcher droppedLine = DROPPED.matcher(line);
      if (droppedLine.matches()) {
        dropped += Long.parseLong(droppedLine.group(1));
      } else if (REFUSED.matcher(line).matches()) {
        refused++;
      } else {
        throw new AssertionError("not a line of the log: " + line);
      }
    }
    return new RefusalLogLines(refused, dropped);
  }

  long total() {
    return refused + dropped;
  }
}
