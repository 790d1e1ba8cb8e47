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
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every Java example of the README compiles and runs as written. */
class ReadmeTest {
  private static final String CONTEXT =
      """
      import static io.weir.testkit.DecisionAssert.assertThat;
      import io.weir.*;
      import io.weir.redis.RedisStore;
      import io.weir.rule.*;
      import io.weir.rules.*;
      import io.weir.store.*;
      import io.weir.testkit.FakeClock;
      import java.nio.file.Path;
      import java.time.Duration;
      import java.util.List;
      public class Example {
        static Rule rule = Rule.named("context").per("user").limit("10/minute").build();
        static Rule orders = Rule.named("orders-per-user").per("user").limit("9/minute").build();
        static Rule login = Rule.named("login").per("ip").limit("5/minute").build();
        static Request request = Request.of("user", "42");
        static RuleSet rules = RuleSet.of(orders);
        static MemoryStore store = new MemoryStore(Clock.system());
        static Limiter limiter = Weir.inMemory(rule);
        public static void run() throws Exception {
      @EXAMPLE@
        }
      }
      """;

  static Stream<String> examples() throws Exception {
    String readme = Files.readString(Path.of("..", "README.md"));
    return Pattern.compile("```java\n(.*?)```", Pattern.DOTALL)
        .matcher(readme)
        .results()
        .map((MatchResult m) -> m.group(1));
  }

  private static RedisProcess redis;
  private static Path rules;

  @BeforeAll
  static void start(@TempDir Path folder) throws Exception {
    redis = RedisProcess.start();
    String readme = Files.readString(Path.of("..", "README.md"));
    String yaml = readme.replaceFirst("(?s).*?```yaml\n(.*?)```.*", "$1");
    rules = Files.writeString(folder.resolve("rules.yaml"), yaml);
  }

  @AfterAll
  static void stop() {
    redis.close();
  }

  @ParameterizedTest
  @MethodSource("examples")
  void compilesAndRuns(String example, @TempDir Path classes) throws Exception {
    JavaFileObject source =
        new SimpleJavaFileObject(URI.create("string:///Example.java"), JavaFileObject.Kind.SOURCE) {
          @Override
          public CharSequence getCharContent(boolean ignoreErrors) {
            return CONTEXT
                .replace("@EXAMPLE@", example)
                .replace("redis://127.0.0.1:6379", redis.uri())
                .replace("file:rules.yaml", "file:" + rules)
                .replace("weir-data/counters", classes.resolve("counters").toString());
          }
        };
    List<String> options =
        List.of(
            "-proc:none", "-d", classes.toString(), "-cp", System.getProperty("java.class.path"));
    StringWriter said = new StringWriter();
    boolean compiled =
        ToolProvider.getSystemJavaCompiler()
            .getTask(said, null, null, options, null, List.of(source))
            .call();
    assertThat(compiled).as(said.toString()).isTrue();
    URL[] urls = {classes.toUri().toURL()};
    try (URLClassLoader loader = new URLClassLoader(urls)) {
      loader.loadClass("Example").getMethod("run").invoke(null);
    }
  }
}
