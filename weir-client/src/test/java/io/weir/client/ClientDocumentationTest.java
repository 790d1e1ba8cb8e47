package io.weir.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Weir;
import io.weir.rule.Rule;
import io.weir.server.DecisionServer;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Compiles and runs every Java example of docs/guide/client.md and the client example of README.md.
 */
class ClientDocumentationTest {
  private static final String CONTEXT =
      """
      import io.weir.*;
      import io.weir.client.*;
      import io.weir.rule.*;
      import java.net.URI;
      import java.net.http.*;
      import java.net.http.HttpResponse.BodyHandlers;
      import java.time.Duration;
      import org.springframework.web.client.RestClient;
      public class Example {
        static HttpRequest request = HttpRequest.newBuilder(URI.create("@URI@")).build();
        static Pacing pacing = Pacing.defaults();
        public static void run() throws Exception {
      @EXAMPLE@
        }
      }
      """;

  static Stream<String> examples() throws Exception {
    return Stream.concat(
        blocks(Path.of("..", "docs", "guide", "client.md"), "java"),
        blocks(Path.of("..", "README.md"), "java client"));
  }

  private static Stream<String> blocks(Path file, String kind) throws Exception {
    return Pattern.compile("```" + kind + "\n(.*?)```", Pattern.DOTALL)
        .matcher(Files.readString(file))
        .results()
        .map((MatchResult m) -> m.group(1));
  }

  @Test
  void documentation_hasExamples() throws Exception {
    assertThat(examples()).hasSize(6);
  }

  @ParameterizedTest
  @MethodSource("examples")
  void documentedExample_compilesAndRuns(String example, @TempDir Path classes, @TempDir Path data)
      throws Exception {
    try (RateLimitedServer server =
            RateLimitedServer.start(Weir.inMemory(Rule.named("r").limit("9/second").build()));
        DecisionServer weir = WeirTestServer.start(data, 0)) {
      String port = Integer.toString(weir.port("http").orElseThrow());
      JavaFileObject source =
          new SimpleJavaFileObject(
              URI.create("string:///Example.java"), JavaFileObject.Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignoreErrors) {
              return CONTEXT
                  .replace("@EXAMPLE@", example)
                  .replace("127.0.0.1:8080", "127.0.0.1:" + port)
                  .replace("@URI@", server.uri("/v1/orders").toString());
            }
          };
      List<String> options =
          List.of(
              "-proc:none", "-d", classes.toString(), "-cp", System.getProperty("java.class.path"));
      StringWriter output = new StringWriter();
      boolean compiled =
          ToolProvider.getSystemJavaCompiler()
              .getTask(output, null, null, options, null, List.of(source))
              .call();
      assertThat(compiled).as(output.toString()).isTrue();
      URL[] urls = {classes.toUri().toURL()};
      try (URLClassLoader loader = new URLClassLoader(urls)) {
        loader.loadClass("Example").getMethod("run").invoke(null);
      }
    }
  }
}
