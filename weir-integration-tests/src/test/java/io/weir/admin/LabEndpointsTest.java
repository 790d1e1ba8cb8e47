package io.weir.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.rule.RuleSet;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Experiments return figures and series to plot. */
@Timeout(120)
class LabEndpointsTest {
  private AdminTestServer server;

  @BeforeEach
  void open() {
    server = new AdminTestServer(RuleSet.of());
  }

  @AfterEach
  void close() {
    server.close();
  }

  @ParameterizedTest
  @CsvSource({
    "sync?nodes=3&limit=60&interval=400ms, factor, 1.8",
    "sync?nodes=3&limit=60&interval=400, factor, 1.8",
    "sync?interval=0, factor, 1",
    "sync?interval=1s, total, 180",
    "edge?limit=10&position=0.99, factor, 2",
    "edge?limit=10&window=10s&position=0.5, gap_ms, 5000",
    "skew?skew=200ms, weir_factor, 1",
    "burst?limit=10&burst=5&requests=9, leaky_longest_wait_ms, 400",
  })
  void experiment_usesItsParameters(String query, String figure, double value) {
    JsonObject found = server.json("/admin/lab/" + query);
    assertThat(found.getJsonObject("figures").getDouble(figure)).isEqualTo(value);
    assertThat(found.getString("title")).isNotBlank();
    assertThat(found.getJsonObject("axes").fieldNames()).containsExactly("x", "y");
    JsonArray series = found.getJsonArray("series");
    for (int i = 0; i < series.size(); i++) {
      assertThat(series.getJsonObject(i).getString("name")).isNotBlank();
      assertThat(series.getJsonObject(i).getJsonArray("points").getJsonArray(0)).hasSize(2);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "sync?nodes=x",
        "sync?nodes=99999999999",
        "sync?interval=soon",
        "edge?position=7",
        "edge?limit=1000000",
        "burst?burst=0",
        "skew?nodes=1"
      })
  void invalidParameter_isRejected(String query) {
    HttpResponse<String> answer = server.get("/admin/lab/" + query);
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body()).contains("bad_request").containsAnyOf(" must be ", "; write ");
  }

  @Test
  void trace_isReplayedOnAllAlgorithms() {
    String csv = "time,key,cost\n0,ann,1\n0.1,ann,5\n0.2,bob,1\n";
    String path = "/admin/lab/trace?limit=5&burst=6";
    HttpResponse<String> answer = server.send("POST", path, csv, "Content-Type", "text/csv");
    JsonObject found = new JsonObject(answer.body());
    assertThat(found.getJsonArray("rows")).hasSize(5);
    assertThat(found.getJsonObject("figures").getDouble("requests")).isEqualTo(3);
    assertThat(found.getJsonObject("figures").getDouble("token_bucket_refused")).isZero();
    assertThat(found.getJsonObject("figures").getDouble("fixed_window_refused")).isOne();
    assertThat(server.send("POST", path, "x,y", "Content-Type", "text/csv").body())
        .contains("line 1: 'x' is not a time; write");
    assertThat(server.send("POST", path, csv).statusCode()).isEqualTo(415);
  }

  @Test
  void labEndpoints_needTokenAndAreInOpenApi() {
    assertThat(server.exchange(server.request("GET", "/admin/lab/edge", "")).statusCode())
        .isEqualTo(401);
    assertThat(server.get("/admin/openapi.json").body()).contains("/admin/lab/sync", "interval");
  }
}
