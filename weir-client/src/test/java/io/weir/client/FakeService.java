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

/** A service in simulated time with 5 ms latency each way, and calls to it. */
final class FakeService {
  private static final Duration ONE_WAY_LATENCY = Duration.ofMillis(5);
  static final Duration MAX_WAIT = Duration.ofSeconds(30);
  static final URI ORDERS = URI.create("http://service.test/v1/orders");

  /** A response with status and header fields. */
  record FakeServiceResponse(int status, Map<String, String> fields) {
    static FakeServiceResponse of(int status, String... fields) {
      Map<String, String> map = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
      for (int i = 0; i < fields.length; i += 2) {
        map.put(fields[i], fields[i + 1]);
      }
      return new FakeServiceResponse(status, map);
    }

    /** Returns a response as an HTTP endpoint of Weir sends it. */
    static FakeServiceResponse of(Decision decision) {
      FakeServiceResponse answer = of(decision.allowed() ? 200 : 429);
      RateLimitHeaders.write(decision, answer.fields::put);
      return answer;
    }

    List<String> field(String name) {
      String value = fields.get(name);
      return value == null ? List.of() : List.of(value);
    }
  }

  private final FakeTime time;
  private final Supplier<FakeServiceResponse> answers;
  final List<Long> arrivals = new ArrayList<>();
  final List<CompletableFuture<FakeServiceResponse>> calls = new ArrayList<>();
  int refused;

  FakeService(FakeTime time, Supplier<FakeServiceResponse> answers) {
    this.time = time;
    this.answers = answers;
  }

  static FakeService limited(FakeTime time, Limiter limiter) {
    return new FakeService(
        time, () -> FakeServiceResponse.of(limiter.decideNow(Request.of("user", "42"))));
  }

  /** Calls the service after a delay. */
  void callIn(Duration wait, Pacing pacing) {
    time.schedule(wait, () -> calls.add(call(pacing, "GET")));
  }

  /** Calls the service as a paced client does; completes with the final response. */
  CompletableFuture<FakeServiceResponse> call(Pacing pacing, String method) {
    CompletableFuture<FakeServiceResponse> result = new CompletableFuture<>();
    go(pacing, pacing.newCall(method, ORDERS, false, pacing.maxWait()), result);
    return result;
  }

  private void go(Pacing pacing, PacedCall call, CompletableFuture<FakeServiceResponse> result) {
    var unused =
        call.requestTurn()
            .whenComplete(
                (go, late) -> {
                  if (late != null) {
                    result.completeExceptionally(late);
                    return;
                  }
                  send(
                      answer -> {
                        call.onAnswer(pacing.readAnswer(answer.status, answer::field));
                        if (call.shouldRetry()) {
                          go(pacing, call, result);
                        } else {
                          result.complete(answer);
                        }
                      });
                });
  }

  private void send(Consumer<FakeServiceResponse> back) {
    time.schedule(
        ONE_WAY_LATENCY,
        () -> {
          arrivals.add(time.micros());
          FakeServiceResponse answer = answers.get();
          refused += answer.status == 429 ? 1 : 0;
          time.schedule(ONE_WAY_LATENCY, () -> back.accept(answer));
        });
  }
}
