package io.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.server.RunningServer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The echo server behind the gateway of the demo. */
class EchoServerTest {
  @TempDir Path folder;

  @Test
  void requestThroughGateway_isEchoed() throws Exception {
    try (EchoServer echo = new EchoServer();
        RunningServer server =
            RunningServer.start(
                folder,
                "rules: [{id: ip, per: [ip], limit: 5/10s}]",
                "gateway-port",
                "0",
                "gateway-host",
                "127.0.0.1",
                "upstream",
                echo.url())) {
      URI uri = URI.create("http://127.0.0.1:" + server.port("gateway") + "//hel%6co?x=1");
      HttpResponse<String> response =
          HttpClient.newHttpClient()
              .send(
                  HttpRequest.newBuilder(uri).POST(BodyPublishers.ofString("body")).build(),
                  BodyHandlers.ofString());
      assertThat(response.statusCode()).isEqualTo(200);
      assertThat(response.body())
          .startsWith("POST /hello?x=1\n")
          .containsIgnoringCase("X-Forwarded-For: [127.0.0.1]")
          .endsWith("\n\nbody");
      assertThat(response.headers().firstValue("X-RateLimit-Limit")).contains("5");
      assertThat(server.server().summary()).contains("rate-limiting reverse proxy");
    }
  }
}
