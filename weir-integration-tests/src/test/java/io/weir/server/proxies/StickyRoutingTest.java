package io.weir.server.proxies;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.weir.server.RunningServer;
import io.weir.testkit.ToolRequirement;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three nodes with local counters behind a real proxy that routes each caller to one node
 * (consistent hashing).
 */
@Tag("slow")
class StickyRoutingTest {
  private static final String RULES =
      "rules: [{id: key, per: [header.x-api-key], limit: 4/hour, consistency: local}]";
  private static final int CALLERS = 30;

  @TempDir Path folder;

  @Test
  void nginx_routesACallerToOneNode() {
    ToolRequirement.require(
        ProxyProcess.findExecutable("nginx").isPresent(),
        "nginx is not installed; apt install nginx");
    assertCallersStickToOneNode(addresses -> ProxyProcess.nginx(folder, "sticky.conf", addresses));
  }

  @Test
  void haproxy_routesACallerToOneNode() {
    ToolRequirement.require(
        ProxyProcess.findExecutable("haproxy").isPresent(),
        "haproxy is not installed; apt install haproxy");
    assertCallersStickToOneNode(addresses -> ProxyProcess.haproxy(folder, "sticky.cfg", addresses));
  }

  private interface ProxyStarter {
    ProxyProcess start(Map<String, String> addresses);
  }

  private void assertCallersStickToOneNode(ProxyStarter start) {
    HttpServer service = startUpstream();
    List<RunningServer> nodes = new ArrayList<>();
    Map<String, String> addresses = new HashMap<>();
    try {
      for (int i = 1; i <= 3; i++) {
        RunningServer node = startNode(service.getAddress().getPort());
        nodes.add(node);
        addresses.put("127.0.0.1:810" + i, "127.0.0.1:" + node.port("gateway"));
      }
      try (ProxyProcess proxy = start.start(addresses)) {
        assertThat(admittedPerCaller(proxy, 6)).as("each caller has one budget").containsOnly(4);
        assertThat(nodes)
            .as("every node has decided requests")
            .allMatch(StickyRoutingTest::hasDecided);
        nodes.remove(0).close();
        List<Integer> after = admittedPerCaller(proxy, 6);
        assertThat(after)
            .as("a caller that moved has a new budget, others have none")
            .containsOnly(0, 4);
        assertThat(after.stream().filter(more -> more > 0).count())
            .as("only callers of the stopped node move")
            .isBetween(1L, CALLERS - 1L);
      }
    } finally {
      nodes.forEach(RunningServer::close);
      service.stop(0);
    }
  }

  /** The number of admitted requests of each caller. */
  private static List<Integer> admittedPerCaller(ProxyProcess proxy, int requests) {
    List<Integer> admitted = new ArrayList<>();
    for (int caller = 0; caller < CALLERS; caller++) {
      int count = 0;
      for (int i = 0; i < requests; i++) {
        int status = proxy.get("/", "X-API-Key", "caller-" + caller).statusCode();
        assertThat(status).isIn(200, 429);
        count += status == 200 ? 1 : 0;
      }
      admitted.add(count);
    }
    return admitted;
  }

  private static boolean hasDecided(RunningServer node) {
    String body = "{\"attributes\":{\"header.x-api-key\":\"caller-%d\"}}";
    for (int caller = 0; caller < CALLERS; caller++) {
      if (node.post("/v1/peek", body.formatted(caller)).body().contains("\"allowed\":false")) {
        return true;
      }
    }
    return false;
  }

  private RunningServer startNode(int service) {
    try {
      return RunningServer.start(
          Files.createTempDirectory(folder, "node"),
          RULES,
          "gateway-port",
          "0",
          "gateway-host",
          "127.0.0.1",
          "upstream",
          "http://127.0.0.1:" + service,
          "identity-headers",
          "X-API-Key",
          "identity-trusted-proxies",
          "127.0.0.1");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static HttpServer startUpstream() {
    try {
      HttpServer service =
          HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
      service.createContext(
          "/",
          exchange -> {
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
          });
      service.start();
      return service;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
