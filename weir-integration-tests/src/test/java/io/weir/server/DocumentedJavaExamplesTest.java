package io.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.testkit.redis.RedisProcess;
import java.io.StringWriter;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every Java example of the README, and of pages without a test of their own, compiles and runs as
 * written.
 */
class DocumentedJavaExamplesTest {
  private static final String CONTEXT =
      """
      import static io.weir.testkit.DecisionAssert.assertThat;
      import io.weir.*;
      import io.weir.http.*;
      import io.weir.http.jwt.*;
      import io.weir.http.servlet.RateLimitFilter;
      import io.weir.redis.RedisStore;
      import io.weir.rule.*;
      import io.weir.rules.*;
      import io.weir.rules.database.ApiKeys;
      import io.weir.rules.database.DatabaseRules;
      import io.weir.store.*;
      import io.weir.testkit.FakeClock;
      import java.nio.file.Path;
      import java.time.Duration;
      import java.util.List;
      import java.util.Optional;
      import java.util.function.Supplier;
      public class Example {
        static Rule rule = Rule.named("context").per("user").limit("10/minute").build();
        static Rule orders = Rule.named("orders-per-user").per("user").limit("9/minute").build();
        static Rule login = Rule.named("login").per("ip").limit("5/minute").build();
        static Request request = Request.of("user", "42");
        static RuleSet rules = RuleSet.of(orders);
        static Store store = Weir.loadCounters(Path.of("counters"));
        static Limiter limiter = Weir.inMemory(rule);
        static ApiKeys keys;
        static IpAddress peer = IpAddress.parse("192.0.2.1");
        static String method = "GET";
        static String target = "/v1/orders/7";
        static RequestHeaders headers = new RequestHeaders() {
          public String get(String name) {
            return name.equalsIgnoreCase("Host") ? "shop.example" : null;
          }
          public List<String> all(String name) {
            return get(name) == null ? List.of() : List.of(get(name));
          }
        };
        public static void run() throws Exception {
      @EXAMPLE@
        }
      }
      """;

  /** The context of an example that adds a filter while a servlet application starts. */
  private static final String SERVLET =
      """
      var tomcat = new org.apache.catalina.startup.Tomcat();
      tomcat.setBaseDir("weir-data/tomcat");
      var application = tomcat.addContext("", null);
      application.addServletContainerInitializer((classes, context) -> {
      @EXAMPLE@
      }, null);
      tomcat.start();
      try {
        if (application.findFilterMaps().length != 1) {
          throw new AssertionError("no filter, application " + application.getState());
        }
      } finally {
        tomcat.stop();
        tomcat.destroy();
      }
      """;

  /** The pages tested here, and the language of the examples to run. */
  private static final Map<String, String> LANGUAGES_BY_PAGE =
      Map.of(
          "README.md", "java",
          "docs/guide/java-library.md", "java",
          "docs/guide/http-callers-and-headers.md", "java",
          "docs/guide/rules.md", "java",
          "docs/guide/spring-boot.md", "java servlet");

  /** The example public key of RFC 7517. */
  private static final String KEYS =
      """
      {"keys":[{"kty":"EC","crv":"P-256","kid":"1",
        "x":"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
        "y":"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"}]}
      """;

  static Stream<DocumentationExample> examples() {
    return LANGUAGES_BY_PAGE.keySet().stream()
        .flatMap(page -> DocumentationExample.readPage(page).stream())
        .filter(block -> block.language().equals(LANGUAGES_BY_PAGE.get(block.page())));
  }

  private static RedisProcess redis;
  private static Path rules;
  private static Path keys;

  @BeforeAll
  static void start(@TempDir Path folder) throws Exception {
    redis = RedisProcess.start();
    Stream<DocumentationExample> yaml =
        DocumentationExample.readPage("docs/guide/java-library.md").stream()
            .filter(b -> b.language().equals("yaml"));
    rules = Files.writeString(folder.resolve("rules.yaml"), yaml.findFirst().orElseThrow().text());
    keys = Files.writeString(folder.resolve("jwks.json"), KEYS);
  }

  @AfterAll
  static void stop() {
    redis.close();
  }

  @ParameterizedTest
  @MethodSource("examples")
  void documentedExample_compilesAndRuns(DocumentationExample example, @TempDir Path classes)
      throws Exception {
    JavaFileObject source =
        new SimpleJavaFileObject(URI.create("string:///Example.java"), JavaFileObject.Kind.SOURCE) {
          @Override
          public CharSequence getCharContent(boolean ignoreErrors) {
            return CONTEXT
                .replace("@EXAMPLE@", example.language().equals("java") ? "@EXAMPLE@" : SERVLET)
                .replace("@EXAMPLE@", example.text())
                .replace("redis://127.0.0.1:6379", redis.uri())
                .replace("file:rules.yaml", "file:" + rules)
                .replace("https://id.example/jwks.json", keys.toString())
                .replace("jdbc:postgresql://db/weir?user=weir&password=…", "jdbc:h2:mem:readme")
                .replace("weir-data/", classes + "/");
          }
        };
    List<String> options =
        List.of(
            "-proc:none", "-d", classes.toString(), "-cp", System.getProperty("java.class.path"));
    StringWriter compilerOutput = new StringWriter();
    boolean compiled =
        ToolProvider.getSystemJavaCompiler()
            .getTask(compilerOutput, null, null, options, null, List.of(source))
            .call();
    assertThat(compiled).as(compilerOutput.toString()).isTrue();
    URL[] urls = {classes.toUri().toURL()};
    try (URLClassLoader loader = new URLClassLoader(urls)) {
      loader.loadClass("Example").getMethod("run").invoke(null);
    }
  }
}
