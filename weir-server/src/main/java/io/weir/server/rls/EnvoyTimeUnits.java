package io.weir.server.rls;

import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.RateLimit.Unit;
import io.envoyproxy.envoy.type.v3.RateLimitUnit;
import java.time.Duration;

/** Envoy's units of time: a month has 30 days there, a year 365. */
final class EnvoyTimeUnits {
  private static final int WEEK_DAYS = 7;
  private static final int MONTH_DAYS = 30;
  private static final int YEAR_DAYS = 365;

  private EnvoyTimeUnits() {}

  /** The length of the unit a limit is asked in. */
  static Duration period(RateLimitUnit unit) {
    return switch (unit) {
      case SECOND -> Duration.ofSeconds(1);
      case MINUTE -> Duration.ofMinutes(1);
      case HOUR -> Duration.ofHours(1);
      case DAY -> Duration.ofDays(1);
      case MONTH -> Duration.ofDays(MONTH_DAYS);
      case YEAR -> Duration.ofDays(YEAR_DAYS);
      case UNKNOWN, UNRECOGNIZED ->
          throw new IllegalArgumentException(
              "limit has no unit; write SECOND, MINUTE, HOUR, DAY, MONTH or YEAR");
    };
  }

  /** The unit a limit is told in; unknown to Envoy if it has none of that length. */
  static Unit unitOf(Duration period) {
    if (period.getNano() != 0) {
      return Unit.UNKNOWN;
    }
    long seconds = period.getSeconds();
    if (seconds == 1) {
      return Unit.SECOND;
    } else if (seconds == 60) {
      return Unit.MINUTE;
    } else if (seconds == 3600) {
      return Unit.HOUR;
    }
    long days = period.toDays();
    if (!period.equals(Duration.ofDays(days))) {
      return Unit.UNKNOWN;
    }
    return switch ((int) days) {
      case 1 -> Unit.DAY;
      case WEEK_DAYS -> Unit.WEEK;
      case MONTH_DAYS -> Unit.MONTH;
      case YEAR_DAYS -> Unit.YEAR;
      default -> Unit.UNKNOWN;
    };
  }
}
