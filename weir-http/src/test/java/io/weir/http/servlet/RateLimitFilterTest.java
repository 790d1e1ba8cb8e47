package io.weir.http.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limiter;
import io.weir.Weir;
import io.weir.http.IdentityResolver;
import io.weir.http.VerifiedCaller;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.testkit.FakeClock;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.startup.Tomcat;
import org.apache.tomcat.util.descriptor.web.FilterDef;
import org.apache.tomcat.util.descriptor.web.FilterMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the filter in Tomcat, without a framework. */
class RateLimitFilterTest {
  private final HttpClient client = HttpClient.newHttpClient();
  private final Tomcat tomcat = new Tomcat();
  private final FakeClock clock = new FakeClock();
  @TempDir Path folder;

  @AfterEach
  void stop() throws LifecycleException {
    tomcat.stop();
    tomcat.destroy();
  }

  @Test
  void refusal_hasAllHeadersAndEndsAfterRetryAfter() throws Exception {
    start(
        IdentityResolver.builder().build(), Rule.named("api").per("ip").limit("2/minute").build());
    assertThat(get("/x").statusCode()).isEqualTo(200);
    HttpResponse<String> last = get("/x");
    assertThat(last.statusCode()).isEqualTo(200);
    assertThat(last.headers().firstValue("X-RateLimit-Remaining")).contains("0");
    HttpResponse<String> refused = get("/x", "Accept", "application/problem+json");
    assertThat(refused.statusCode()).isEqualTo(429);
    assertThat(refused.headers().firstValue("Retry-After")).contains("30");
    assertThat(refused.headers().firstValue("RateLimit-Policy")).contains("\"api\";q=2;w=60");
    assertThat(refused.headers().firstValue("Content-Type")).contains("application/problem+json");
    assertThat(refused.body()).contains("\"error\":\"rate_limited\"", "\"rule\":\"api\"");
    clock.advance(Duration.ofSeconds(30));
    assertThat(get("/x").body()).isEqualTo("hello");
  }

  @Test
  void alternativePathSpelling_matchesSameRule() throws Exception {
    start(
        IdentityResolver.builder().build(),
        Rule.named("x").match("endpoint", "GET /x").per("ip").limit("1/minute").build());
    assertThat(get("/x;a=b?q=1").statusCode()).isEqualTo(200);
    assertThat(get("//%78/").statusCode()).isEqualTo(429);
    assertThat(get("/y").statusCode()).isEqualTo(200);
  }

  @Test
  void errorPage_isNotCountedAgain() throws Exception {
    start(
        IdentityResolver.builder().build(), Rule.named("api").per("ip").limit("2/minute").build());
    assertThat(get("/fails").body()).isEqualTo("an error page");
    assertThat(get("/x").statusCode()).isEqualTo(200);
    assertThat(get("/x").statusCode()).isEqualTo(429);
  }

  @Test
  void unauthorizedRequest_isCountedBefore401() throws Exception {
    IdentityResolver keys =
        IdentityResolver.builder()
            .apiKeys(
                "X-API-Key",
                secret ->
                    secret.equals("good")
                        ? Optional.of(new VerifiedCaller("k1", "ann", "free"))
                        : Optional.empty())
            .required()
            .build();
    start(keys, Rule.named("guesses").per("ip").limit("2/minute").build());
    HttpResponse<String> unknown = get("/x", "X-API-Key", "bad");
    assertThat(unknown.statusCode()).isEqualTo(401);
    assertThat(unknown.headers().firstValue("WWW-Authenticate")).isPresent();
    assertThat(get("/x", "X-API-Key", "good").statusCode()).isEqualTo(200);
    assertThat(get("/x", "X-API-Key", "bad").statusCode()).isEqualTo(429);
  }

  private void start(IdentityResolver identity, Rule... rules) throws LifecycleException {
    Limiter limiter = Weir.limiter(RuleSet.of(rules)).clock(clock).build();
    tomcat.setBaseDir(folder.toString());
    tomcat.setPort(0);
    tomcat.getConnector().setProperty("address", "127.0.0.1");
    Context context = tomcat.addContext("", null);
    Tomcat.addServlet(context, "hello", new HelloServlet());
    context.addServletMappingDecoded("/*", "hello");
    FilterDef definition = new FilterDef();
    definition.setFilterName("weir");
    definition.setFilter(new RateLimitFilter(limiter, identity));
    context.addFilterDef(definition);
    FilterMap map = new FilterMap();
    map.setFilterName("weir");
    map.addURLPattern("/*");
    map.setDispatcher("REQUEST");
    map.setDispatcher("FORWARD");
    context.addFilterMap(map);
    tomcat.start();
  }

  private HttpResponse<String> get(String path, String... headers) throws Exception {
    int port = tomcat.getConnector().getLocalPort();
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return client.send(request.build(), BodyHandlers.ofString());
  }

  private static final class HelloServlet extends HttpServlet {
    private static final long serialVersionUID = 1;

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response)
        throws IOException {
      switch (request.getRequestURI()) {
        case "/fails" -> {
          try {
            request.getRequestDispatcher("/error-page").forward(request, response);
          } catch (jakarta.servlet.ServletException e) {
            throw new IOException(e);
          }
        }
        case "/error-page" -> response.getWriter().print("an error page");
        default -> response.getWriter().print("hello");
      }
    }
  }
}
