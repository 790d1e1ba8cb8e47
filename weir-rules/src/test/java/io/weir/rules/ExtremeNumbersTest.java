package io.weir.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limiter;
import io.weir.Request;
import io.weir.Weir;
import io.weir.rule.RuleSet;
import io.weir.rules.text.InvalidConfigurationException;
import io.weir.testkit.FakeClock;
import java.math.BigInteger;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Extreme numbers, in all combinations: a rule is rejected, or is exact to the permit. */
class ExtremeNumbersTest {
  private static final long[] NUMBERS = {
    1,
    3,
    1_000,
    999_999,
    1_000_000,
    1_000_003,
    1_000_000_000,
    999_999_999_999L,
    1_000_000_000_000L,
    1_000_000_000_001L,
    Long.MAX_VALUE
  };
  private static final Duration[] PERIODS = {
    Duration.ofMillis(1), Duration.ofSeconds(1), Duration.ofHours(1), Duration.ofDays(365)
  };

  @Test
  @DisplayName("rates far above and far below the burst are rejected or exact")
  void extremeNumbers_areRejectedOrExact() {
    int exact = 0;
    int rejected = 0;
    for (long permits : NUMBERS) {
      for (Duration period : PERIODS) {
        for (long burst : NUMBERS) {
          String rule =
              "{id: api, limit: %d/%dms, burst: %d}".formatted(permits, period.toMillis(), burst);
          try {
            assertExact(Rules.parse("rules: [" + rule + "]"), permits, period, burst, rule);
            exact++;
          } catch (InvalidConfigurationException e) {
            assertThat(e.getMessage()).containsPattern("must |write ");
            rejected++;
          }
        }
      }
    }
    System.out.printf("of extreme rules %d are exact, %d rejected%n", exact, rejected);
    assertThat(exact).isGreaterThan(50);
    assertThat(rejected).isGreaterThan(50);
  }

  private static void assertExact(
      RuleSet rules, long permits, Duration period, long burst, String rule) {
    FakeClock clock = new FakeClock();
    Limiter limiter = Weir.limiter(rules).clock(clock).build();
    assertAdmitsExactly(limiter, burst, rule);
    BigInteger total = BigInteger.valueOf(permits);
    BigInteger micros = BigInteger.valueOf(period.toNanos() / 1000);
    long time = micros.add(total).subtract(BigInteger.ONE).divide(total).longValueExact();
    clock.advance(Duration.of(time, ChronoUnit.MICROS));
    BigInteger filled = BigInteger.valueOf(time).multiply(total).divide(micros);
    assertAdmitsExactly(limiter, filled.min(BigInteger.valueOf(burst)).longValueExact(), rule);
  }

  private static void assertAdmitsExactly(Limiter limiter, long permits, String rule) {
    Request request = Request.of("user", "acme");
    assertThat(limiter.decideNow(request.cost(permits)).allowed()).as(rule).isTrue();
    assertThat(limiter.decideNow(request).allowed()).as(rule).isFalse();
  }
}
