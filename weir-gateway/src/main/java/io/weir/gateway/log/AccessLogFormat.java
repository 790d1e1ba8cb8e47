package io.weir.gateway.log;

import io.weir.internal.JsonText;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The formats of the access log. */
public enum AccessLogFormat {
  /** A JSON object. */
  JSON {
    @Override
    void append(StringBuilder out, AccessLogEntry entry) {
      out.append("{\"time\":\"").append(ISO_TIME.format(instant(entry))).append('"');
      field(out, "id", entry.requestId());
      field(out, "ip", entry.address());
      field(out, "user", entry.user());
      field(out, "method", entry.method());
      field(out, "host", entry.host());
      field(out, "path", entry.path());
      field(out, "protocol", entry.protocol());
      out.append(",\"status\":").append(entry.status());
      out.append(",\"bytes_in\":").append(entry.bytesReceived());
      out.append(",\"bytes_out\":").append(entry.bytesSent());
      millis(out.append(",\"duration_ms\":"), entry.durationMicros());
      field(out, "decision", entry.decision());
      out.append(",\"degraded\":").append(entry.degraded());
      field(out, "rule", entry.rule());
      field(out, "upstream", entry.upstream());
      if (entry.upstreamMicros() >= 0) {
        millis(out.append(",\"upstream_ms\":"), entry.upstreamMicros());
      }
      field(out, "reason", entry.reason());
      field(out, "detail", entry.detail());
      field(out, "user_agent", entry.userAgent());
      out.append("}\n");
    }

    @Override
    void appendDropped(StringBuilder out, long timeMicros, long count) {
      out.append("{\"time\":\"")
          .append(ISO_TIME.format(instant(timeMicros)))
          .append("\",\"event\":\"dropped\",\"count\":")
          .append(count)
          .append("}\n");
    }
  },

  /**
   * The combined format of Apache and nginx, and one more quoted field with the request id, the
   * time, and what the gateway knows of the request.
   */
  COMBINED {
    @Override
    void append(StringBuilder out, AccessLogEntry entry) {
      String user = entry.user();
      out.append(entry.address()).append(" - ");
      word(out, user).append(" [").append(APACHE_TIME.format(instant(entry))).append("] \"");
      word(out, entry.method()).append(' ');
      word(out, entry.path()).append(' ').append(entry.protocol()).append("\" ");
      out.append(entry.status()).append(' ').append(entry.bytesSent());
      quoted(out.append(' '), entry.referer());
      quoted(out.append(' '), entry.userAgent());
      out.append(" \"id=").append(entry.requestId()).append(" ms=");
      millis(out, entry.durationMicros());
      out.append(" decision=").append(entry.decision());
      word(out.append(" rule="), entry.rule());
      word(out.append(" upstream="), entry.upstream());
      word(out.append(" reason="), entry.reason());
      out.append("\"\n");
    }

    @Override
    void appendDropped(StringBuilder out, long timeMicros, long count) {
      out.append("# ")
          .append(ISO_TIME.format(instant(timeMicros)))
          .append(' ')
          .append(count)
          .append(" lines dropped\n");
    }
  };

  private static final DateTimeFormatter ISO_TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);
  private static final DateTimeFormatter APACHE_TIME =
      DateTimeFormatter.ofPattern("dd/MMM/uuuu:HH:mm:ss Z", Locale.ROOT).withZone(ZoneOffset.UTC);
  private static final long MICROS_PER_MILLI = 1000;

  /** Appends a line. */
  abstract void append(StringBuilder out, AccessLogEntry entry);

  /** Appends a line that says how many lines are missing. */
  abstract void appendDropped(StringBuilder out, long timeMicros, long count);

  private static Instant instant(AccessLogEntry entry) {
    return instant(entry.timeMicros());
  }

  private static Instant instant(long micros) {
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
  }

  private static void field(StringBuilder out, String name, @Nullable String value) {
    if (value != null) {
      JsonText.quote(out.append(",\"").append(name).append("\":"), value);
    }
  }

  private static void millis(StringBuilder out, long micros) {
    long fraction = micros % MICROS_PER_MILLI;
    out.append(micros / MICROS_PER_MILLI).append('.');
    out.append(fraction / 100).append(fraction / 10 % 10).append(fraction % 10);
  }

  /** Appends a text without spaces, quotes and control characters; {@code -} if it is absent. */
  private static StringBuilder word(StringBuilder out, @Nullable String text) {
    if (text == null || text.isEmpty()) {
      return out.append('-');
    }
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      out.append(c <= ' ' || c >= 0x7f || c == '"' || c == '\\' ? '_' : c);
    }
    return out;
  }

  private static void quoted(StringBuilder out, @Nullable String text) {
    out.append('"');
    String value = text == null || text.isEmpty() ? "-" : text;
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c == '"' || c == '\\') {
        out.append('\\').append(c);
      } else {
        out.append(c < ' ' || c >= 0x7f ? '?' : c);
      }
    }
    out.append('"');
  }
}
