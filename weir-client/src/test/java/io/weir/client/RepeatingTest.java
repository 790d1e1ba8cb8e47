package io.weir.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.client.FakeService.Answer;
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

/** Which calls are sent again, when, and how often, in fake time. */
class RepeatingTest {
  private final FakeTime time = new FakeTime();
  private final Random random = new Random(11);
  private final long began = time.micros();

  private Pacing.Builder paced() {
    return Pacing.builder().time(time, time).random(random::nextDouble);
  }

  private double seconds(long arrival) {
    return (arrival - began) / 1e6;
  }

  /** E3: what was refused together does not come back early, nor together, nor in vain. */
  @Test
  void aThousandClientsRefusedAtOnceComeBackSpreadAndNotEarly() {
    int clients = 1000;
    long open = began + 30_000_000;
    FakeService service =
        new FakeService(
            time,
            () -> time.micros() < open ? Answer.of(429, "Retry-After", "30") : Answer.of(200));
    List<CompletableFuture<Answer>> calls = new ArrayList<>();
    for (int i = 0; i < clients; i++) {
      calls.add(service.call(paced().longestWait(Duration.ofMinutes(2)).build(), "GET"));
    }
    time.pass(Duration.ofMinutes(2));
    assertThat(calls).allMatch(c -> c.join().status() == 200);
    assertThat(service.arrivals.size()).isBetween(2 * clients, 2 * clients * 11 / 10);
    List<Long> returns = service.arrivals.subList(clients, service.arrivals.size());
    assertThat(returns).as("none before its Retry-After").allMatch(at -> at >= open);
    int[] perTenth = new int[40];
    returns.forEach(at -> perTenth[(int) Math.min(39, (at - open) / 100_000)]++);
    assertThat(Arrays.stream(perTenth).max().orElse(0))
        .as("in no tenth of a second more than 7 %")
        .isLessThanOrEqualTo(70);
  }

  @Test
  void aThousandCallersOfOneClientDoNotComeBackTogetherEither() {
    long open = began + 30_000_000;
    FakeService service =
        new FakeService(
            time,
            () -> time.micros() < open ? Answer.of(429, "Retry-After", "30") : Answer.of(200));
    Pacing pacing = paced().longestWait(Duration.ofMinutes(2)).build();
    List<CompletableFuture<Answer>> calls = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      calls.add(service.call(pacing, "GET"));
    }
    time.pass(Duration.ofMinutes(2));
    assertThat(calls).allMatch(c -> c.join().status() == 200);
    assertThat(service.refused).as("the first alone was sent, and refused").isEqualTo(1);
    assertThat(service.arrivals).hasSize(1001);
    assertThat(seconds(service.arrivals.get(1))).isGreaterThan(30);
  }

  /** E3: a service that fails for a minute gets a tenth more calls, not three times more. */
  @Test
  void aServiceThatFailsIsNotHammered() {
    FakeService service =
        new FakeService(
            time, () -> time.micros() < began + 60_000_000 ? Answer.of(503) : Answer.of(200));
    Pacing pacing = paced().build();
    int calls = 60 * 50;
    for (int i = 0; i < calls; i++) {
      service.callIn(Duration.ofMillis(20L * i), pacing);
    }
    time.pass(Duration.ofMinutes(2));
    assertThat(service.arrivals.size()).isBetween(calls, calls * 11 / 10);
  }

  @Test
  void backingOffGrowsAndIsNeverShorterThanTold() {
    FakeService service = new FakeService(time, () -> Answer.of(429, "Retry-After", "2"));
    CompletableFuture<Answer> call =
        service.call(paced().random(() -> 0.999).longestWait(Duration.ofMinutes(5)).build(), "GET");
    time.pass(Duration.ofMinutes(5));
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
  void whatIsAskedForeverIsADay(String field, String value) {
    FakeService service = new FakeService(time, () -> Answer.of(429, field, value));
    Pacing pacing = paced().build();
    assertThat(answered(service, pacing).status()).isEqualTo(429);
    CompletableFuture<Answer> held = service.call(pacing, "GET");
    assertThat(held).isCompletedExceptionally();
    time.pass(Duration.ofHours(25));
    CompletableFuture<Answer> later = service.call(pacing, "GET");
    time.pass(Duration.ofSeconds(1));
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
  void whatMakesNoSenseIsBackedOffFrom(String value) {
    FakeService service =
        new FakeService(
            time,
            () ->
                time.micros() < began + 100_000
                    ? Answer.of(
                        429, "Retry-After", value, "RateLimit", value, "X-RateLimit-Reset", value)
                    : Answer.of(200));
    assertThat(answered(service, paced().build()).status()).isEqualTo(200);
    assertThat(seconds(service.arrivals.get(1))).isBetween(0.5, 1.1);
  }

  private Answer answered(FakeService service, Pacing pacing) {
    CompletableFuture<Answer> call = service.call(pacing, "GET");
    time.pass(Duration.ofSeconds(20));
    return call.join();
  }

  @Test
  void onlyWhatIsSafeToRepeatIsRepeatedUnlessTold() {
    assertThat(attempts("GET", paced())).isEqualTo(4);
    assertThat(attempts("DELETE", paced())).isEqualTo(4);
    assertThat(attempts("POST", paced())).isEqualTo(1);
    assertThat(attempts("PATCH", paced())).isEqualTo(1);
    assertThat(attempts("POST", paced().repeats((method, uri) -> true))).isEqualTo(4);
    assertThat(attempts("GET", paced().repeats((method, uri) -> false))).isEqualTo(1);
    assertThat(attempts("GET", paced().attempts(1))).isEqualTo(1);
    assertThat(attempts("GET", paced().retryBudget(0))).isEqualTo(1);
  }

  private int attempts(String method, Pacing.Builder pacing) {
    FakeService service = new FakeService(time, () -> Answer.of(503));
    var unused = service.call(pacing.build(), method);
    time.pass(Duration.ofSeconds(30));
    return service.arrivals.size();
  }

  @Test
  void aKeyMakesACallRepeatable() {
    Trip trip = paced().build().trip("POST", FakeService.ORDERS, true, FakeService.WAIT);
    assertThat(trip.turn()).isCompleted();
    trip.told(new Told(503, 0, List.of()));
    assertThat(trip.repeats()).isTrue();
  }

  @Test
  void aListenerHearsOfWaitsRefusalsAndRepetitions() {
    List<String> heard = new ArrayList<>();
    PaceListener listener =
        new PaceListener() {
          @Override
          public void waited(URI uri, Duration wait) {
            heard.add("waited " + wait.toSeconds());
          }

          @Override
          public void refused(URI uri, int status, Duration retryAfter) {
            heard.add("refused " + status + " " + retryAfter.toSeconds());
          }

          @Override
          public void repeats(URI uri, int attempt, Duration wait) {
            heard.add("repeats " + attempt + " " + wait.toSeconds());
          }

          @Override
          public void gaveUp(URI uri, String reason) {
            heard.add("gave up: " + reason);
          }
        };
    FakeService service = new FakeService(time, () -> Answer.of(429, "Retry-After", "3"));
    Pacing pacing = paced().attempts(2).random(() -> 0).listener(listener).build();
    assertThat(answered(service, pacing).status()).isEqualTo(429);
    assertThat(heard)
        .containsExactly(
            "refused 429 3",
            "repeats 2 3",
            "waited 3",
            "refused 429 3",
            "gave up: it was sent 2 times");
  }
}
