package io.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Requests that match more limits than can be decided at once, on every HTTP endpoint. */
class TooManyLimitsEndpointTest {
  private static final String BAD = "{\"attributes\":{\"ip\":\"127.0.0.1\",\"user\":\"1\"}}";
  private static final String GOOD = "{\"attributes\":{\"user\":\"1\"}}";

  @TempDir Path folder;

  @Test
  void requestWithTooManyLimits_isRejectedAndChargesNothing() throws Exception {
    StringBuilder rules = new StringBuilder("rules:\n- {id: user, per: [user], limit: 9/day}\n");
    for (int i = 0; i < 1_000; i++) {
      rules.append("- {id: r").append(i).append(", per: [ip], limit: 9/day}\n");
    }
    String[] flags = {"gateway-port", "0", "gateway-host", "127.0.0.1", "upstream", "http://h:1"};
    try (RunningServer server = RunningServer.start(folder, rules.toString(), flags)) {
      for (String path : new String[] {"check", "peek", "reserve"}) {
        HttpResponse<String> answer = server.post("/v1/" + path, BAD);
        assertThat(answer.statusCode()).as(path).isEqualTo(400);
        assertThat(answer.body()).contains("1001 limits");
      }
      String batch = "{\"checks\":[" + GOOD + "," + BAD + "," + GOOD + "]}";
      JsonObject results = new JsonObject(server.post("/v1/check-batch", batch).body());
      assertThat(results.getJsonArray("results").getJsonObject(1).encode())
          .isEqualTo("{\"allowed\":false,\"error\":\"too_many_limits\"}");
      assertThat(server.post("/v1/peek", GOOD).body()).contains("\"remaining\":7");
    }
    rules.append("- {id: r1000, per: [ip], limit: 9/day}\n");
    try (RunningServer server = RunningServer.start(folder, rules.toString(), flags)) {
      assertThat(get(server, "gateway", "/").statusCode()).isEqualTo(400);
      assertThat(get(server, "http", "/v1/auth", "X-Original-URI", "/").statusCode())
          .isEqualTo(403);
    }
  }

  private static HttpResponse<String> get(
      RunningServer server, String listener, String path, String... headers)
      throws IOException, InterruptedException {
    URI uri = URI.create("http://127.0.0.1:" + server.port(listener) + path);
    HttpRequest.Builder request = HttpRequest.newBuilder(uri);
    if (headers.length > 0) {
      request.headers(headers);
    }
    return HttpClient.newHttpClient().send(request.build(), BodyHandlers.ofString());
  }
}
