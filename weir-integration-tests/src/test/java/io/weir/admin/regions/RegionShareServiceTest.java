package io.weir.admin.regions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.json.JsonObject;
import io.weir.server.RunningServer;
import io.weir.testkit.redis.RedisProcess;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A server enforces and reports its region's share of divided rules. */
@Timeout(120)
class RegionShareServiceTest {
  private static final String TOKEN = "open-sesame-open-sesame";
  private static final String RULES =
      "rules: [{id: api, limit: 20/day, regions: {eu: 25%, us: 75%}}]";

  @TempDir Path folder;

  @Test
  void regionShare_isEnforcedAndReported() throws Exception {
    try (RedisProcess link = RedisProcess.start();
        RunningServer eu =
            RunningServer.start(
                folder,
                RULES,
                "region",
                "eu",
                "regions-link",
                link.uri(),
                "admin-port",
                "0",
                "admin-token",
                TOKEN)) {
      int admitted = 0;
      for (int i = 0; i < 10; i++) {
        admitted += eu.checkStatus("ann") == 200 ? 1 : 0;
      }
      assertThat(admitted).isEqualTo(5);
      assertThat(get(eu, "/metrics"))
          .containsPattern("weir_region_share\\{region=\"eu\",rule=\"api\"} 0\\.25");
      JsonObject regions = new JsonObject(get(eu, "/admin/stats")).getJsonObject("regions");
      assertThat(regions.getString("region")).isEqualTo("eu");
      assertThat(regions.getString("link")).isEqualTo("answers");
      JsonObject rule = regions.getJsonArray("rules").getJsonObject(0);
      assertThat(rule.getString("rule")).isEqualTo("api");
      assertThat(rule.getInteger("share")).isEqualTo(250);
      JsonObject self = rule.getJsonArray("regions").getJsonObject(0);
      assertThat(self.getString("region")).isEqualTo("eu");
      assertThat(self.getInteger("held")).isEqualTo(250);
      assertThat(self.getBoolean("live")).isTrue();
      JsonObject counters = new JsonObject(get(eu, "/admin/counters?rule=api"));
      assertThat(counters.toString()).as("the share is used up").contains("\"remaining\":0");
    }
  }

  @Test
  void noLink_usesConfiguredShares() {
    try (RunningServer us = RunningServer.start(folder, RULES, "region", "us")) {
      int admitted = 0;
      for (int i = 0; i < 20; i++) {
        admitted += us.checkStatus("ann") == 200 ? 1 : 0;
      }
      assertThat(admitted).isEqualTo(15);
    }
  }

  @Test
  void linkWithoutRegion_startFails() {
    assertThatThrownBy(
            () -> RunningServer.start(folder, RULES, "regions-link", "redis://127.0.0.1:1").close())
        .hasMessageContaining("--region");
  }

  private static String get(RunningServer server, String path)
      throws IOException, InterruptedException {
    URI uri = URI.create("http://127.0.0.1:" + server.port("admin") + path);
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(uri).header("Authorization", "Bearer " + TOKEN).build(),
            BodyHandlers.ofString())
        .body();
  }
}
