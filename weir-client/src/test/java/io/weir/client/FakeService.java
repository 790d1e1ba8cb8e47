package io.weir.client;

import io.weir.Decision;
import io.weir.Limiter;
import io.weir.Request;
import io.weir.http.RateLimitHeaders;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** A service in fake time, some milliseconds away, and calls to it. */
final class FakeService {
  private static final Duration WAY = Duration.ofMillis(5);
  static final Duration WAIT = Duration.ofSeconds(30);
  static final URI ORDERS = URI.create("http://service.test/v1/orders");

  /** An answer. */
  record Answer(int status, Map<String, String> fields) {
    static Answer of(int status, String... fields) {
      Map<String, String> map = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
      for (int i = 0; i < fields.length; i += 2) {
        map.put(fields[i], fields[i + 1]);
      }
      return new Answer(status, map);
    }

    /** As a door of Weir answers. */
    static Answer of(Decision decision) {
      Answer answer = of(decision.allowed() ? 200 : 429);
      RateLimitHeaders.write(decision, answer.fields::put);
      return answer;
    }

    List<String> field(String name) {
      String value = fields.get(name);
      return value == null ? List.of() : List.of(value);
    }
  }

  private final FakeTime time;
  private final Supplier<Answer> answers;
  final List<Long> arrivals = new ArrayList<>();
  final List<CompletableFuture<Answer>> calls = new ArrayList<>();
  int refused;

  FakeService(FakeTime time, Supplier<Answer> answers) {
    this.time = time;
    this.answers = answers;
  }

  static FakeService limited(FakeTime time, Limiter limiter) {
    return new FakeService(time, () -> Answer.of(limiter.decideNow(Request.of("user", "42"))));
  }

  /** Calls it once the time has come. */
  void callIn(Duration wait, Pacing pacing) {
    time.in(wait, () -> calls.add(call(pacing, "GET")));
  }

  /** Calls it as a paced client does; what became of it in the end. */
  CompletableFuture<Answer> call(Pacing pacing, String method) {
    CompletableFuture<Answer> result = new CompletableFuture<>();
    go(pacing, pacing.trip(method, ORDERS, false, pacing.longestWait()), result);
    return result;
  }

  private void go(Pacing pacing, Trip trip, CompletableFuture<Answer> result) {
    var unused =
        trip.turn()
            .whenComplete(
                (go, late) -> {
                  if (late != null) {
                    result.completeExceptionally(late);
                    return;
                  }
                  send(
                      answer -> {
                        trip.told(pacing.read(answer.status, answer::field));
                        if (trip.repeats()) {
                          go(pacing, trip, result);
                        } else {
                          result.complete(answer);
                        }
                      });
                });
  }

  private void send(Consumer<Answer> back) {
    time.in(
        WAY,
        () -> {
          arrivals.add(time.micros());
          Answer answer = answers.get();
          refused += answer.status == 429 ? 1 : 0;
          time.in(WAY, () -> back.accept(answer));
        });
  }
}
