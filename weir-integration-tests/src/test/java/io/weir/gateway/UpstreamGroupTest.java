package io.weir.gateway;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.server.RunningServer;
import io.weir.testkit.Await;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Routes with several upstreams: balancing, health, retries, rewriting and timeouts. */
@Tag("slow")
class UpstreamGroupTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  @TempDir Path folder;

  private RunningServer gateway(String upstream, String... flags) {
    String[] all = new String[flags.length + 2];
    System.arraycopy(flags, 0, all, 2, flags.length);
    all[0] = "upstream";
    all[1] = upstream;
    return GatewayTestServer.start(folder, GatewayProxyTest.NO_RULES, all);
  }

  private static RecordingUpstream named(String name) {
    return RecordingUpstream.answering(RecordingUpstream.response("200 OK", name));
  }

  private static String closedUrl() {
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return "http://127.0.0.1:" + free.getLocalPort();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  /** Sends requests over one connection; returns the responses. */
  private static List<String> get(RunningServer server, int count, String path) {
    List<String> answers = new ArrayList<>();
    try (RawHttpClient caller = RawHttpClient.connect(server.port("gateway"))) {
      for (int i = 0; i < count; i++) {
        answers.add(caller.send("GET " + path + " HTTP/1.1\r\nHost: h\r\n\r\n").readResponse());
      }
    }
    return answers;
  }

  private static Map<String, Integer> countBodies(List<String> answers) {
    Map<String, Integer> counts = new HashMap<>();
    for (String answer : answers) {
      counts.merge(answer.substring(answer.indexOf("\r\n\r\n") + 4), 1, Integer::sum);
    }
    return counts;
  }

  @Test
  void weights_divideTheRequests() {
    try (RecordingUpstream a = named("a");
        RecordingUpstream b = named("b");
        RunningServer server = gateway(a.url() + "*3 " + b.url())) {
      assertThat(countBodies(get(server, 40, "/"))).isEqualTo(Map.of("a", 30, "b", 10));
    }
  }

  @Test
  void hash_sendsTheSameAttributeToTheSameUpstream() {
    try (RecordingUpstream a = named("a");
        RecordingUpstream b = named("b");
        RunningServer server = gateway(a.url() + " " + b.url() + ";balance=hash:path")) {
      Map<String, Integer> all = new HashMap<>();
      for (int path = 0; path < 20; path++) {
        Map<String, Integer> ofPath = countBodies(get(server, 3, "/" + path));
        assertThat(ofPath).as("upstreams of one path").hasSize(1);
        ofPath.forEach((name, count) -> all.merge(name, count, Integer::sum));
      }
      assertThat(all).as("upstreams of all paths").hasSize(2);
    }
  }

  @Test
  void leastRequests_avoidsTheBusyUpstream() {
    CountDownLatch end = new CountDownLatch(1);
    try (RecordingUpstream a =
            RecordingUpstream.withScript(
                (head, in, out) -> {
                  try {
                    end.await();
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  }
                  out.write(RecordingUpstream.OK_RESPONSE.getBytes(ISO_8859_1));
                  return true;
                });
        RecordingUpstream b = named("b");
        RunningServer server = gateway(a.url() + " " + b.url() + ";balance=least-requests")) {
      List<RawHttpClient> callers = new ArrayList<>();
      for (int i = 1; i <= 40; i++) { // each event loop balances for itself
        int sent = i;
        callers.add(
            RawHttpClient.connect(server.port("gateway"))
                .send("GET / HTTP/1.1\r\nHost: h\r\n\r\n"));
        Await.until(
            TIMEOUT,
            "the request arrives",
            () -> a.requestHeads().size() + b.requestHeads().size() == sent);
      }
      assertThat(a.requestHeads().size()).as("20 in turn").isLessThanOrEqualTo(10);
      end.countDown();
      callers.forEach(RawHttpClient::close);
    }
  }

  @Test
  void deadUpstream_isHiddenByRetriesAndEjected() {
    try (RecordingUpstream a = named("a");
        RunningServer server =
            gateway(a.url() + " " + closedUrl() + ";retries=2", "admin-port", "0")) {
      assertThat(countBodies(get(server, 100, "/"))).isEqualTo(Map.of("a", 100));
      String metrics =
          RawHttpClient.exchange(
              server.port("admin"), "GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
      assertThat(metrics)
          .contains("weir_gateway_upstream_available{upstream=\"127.0.0.1:" + a.port() + "\"} 1.0")
          .containsPattern("weir_gateway_upstream_available\\{[^}]*} 0\\.0");
    }
  }

  @Test
  void upstreamRestartUnderLoad_losesNoIdempotentRequest() {
    RecordingUpstream a = named("a");
    try (RecordingUpstream b = named("b");
        RunningServer server = gateway(a.url() + " " + b.url() + ";retries=2")) {
      List<CompletableFuture<List<String>>> load = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        load.add(CompletableFuture.supplyAsync(() -> get(server, 500, "/")));
      }
      Await.until(TIMEOUT, "requests flow", () -> a.requestHeads().size() > 100);
      a.close(); // with requests in progress
      for (CompletableFuture<List<String>> one : load) {
        assertThat(one.join()).allMatch(answer -> answer.startsWith("HTTP/1.1 200"));
      }
    }
  }

  @Test
  void requestWithBody_isNeverSentTwice() {
    try (RecordingUpstream broken = RecordingUpstream.withScript((head, in, out) -> false);
        RecordingUpstream other = RecordingUpstream.withScript((head, in, out) -> false);
        RunningServer server = gateway(broken.url() + " " + other.url() + ";retries=2")) {
      String post = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\nx";
      assertThat(RawHttpClient.exchange(server.port("gateway"), post)).startsWith("HTTP/1.1 502");
      assertThat(broken.requestHeads().size() + other.requestHeads().size()).isEqualTo(1);
      assertThat(get(server, 1, "/").get(0)).startsWith("HTTP/1.1 502");
      assertThat(broken.requestHeads().size() + other.requestHeads().size())
          .as("a GET is sent three times")
          .isEqualTo(4);
    }
  }

  @Test
  void failedHealthCheck_keepsRequestsAway() {
    boolean[] healthy = {false};
    try (RecordingUpstream a = named("a");
        RecordingUpstream b =
            RecordingUpstream.withScript(
                (head, in, out) -> {
                  boolean isCheck = head.startsWith("GET /healthz ");
                  String status = isCheck && !healthy[0] ? "503 No" : "200 OK";
                  out.write(RecordingUpstream.response(status, "b").getBytes(ISO_8859_1));
                  return true;
                });
        RunningServer server =
            gateway(a.url() + " " + b.url() + ";health-check=/healthz;health-interval=100ms")) {
      Await.until(
          TIMEOUT,
          "the failed upstream is left out",
          () -> countBodies(get(server, 10, "/")).equals(Map.of("a", 10)));
      healthy[0] = true;
      Await.until(TIMEOUT, "it is used again", () -> countBodies(get(server, 10, "/")).size() == 2);
    }
  }

  @Test
  void routes_chooseByMethodAndRewriteTheirPrefix() {
    try (RecordingUpstream api = named("api");
        RecordingUpstream posts = named("posts");
        RecordingUpstream rest = named("rest");
        RunningServer server =
            gateway(
                rest.url(),
                "gateway-routes",
                "/api/v1=" + api.url() + ";rewrite=/,POST /api=" + posts.url())) {
      assertThat(get(server, 1, "/api/v1/a%20b?c=/api").get(0)).endsWith("api");
      assertThat(api.requestHeads().get(0)).startsWith("GET /a%20b?c=/api HTTP/1.1");
      get(server, 1, "/api/v1?x");
      assertThat(api.requestHeads().get(1)).startsWith("GET /?x HTTP/1.1");
      get(server, 1, "/api/v1;p=1/x");
      assertThat(api.requestHeads().get(2)).startsWith("GET /x HTTP/1.1");
      assertThat(get(server, 1, "/api/v2").get(0)).endsWith("rest");
      assertThat(
              RawHttpClient.exchange(
                  server.port("gateway"),
                  "POST /api/v2 HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n"))
          .endsWith("posts");
    }
  }

  @Test
  void routeTimeout_replacesTheGeneralOne() {
    CountDownLatch end = new CountDownLatch(1);
    try (RecordingUpstream stuck =
            RecordingUpstream.withScript(
                (head, in, out) -> {
                  try {
                    end.await();
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  }
                  return false;
                });
        RunningServer server = gateway(stuck.url() + ";upstream-timeout=300ms")) {
      assertThat(get(server, 1, "/").get(0)).startsWith("HTTP/1.1 504");
      end.countDown();
    }
  }
}
