package io.weir.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.Limiter;
import io.weir.Weir;
import io.weir.client.FakeService.FakeServiceResponse;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests in simulated time when calls are sent, with a real limiter and its header fields. */
class PacingTest {
  private final FakeTime time = new FakeTime();
  private final Random random = new Random(7);

  private Pacing.PacingBuilder pacing() {
    return Pacing.builder().time(time, time).random(random::nextDouble);
  }

  private Limiter limiter(String algorithm, String limit) {
    Rule rule = Rule.named("orders").per("user").algorithm(algorithm).limit(limit).build();
    return Weir.limiter(RuleSet.of(rule)).clock(time).build();
  }

  private static long count(List<CompletableFuture<FakeServiceResponse>> calls, int status) {
    return calls.stream()
        .filter(c -> c.isDone() && !c.isCompletedExceptionally() && c.join().status() == status)
        .count();
  }

  @ParameterizedTest
  @CsvSource({
    "token-bucket, 20/second, 40, 60, 0.9",
    "token-bucket, 100/minute, 3, 600, 0.9",
    "fixed-window, 20/second, 40, 60, 0.7",
    "fixed-window, 100/minute, 3, 600, 0.7",
    "sliding-log, 100/minute, 3, 600, 0.6",
    "sliding-counter, 100/minute, 3, 600, 0.5",
  })
  void twiceTheLoad_hardlyAnyCallIsRefused(
      String algorithm, String limit, int perSecond, int seconds, double used) {
    FakeService service = FakeService.limited(time, limiter(algorithm, limit));
    Pacing pacing = pacing().maxWait(Duration.ofSeconds(20)).build();
    int offered = perSecond * seconds;
    for (int i = 0; i < offered; i++) {
      service.callIn(Duration.ofMillis(1000L * i / perSecond), pacing);
    }
    time.advance(Duration.ofSeconds(seconds + 60L));
    assertThat(service.calls).hasSize(offered).allMatch(CompletableFuture::isDone);
    assertThat(service.refused).isLessThanOrEqualTo(service.arrivals.size() / 100);
    assertThat((double) count(service.calls, 200)).isGreaterThan(offered / 2.0 * used);
  }

  @Test
  void thousandSimultaneousCalls_areHeldBeforeFirstRefusal() {
    FakeService service = FakeService.limited(time, limiter("token-bucket", "100/minute"));
    Pacing pacing = pacing().build();
    List<CompletableFuture<FakeServiceResponse>> calls = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      calls.add(service.call(pacing, "GET"));
    }
    time.advance(Duration.ofMinutes(1));
    assertThat(service.refused).isZero();
    assertThat(count(calls, 200)).isGreaterThan(75);
    assertThat(calls).allMatch(CompletableFuture::isDone);
  }

  @Test
  void severalClientsSharingLimit_areSeldomRefused() {
    FakeService service = FakeService.limited(time, limiter("fixed-window", "100/second"));
    List<Pacing> clients = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      clients.add(pacing().build());
    }
    for (int i = 0; i < 200 * 20; i++) {
      Pacing pacing = clients.get(i % 5);
      service.callIn(Duration.ofMillis(5L * i), pacing);
    }
    time.advance(Duration.ofSeconds(60));
    assertThat(service.arrivals).hasSizeGreaterThan(1000);
    assertThat(service.refused).isLessThanOrEqualTo(service.arrivals.size() / 20);
  }

  @Test
  void unnamedLimits_arePaced() {
    Limiter limiter = limiter("fixed-window", "20/second");
    FakeService service =
        new FakeService(
            time,
            () -> {
              FakeServiceResponse answer =
                  FakeServiceResponse.of(limiter.decideNow(io.weir.Request.of("user", "42")));
              answer.fields().remove("RateLimit");
              answer.fields().remove("RateLimit-Policy");
              return answer;
            });
    Pacing pacing = pacing().build();
    for (int i = 0; i < 400; i++) {
      service.callIn(Duration.ofMillis(25L * i), pacing);
    }
    time.advance(Duration.ofSeconds(60));
    assertThat(service.arrivals).hasSizeGreaterThan(150);
    assertThat(service.refused).isLessThanOrEqualTo(service.arrivals.size() / 100);
  }

  @Test
  void refusal_holdsItsCallClassOnly() {
    FakeService service =
        new FakeService(time, () -> FakeServiceResponse.of(429, "Retry-After", "20"));
    Pacing pacing = pacing().build();
    var unused = service.call(pacing, "POST");
    time.advance(Duration.ofSeconds(1));
    CompletableFuture<FakeServiceResponse> same = service.call(pacing, "POST");
    CompletableFuture<FakeServiceResponse> other = service.call(pacing, "PATCH");
    time.advance(Duration.ofSeconds(1));
    assertThat(other).isCompleted();
    assertThat(same).isNotDone();
    time.advance(Duration.ofSeconds(28));
    assertThat(service.arrivals).hasSize(3);
    assertThat(service.arrivals.get(2) - service.arrivals.get(0)).isGreaterThan(20_000_000);
  }

  @Test
  void callThatWouldWaitTooLong_failsAtOnce() {
    FakeService service =
        new FakeService(time, () -> FakeServiceResponse.of(429, "Retry-After", "100"));
    Pacing pacing = pacing().maxWait(Duration.ofSeconds(10)).build();
    CompletableFuture<FakeServiceResponse> refused = service.call(pacing, "GET");
    time.advance(Duration.ofMillis(20));
    assertThat(refused.join().status()).as("the refusal itself").isEqualTo(429);
    CompletableFuture<FakeServiceResponse> late = service.call(pacing, "GET");
    assertThatThrownBy(late::join)
        .hasCauseInstanceOf(PacingException.class)
        .hasMessageContaining("retry later")
        .cause()
        .isInstanceOfSatisfying(
            PacingException.class,
            e ->
                assertThat(e.retryAfter())
                    .isBetween(Duration.ofSeconds(99), Duration.ofSeconds(111)));
    assertThat(service.arrivals).hasSize(1);
  }

  @Test
  void slowFirstAnswer_doesNotBlockOtherCalls() {
    Pacing pacing = pacing().build();
    PacedCall slow = pacing.newCall("GET", FakeService.ORDERS, false, FakeService.MAX_WAIT);
    assertThat(slow.requestTurn()).isCompleted();
    CompletableFuture<Void> second =
        pacing.newCall("GET", FakeService.ORDERS, false, FakeService.MAX_WAIT).requestTurn();
    assertThat(second).isNotDone();
    time.advance(Duration.ofMillis(1001));
    assertThat(second).isCompleted();
  }

  @Test
  void manyServicesAndClasses_areForgotten() {
    Pacing pacing = pacing().build();
    for (int i = 0; i < 5000; i++) {
      URI uri = URI.create("http://host" + i % 2500 + ".test/a/" + i);
      PacedCall call = pacing.newCall("GET", uri, false, FakeService.MAX_WAIT);
      assertThat(call.requestTurn()).isCompleted();
      call.onAnswer(new RateLimitInfo(200, 0, List.of(new LimitSnapshot("r" + i, 10, 0, 9, 1000))));
    }
  }

  @Test
  void failingListener_doesNotAffectCalls() {
    FakeService service = new FakeService(time, () -> FakeServiceResponse.of(429));
    PacingListener bad =
        new PacingListener() {
          @Override
          public void refused(URI uri, int status, Duration retryAfter) {
            throw new IllegalStateException("on purpose");
          }
        };
    CompletableFuture<FakeServiceResponse> call =
        service.call(pacing().maxAttempts(1).listener(bad).build(), "GET");
    time.advance(Duration.ofSeconds(1));
    assertThat(call.join().status()).isEqualTo(429);
  }
}
