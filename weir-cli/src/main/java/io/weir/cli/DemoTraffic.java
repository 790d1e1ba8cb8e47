package io.weir.cli;

import io.weir.internal.background.BackgroundTask;
import io.weir.store.Clock;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Random;

/**
 * Generates sample traffic for the demo's dashboard: users who order at a rate that rises and
 * falls, some logins, and at times a crawler that exceeds its limit.
 */
final class DemoTraffic {
  private static final Duration INTERVAL = Duration.ofMillis(100);
  private static final int USERS = 40;
  private static final List<String> ENDPOINTS =
      List.of("GET /v1/orders/%d", "GET /v1/orders/%d", "GET /v1/products", "POST /v1/orders");

  private final URI checkUri;
  private final HttpClient client = HttpClient.newHttpClient();
  private final Random random = new Random(7);
  private final BackgroundTask task;
  private int ticks;

  private DemoTraffic(URI checkUri) {
    this.checkUri = checkUri;
    task =
        BackgroundTask.named("demo-traffic", Clock.system()::micros)
            .interval(INTERVAL)
            .start(this::tick);
  }

  /**
   * Starts to send requests.
   *
   * @param port the port of the decision API
   */
  static DemoTraffic start(int port) {
    return new DemoTraffic(URI.create("http://127.0.0.1:" + port + "/v1/check"));
  }

  private void tick() {
    ticks++;
    double expected = 0.6 + 0.45 * Math.sin(ticks / 120.0) + 0.15 * Math.sin(ticks / 17.0);
    for (double left = expected; left > 0; left--) {
      if (random.nextDouble() < left) {
        sendCheck(randomUser());
      }
    }
    boolean crawling = ticks / 10 % 60 >= 35 && ticks / 10 % 60 < 45;
    if (crawling) {
      sendCheck("\"user\":\"crawler\",\"endpoint\":\"GET /v1/products\"");
    }
    if (random.nextInt(40) == 0) {
      sendCheck(
          "\"ip\":\"203.0.113.%d\",\"endpoint\":\"POST /login\"".formatted(random.nextInt(3)));
    }
  }

  private String randomUser() {
    int user = (int) (USERS * Math.pow(random.nextDouble(), 2));
    String endpoint = ENDPOINTS.get(random.nextInt(ENDPOINTS.size()));
    return "\"user\":\"user-%d\",\"tier\":\"%s\",\"endpoint\":\"%s\""
        .formatted(user, user % 3 == 0 ? "pro" : "free", endpoint.formatted(random.nextInt(1000)));
  }

  private void sendCheck(String attributes) {
    HttpRequest request =
        HttpRequest.newBuilder(checkUri)
            .POST(BodyPublishers.ofString("{\"attributes\":{" + attributes + "}}"))
            .build();
    var unused = client.sendAsync(request, BodyHandlers.discarding());
  }

  void close() {
    task.close();
  }
}
