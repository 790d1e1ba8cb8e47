package io.weir.server.envoy;

import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.RateLimit.Unit;
import io.envoyproxy.envoy.type.v3.RateLimitUnit;
import java.time.Duration;

/** Converts Envoy's time units. As in Envoy, a month has 30 days and a year 365. */
final class EnvoyTimeUnits {
  private static final int WEEK_DAYS = 7;
  private static final int MONTH_DAYS = 30;
  private static final int YEAR_DAYS = 365;

  private EnvoyTimeUnits() {}

  /** Returns the length of the unit of a limit in a request. */
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
              "limit must have a unit: SECOND, MINUTE, HOUR, DAY, MONTH or YEAR");
    };
  }

  /** Returns the unit of a limit in a response; {@code UNKNOWN} if Envoy has no such unit. */
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
