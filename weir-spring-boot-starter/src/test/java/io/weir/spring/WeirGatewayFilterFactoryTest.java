package io.weir.spring;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** The filter {@code Weir} on routes of Spring Cloud Gateway. */
class WeirGatewayFilterFactoryTest {
  private static final String ROUTE = "spring.cloud.gateway.server.webflux.routes[%d].%s";

  @Test
  void routeFilter_limitsInAdditionToRules() throws IOException {
    HttpServer upstream =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    upstream.createContext(
        "/",
        exchange -> {
          byte[] body = "upstream".getBytes(UTF_8);
          exchange.sendResponseHeaders(200, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    upstream.start();
    String uri = "http://127.0.0.1:" + upstream.getAddress().getPort();
    try (ConfigurableApplicationContext app =
        new SpringApplicationBuilder(io.weir.spring.app.TestApplication.class)
            .web(WebApplicationType.REACTIVE)
            .properties("server.port=0")
            .properties(
                route(0, "id", "a"),
                route(0, "uri", uri),
                route(0, "predicates[0]", "Path=/a/**"),
                route(0, "filters[0]", "Weir=2/m"),
                route(1, "id", "b"),
                route(1, "uri", uri),
                route(1, "predicates[0]", "Path=/b/**"),
                route(1, "filters[0].name", "Weir"),
                route(1, "filters[0].args.limit", "1/m"),
                route(1, "filters[0].args.per", "header.X-Tenant"))
            .properties("weir.rules[0].id=all", "weir.rules[0].per=ip", "weir.rules[0].limit=100/m")
            .run("--spring.cloud.gateway.server.webflux.enabled=true")) {
      SpringAppClient caller = SpringAppClient.forApplication(app);
      HttpResponse<String> first = caller.get("/a/x");
      assertThat(first.body()).isEqualTo("upstream");
      assertThat(first.headers().firstValue("RateLimit-Policy").orElse(""))
          .contains("\"all\"", "\"route-a\"");
      assertThat(caller.status("/a/y")).isEqualTo(200);
      HttpResponse<String> refused = caller.get("/a/z");
      assertThat(refused.statusCode()).isEqualTo(429);
      assertThat(refused.body()).contains("\"rule\":\"route-a\"");
      assertThat(caller.status("/b/x", "X-Tenant", "acme")).isEqualTo(200);
      assertThat(caller.status("/b/x", "X-Tenant", "acme")).isEqualTo(429);
      assertThat(caller.status("/b/x", "X-Tenant", "other")).isEqualTo(200);
    } finally {
      upstream.stop(0);
    }
  }

  private static String route(int i, String name, String value) {
    return ROUTE.formatted(i, name) + "=" + value;
  }
}
