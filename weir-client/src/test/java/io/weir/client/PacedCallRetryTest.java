package io.weir.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.client.FakeService.FakeServiceResponse;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests in simulated time which calls are retried, when, and how often. */
class PacedCallRetryTest {
  private final FakeTime time = new FakeTime();
  private final Random random = new Random(11);
  private final long startMicros = time.micros();

  private Pacing.PacingBuilder pacing() {
    return Pacing.builder().time(time, time).random(random::nextDouble);
  }

  private double seconds(long arrival) {
    return (arrival - startMicros) / 1e6;
  }

  /** Calls refused together are not retried early, not at the same time, and not in vain. */
  @Test
  void thousandRefusedClients_retrySpreadOutAndNotEarly() {
    int clients = 1000;
    long open = startMicros + 30_000_000;
    FakeService service =
        new FakeService(
            time,
            () ->
                time.micros() < open
                    ? FakeServiceResponse.of(429, "Retry-After", "30")
                    : FakeServiceResponse.of(200));
    List<CompletableFuture<FakeServiceResponse>> calls = new ArrayList<>();
    for (int i = 0; i < clients; i++) {
      calls.add(service.call(pacing().maxWait(Duration.ofMinutes(2)).build(), "GET"));
    }
    time.advance(Duration.ofMinutes(2));
    assertThat(calls).allMatch(c -> c.join().status() == 200);
    assertThat(service.arrivals.size()).isBetween(2 * clients, 2 * clients * 11 / 10);
    List<Long> returns = service.arrivals.subList(clients, service.arrivals.size());
    assertThat(returns).as("none before its Retry-After").allMatch(at -> at >= open);
    int[] perTenth = new int[40];
    returns.forEach(at -> perTenth[(int) Math.min(39, (at - open) / 100_000)]++);
    assertThat(Arrays.stream(perTenth).max().orElse(0))
        .as("at most 7 % in any tenth of a second")
        .isLessThanOrEqualTo(70);
  }

  @Test
  void thousandCallsOfOneClient_doNotRetryTogether() {
    long open = startMicros + 30_000_000;
    FakeService service =
        new FakeService(
            time,
            () ->
                time.micros() < open
                    ? FakeServiceResponse.of(429, "Retry-After", "30")
                    : FakeServiceResponse.of(200));
    Pacing pacing = pacing().maxWait(Duration.ofMinutes(2)).build();
    List<CompletableFuture<FakeServiceResponse>> calls = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      calls.add(service.call(pacing, "GET"));
    }
    time.advance(Duration.ofMinutes(2));
    assertThat(calls).allMatch(c -> c.join().status() == 200);
    assertThat(service.refused).as("only the first call was sent and refused").isEqualTo(1);
    assertThat(service.arrivals).hasSize(1001);
    assertThat(seconds(service.arrivals.get(1))).isGreaterThan(30);
  }

  /** A service that fails for a minute receives 10 % more calls, not three times more. */
  @Test
  void failingService_getsBoundedRetries() {
    FakeService service =
        new FakeService(
            time,
            () ->
                time.micros() < startMicros + 60_000_000
                    ? FakeServiceResponse.of(503)
                    : FakeServiceResponse.of(200));
    Pacing pacing = pacing().build();
    int calls = 60 * 50;
    for (int i = 0; i < calls; i++) {
      service.callIn(Duration.ofMillis(20L * i), pacing);
    }
    time.advance(Duration.ofMinutes(2));
    assertThat(service.arrivals.size()).isBetween(calls, calls * 11 / 10);
  }

  @Test
  void backoff_growsAndIsNeverShorterThanRetryAfter() {
    FakeService service =
        new FakeService(time, () -> FakeServiceResponse.of(429, "Retry-After", "2"));
    CompletableFuture<FakeServiceResponse> call =
        service.call(pacing().random(() -> 0.999).maxWait(Duration.ofMinutes(5)).build(), "GET");
    time.advance(Duration.ofMinutes(5));
    assertThat(call.join().status()).isEqualTo(429);
    assertThat(service.arrivals).hasSize(4);
    assertThat(seconds(service.arrivals.get(1)) - seconds(service.arrivals.get(0)))
        .isBetween(2.9, 3.1);
    assertThat(seconds(service.arrivals.get(2)) - seconds(service.arrivals.get(1)))
        .isBetween(3.9, 4.1);
    assertThat(seconds(service.arrivals.get(3)) - seconds(service.arrivals.get(2)))
        .isBetween(5.9, 6.1);
  }

  @ParameterizedTest
  @CsvSource({
    "Retry-After, 1000000000000000000",
    "Retry-After, 99999999999999999999999999999999999999999",
    "Retry-After-Ms, 1000000000000000000",
    "'Retry-After', 'Fri, 31 Dec 9999 23:59:59 GMT'",
  })
  void endlessRetryAfter_isCappedAtOneDay(String field, String value) {
    FakeService service = new FakeService(time, () -> FakeServiceResponse.of(429, field, value));
    Pacing pacing = pacing().build();
    assertThat(answered(service, pacing).status()).isEqualTo(429);
    CompletableFuture<FakeServiceResponse> held = service.call(pacing, "GET");
    assertThat(held).isCompletedExceptionally();
    time.advance(Duration.ofHours(25));
    CompletableFuture<FakeServiceResponse> later = service.call(pacing, "GET");
    time.advance(Duration.ofSeconds(1));
    assertThat(later).isCompleted();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-1",
        "NaN",
        "1e18",
        "",
        "soon",
        "Thu, 01 Jan 1970 00:00:00 GMT",
        "0",
        "\"5\"",
        "∞"
      })
  void invalidRetryAfter_usesBackoff(String value) {
    FakeService service =
        new FakeService(
            time,
            () ->
                time.micros() < startMicros + 100_000
                    ? FakeServiceResponse.of(
                        429, "Retry-After", value, "RateLimit", value, "X-RateLimit-Reset", value)
                    : FakeServiceResponse.of(200));
    assertThat(answered(service, pacing().build()).status()).isEqualTo(200);
    assertThat(seconds(service.arrivals.get(1))).isBetween(0.5, 1.1);
  }

  private FakeServiceResponse answered(FakeService service, Pacing pacing) {
    CompletableFuture<FakeServiceResponse> call = service.call(pacing, "GET");
    time.advance(Duration.ofSeconds(20));
    return call.join();
  }

  @Test
  void onlyIdempotentCalls_areRetriedByDefault() {
    assertThat(attempts("GET", pacing())).isEqualTo(4);
    assertThat(attempts("DELETE", pacing())).isEqualTo(4);
    assertThat(attempts("POST", pacing())).isEqualTo(1);
    assertThat(attempts("PATCH", pacing())).isEqualTo(1);
    assertThat(attempts("POST", pacing().retryIf((method, uri) -> true))).isEqualTo(4);
    assertThat(attempts("GET", pacing().retryIf((method, uri) -> false))).isEqualTo(1);
    assertThat(attempts("GET", pacing().maxAttempts(1))).isEqualTo(1);
    assertThat(attempts("GET", pacing().retryBudget(0))).isEqualTo(1);
  }

  private int attempts(String method, Pacing.PacingBuilder pacing) {
    FakeService service = new FakeService(time, () -> FakeServiceResponse.of(503));
    var unused = service.call(pacing.build(), method);
    time.advance(Duration.ofSeconds(30));
    return service.arrivals.size();
  }

  @Test
  void idempotencyKey_makesCallRetryable() {
    PacedCall call =
        pacing().build().newCall("POST", FakeService.ORDERS, true, FakeService.MAX_WAIT);
    assertThat(call.requestTurn()).isCompleted();
    call.onAnswer(new RateLimitInfo(503, 0, List.of()));
    assertThat(call.shouldRetry()).isTrue();
  }

  @Test
  void listener_isNotifiedOfWaitsRefusalsAndRetries() {
    List<String> events = new ArrayList<>();
    PacingListener listener =
        new PacingListener() {
          @Override
          public void waited(URI uri, Duration wait) {
            events.add("waited " + wait.toSeconds());
          }

          @Override
          public void refused(URI uri, int status, Duration retryAfter) {
            events.add("refused " + status + " " + retryAfter.toSeconds());
          }

          @Override
          public void retrying(URI uri, int attempt, Duration wait) {
            events.add("retrying " + attempt + " " + wait.toSeconds());
          }

          @Override
          public void gaveUp(URI uri, String reason) {
            events.add("gave up: " + reason);
          }
        };
    FakeService service =
        new FakeService(time, () -> FakeServiceResponse.of(429, "Retry-After", "3"));
    Pacing pacing = pacing().maxAttempts(2).random(() -> 0).listener(listener).build();
    assertThat(answered(service, pacing).status()).isEqualTo(429);
    assertThat(events)
        .containsExactly(
            "refused 429 3", "retrying 2 3", "waited 3", "refused 429 3", "gave up: sent 2 times");
  }
}
