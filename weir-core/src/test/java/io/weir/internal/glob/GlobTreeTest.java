package io.weir.internal.glob;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GlobTreeTest {

  @ParameterizedTest
  @CsvSource({
    "GET /v1/orders,            GET /v1/orders,        true",
    "GET /v1/orders,            GET /v1/orders/7,      false",
    "GET /v1/orders,            POST /v1/orders,       false",
    "GET /v1/orders/*,          GET /v1/orders/7,      true",
    "GET /v1/orders/*,          GET /v1/orders,        false",
    "GET /v1/orders/*,          GET /v1/orders/7/line, false",
    "GET /v1/orders/**,         GET /v1/orders,        true",
    "GET /v1/orders/**,         GET /v1/orders/7/line, true",
    "GET /v1/orders/**,         GET /v1/ordersx,       false",
    "* /v1/orders/**,           DELETE /v1/orders/7,   true",
    "GET /*/orders/**/lines/*,  GET /v1/orders/lines/1,      true",
    "GET /*/orders/**/lines/*,  GET /v1/orders/7/8/lines/1,  true",
    "GET /*/orders/**/lines/*,  GET /v1/orders/7/8/lines,    false",
    "**,                        anything /at/all,      true",
    "*,                         alice,                 true",
    "*,                         a/b,                   false",
    "acme-*,                    acme-17,               true",
    "acme-*,                    acme-,                 true",
    "acme-*,                    acm,                   false",
    "*.json,                    a.b.json,              true",
    "*.json,                    a.json.gz,             false",
    "a*b*c,                     aXbYc,                 true",
    "a*b*c,                     aXcYb,                 false",
    "a*ab,                      aab,                   true",
    "a*ab,                      aaaXab,                true",
  })
  void pattern_matchesAsExpected(String pattern, String value, boolean expected) {
    GlobTree tree = new GlobTree();
    GlobTree.check(pattern);
    tree.add(pattern, 0);
    assertThat(tree.matches(value)).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({
    "'',blank",
    "'  ',blank",
    "a**,whole segments",
    "/x/**y,whole segments",
    "/**/a/**/b,at most one"
  })
  void invalidPattern_isRejected(String pattern, String reason) {
    assertThatThrownBy(() -> GlobTree.check(pattern))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(reason);
  }

  @Test
  void randomPatterns_matchLikeRegularExpressions() {
    long seed = ThreadLocalRandom.current().nextLong();
    Random random = new Random(seed);
    String[] patterns = new String[300];
    Pattern[] regexes = new Pattern[patterns.length];
    GlobTree tree = new GlobTree();
    for (int i = 0; i < patterns.length; i++) {
      patterns[i] = randomPath(random, new String[] {"a", "b", "ab", "*", "a*", "*b", "**"});
      boolean twice = patterns[i].replaceFirst("(^|/)\\*\\*(/|$)", "$1.$2").contains("**");
      patterns[i] = twice ? "a" : patterns[i];
      regexes[i] = regex(patterns[i]);
      tree.add(patterns[i], i);
    }
    for (int n = 0; n < 20_000; n++) {
      String value = randomPath(random, new String[] {"a", "b", "ab", "abb", ""});
      int[] found = tree.find(value);
      for (int i = 0, k = 0; i < patterns.length; i++) {
        boolean matches = k < found.length && found[k] == i;
        k += matches ? 1 : 0;
        assertThat(matches)
            .as("seed %d: '%s' on '%s'", seed, patterns[i], value)
            .isEqualTo(regexes[i].matcher("/" + value).matches());
      }
    }
  }

  private static String randomPath(Random random, String[] segments) {
    StringBuilder text = new StringBuilder(segments[random.nextInt(segments.length)]);
    for (int i = random.nextInt(4); i > 0; i--) {
      text.append('/').append(segments[random.nextInt(segments.length)]);
    }
    return text.toString();
  }

  /**
   * Translates a pattern to a regular expression: {@code **} is any number of segments, even none.
   */
  private static Pattern regex(String pattern) {
    StringBuilder regex = new StringBuilder();
    for (String segment : pattern.split("/", -1)) {
      regex.append(segment.equals("**") ? "(/[^/]*)*" : "/" + segment.replace("*", "[^/]*"));
    }
    return Pattern.compile(regex.toString());
  }
}
