package io.weir.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.testkit.RandomHistory;
import java.net.URLDecoder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Property tests on random paths: each has one canonical form, and upstreams resolve the same. */
class EndpointNormalizerPropertyTest {
  private static final List<String> PIECES =
      List.of(
          ("/ / / // . .. /. /.. /../ /./ a b Z login 7 - _ ~ %2e %2E %2e%2e %61 %4c %3b ; "
                  + ";a=b ..; %2f %5c \\ %00 %25 %32 %66 % %c3%a9 %e2%82%ac %c0%ae %ff %20 + %2b : "
                  + "%3a @ ! * %2a | { %7b [ \u00e9 # ' ( ) $ & = %3d ,")
              .split(" "));

  private static final int STEPS = Math.min(RandomHistory.steps(), 1_000_000);

  private final long seed = RandomHistory.seed();
  private final Random random = new Random(seed);
  private final EndpointNormalizer endpoints = new EndpointNormalizer();

  @Test
  void acceptedPath_hasOneCanonicalForm() {
    int accepted = 0;
    for (int step = 0; step < STEPS; step++) {
      String sent = randomPath();
      try {
        check(sent, endpoints.normalize("GET", sent));
        accepted++;
      } catch (BadRequestException e) {
        assertThat(e.getStackTrace()).as("exception without stack trace").isEmpty();
      } catch (RuntimeException | AssertionError e) {
        throw new AssertionError("-Dweir.seed=" + seed + " at step " + step + ": " + sent, e);
      }
    }
    assertThat(accepted).as("accepted paths, -Dweir.seed=" + seed).isGreaterThan(STEPS / 20);
  }

  private void check(String sent, RequestEndpoint endpoint) {
    String path = endpoint.path();
    assertThat(endpoints.normalize("GET", endpoint.target())).isEqualTo(endpoint);
    assertThat(endpoints.normalize("GET", path).path()).isEqualTo(path);
    assertThat(path).startsWith("/").doesNotContain("//", ";", "\\", "#");
    assertThat(path.length() == 1 || !path.endsWith("/")).isTrue();
    List<String> resolved = resolve(path);
    assertThat(resolve(endpoint.target())).as("forwarded path").isEqualTo(resolved);
    assertThat(resolve(sent)).as("original path").isEqualTo(resolved);
  }

  @Test
  void everySpellingOfPath_normalizesToSamePath() {
    int accepted = 0;
    for (int step = 0; step < STEPS; step++) {
      String spelling = randomSpelling("/v1/orders/caf\u00e9:7");
      try {
        assertThat(endpoints.normalize("GET", spelling).path())
            .as("-Dweir.seed=%d: %s", seed, spelling)
            .isEqualTo("/v1/orders/caf%C3%A9:7");
        accepted++;
      } catch (BadRequestException e) {
        assertThat(spelling)
            .as("-Dweir.seed=%d: only // with .. is ambiguous", seed)
            .contains("//");
      }
    }
    assertThat(accepted).isGreaterThan(STEPS / 4);
  }

  /**
   * Resolves a path as most servers do: parameters are removed, the path is decoded once, and empty
   * and dot segments are resolved.
   */
  private static List<String> resolve(String path) {
    StringBuilder decoded = new StringBuilder();
    for (String segment : path.split("/", -1)) {
      String name = segment.split(";", 2)[0].replace("+", "%2B");
      decoded.append('/').append(URLDecoder.decode(name, UTF_8));
    }
    Deque<String> found = new ArrayDeque<>();
    for (String segment : decoded.toString().split("/", -1)) {
      if (segment.equals("..")) {
        found.removeLast();
      } else if (!segment.isEmpty() && !segment.equals(".")) {
        found.addLast(segment);
      }
    }
    return new ArrayList<>(found);
  }

  private String randomPath() {
    StringBuilder path = new StringBuilder("/");
    for (int i = random.nextInt(8); i > 0; i--) {
      path.append(PIECES.get(random.nextInt(PIECES.size())));
    }
    return path.toString();
  }

  /** Returns the same path with encoded letters and redundant segments. */
  private String randomSpelling(String path) {
    StringBuilder spelling = new StringBuilder();
    for (int i = 0; i < path.length(); i++) {
      char c = path.charAt(i);
      if (c == '/') {
        spelling.append(
            switch (random.nextInt(9)) {
              case 0 -> "//";
              case 1 -> "/./";
              case 2 -> "/x/../";
              case 3 -> "/%2e/";
              case 4 -> "/x;y=z/.%2E/";
              case 5 -> i == 0 ? "/" : ";p=%2c/";
              default -> "/";
            });
      } else if (c > 0x7f || random.nextInt(4) == 0) {
        for (byte b : String.valueOf(c).getBytes(UTF_8)) {
          String hex = String.format("%%%02x", b);
          spelling.append(random.nextBoolean() ? hex : hex.toUpperCase(Locale.ROOT));
        }
      } else {
        spelling.append(c);
      }
    }
    return spelling.append(random.nextInt(4) == 0 ? "/" : "").toString();
  }
}
