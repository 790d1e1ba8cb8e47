package io.weir.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests parsing of valid and invalid header fields. */
class RateLimitInfoTest {
  private static final long WALL_MICROS = 1_767_225_600_000_000L;
  private static final String DATE = "Thu, 01 Jan 2026 00:10:00 GMT";

  private static RateLimitInfo read(int status, String... fields) {
    Map<String, String> map = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    for (int i = 0; i < fields.length; i += 2) {
      map.put(fields[i], fields[i + 1]);
    }
    return RateLimitInfo.parse(
        status,
        n -> map.containsKey(n) ? List.of(map.getOrDefault(n, "")) : List.of(),
        WALL_MICROS);
  }

  @ParameterizedTest
  @CsvSource({
    "Retry-After, 37, 37000000",
    "Retry-After, 1.5, 1500000",
    "Retry-After, ' 2 ', 2000000",
    "Retry-After-Ms, 250, 250000",
    "Retry-After, 'Thu, 01 Jan 2026 00:00:09 GMT', 9000000",
    "Retry-After, 'Thu, 01 Jan 2026', 0",
    "Retry-After, -5, 0",
    "Retry-After, NaN, 0",
    "Retry-After, 1e18, 0",
    "Retry-After, 1000000000000000000, 86400000000",
    "Retry-After, 'Wed, 31 Dec 2025 23:00:00 GMT', 0",
  })
  void retryAfter_isParsed(String field, String value, long micros) {
    assertThat(read(429, field, value).retryAfterMicros()).isEqualTo(micros);
    assertThat(read(503, field, value).retryAfterMicros()).isEqualTo(micros);
    assertThat(read(200, field, value).retryAfterMicros()).isZero();
  }

  @Test
  void retryAfterMs_takesPrecedence() {
    assertThat(read(429, "Retry-After", "1", "Retry-After-Ms", "300").retryAfterMicros())
        .isEqualTo(300_000);
    assertThat(read(429, "Retry-After", "1", "Retry-After-Ms", "x").retryAfterMicros())
        .isEqualTo(1_000_000);
  }

  @Test
  void dates_areRelativeToServerDate() {
    RateLimitInfo info = read(429, "Date", DATE, "Retry-After", "Thu, 01 Jan 2026 00:10:30 GMT");
    assertThat(info.retryAfterMicros()).isEqualTo(30_000_000);
    RateLimitInfo reset =
        read(200, "Date", DATE, "X-RateLimit-Remaining", "3", "X-RateLimit-Reset", "1767226207");
    assertThat(reset.limits()).containsExactly(new LimitSnapshot("", 0, 0, 3, 7_000_000));
  }

  @Test
  void everyPolicy_isParsed() {
    RateLimitInfo info =
        read(
            200,
            "RateLimit-Policy",
            "\"orders/second\";q=10;w=1, \"a,b;\\\"c\";q=1000;w=3600;weir-burst=1500;pk=:Zm9v:",
            "RateLimit",
            "\"orders/second\";r=3;t=1,\"a,b;\\\"c\";r=999;t=30;pk=:Zm9v:",
            "X-RateLimit-Remaining",
            "0");
    assertThat(info.limits())
        .containsExactly(
            new LimitSnapshot("orders/second\n", 10, 1_000_000, 3, 1_000_000),
            new LimitSnapshot("a,b;\"c\n:Zm9v:", 1500, 3_600_000_000L, 999, 30_000_000));
  }

  @ParameterizedTest
  @CsvSource({"60, 60", "1767225660, 60", "1767225660000, 60", "1767225000, 0", "-1, 0", "x, 0"})
  void reset_isSecondsOrDate(String value, long seconds) {
    for (String family : List.of("X-RateLimit", "RateLimit", "X-Rate-Limit")) {
      RateLimitInfo info =
          read(200, family + "-Limit", "100", family + "-Remaining", "5", family + "-Reset", value);
      assertThat(info.limits())
          .containsExactly(new LimitSnapshot("", 100, 0, 5, seconds * 1_000_000));
    }
  }

  @Test
  void randomFields_neverFail() {
    String alphabet = "\"\\;,=rtqw0123456789.-:e GMT\u0000é∞";
    Random random = new Random(3);
    for (int i = 0; i < 20_000; i++) {
      StringBuilder value = new StringBuilder();
      for (int k = random.nextInt(40); k > 0; k--) {
        value.append(alphabet.charAt(random.nextInt(alphabet.length())));
      }
      String text = value.toString();
      RateLimitInfo info =
          read(
              429,
              "RateLimit",
              text,
              "RateLimit-Policy",
              text,
              "Retry-After",
              text,
              "Date",
              text,
              "X-RateLimit-Remaining",
              "1",
              "X-RateLimit-Reset",
              text);
      assertThat(info.retryAfterMicros()).isBetween(0L, RateLimitInfo.MAX_DURATION_MICROS);
      assertThat(info.limits())
          .allSatisfy(
              r -> {
                assertThat(r.remaining()).isNotNegative();
                assertThat(r.resetMicros()).isBetween(0L, RateLimitInfo.MAX_DURATION_MICROS);
              });
    }
  }

  @Test
  void tooLongField_isIgnored() {
    assertThat(read(200, "RateLimit", "\"a\";r=1;t=1,".repeat(10_000)).limits()).isEmpty();
  }
}
