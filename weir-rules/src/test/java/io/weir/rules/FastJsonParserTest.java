package io.weir.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rule.Rule;
import io.weir.rules.text.InvalidConfigurationException;
import io.weir.rules.text.ProblemCollector;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The fast JSON parser gives the same result as the YAML reader, or none. */
class FastJsonParserTest {
  private static final int MUTATIONS = 60_000;
  private static final List<String> VALID_TEXTS =
      List.of(
          "{\"id\":\"api\",\"per\":[\"user\"],\"limit\":\"100/minute\"}",
          "{\"id\":\"a\",\"match\":{\"path\":[\"/a/**\",\"é \\\"\\u00e9\\n\"],\"user\":42},\"limit\":[\"1/s\",\"9/h\"]}",
          "{\"id\":\"a\",\"limit\":\"1/s\",\"burst\":20,\"durable\":true,\"shadow\":false,\"per\":[]}",
          "{ \"id\": \"a\",\n \"limit\": \"1/s\", \"overrides\": [\n{\"when\": {\"user\": \"x\"}, \"limit\": \"2/s\"}\n]}\n");

  @Test
  void writtenJson_isParsed() {
    for (String text : VALID_TEXTS) {
      assertThat(FastJsonParser.parse(text)).as(text).isPresent();
      Rule rule = Rules.readOne("test", text);
      assertThat(FastJsonParser.parse(Rules.toJson(rule))).isPresent();
      assertThat(FastJsonParser.parse(Rules.toJson(List.of(rule, rule)))).isPresent();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "[]",
        "{",
        "{}x",
        "{\"a\":1,}",
        "{,}",
        "{\"a\" :1}",
        "{\"a\":1,\"a\":2}",
        "{\"a\":01}",
        "{\"a\":1.5}",
        "{\"a\":-}",
        "{\"a\":yes}",
        "{\"a\":\"\t\"}",
        "{\"a\":\"\\x41\"}",
        "{\"a\":\"\\ud800\"}",
        "{\"a\":\"\u2028\"}",
        "{\"a\":\"\\u٠٠٠٠\"}",
        "{\"a\":[1,]}",
        "{\"a\":[,1]}",
        "{\"a\":[1 2]}",
        "{\"a\":1} # b",
        "{}\0",
        "{a: 1}"
      })
  void unusualJson_isLeftToYaml(String text) {
    assertThat(FastJsonParser.parse(text)).isEmpty();
  }

  @Test
  void mutatedTexts_giveSameResultAsYaml() {
    long seed = Long.getLong("weir.seed", new Random().nextLong());
    System.out.println("mutated JSON, seed " + seed);
    Random random = new Random(seed);
    int parsedFast = 0;
    for (int i = 0; i < MUTATIONS; i++) {
      StringBuilder text = new StringBuilder(VALID_TEXTS.get(random.nextInt(VALID_TEXTS.size())));
      for (int edits = 1 + random.nextInt(3); edits > 0; edits--) {
        mutate(text, random);
      }
      String json = text.toString();
      parsedFast += FastJsonParser.parse(json).isPresent() ? 1 : 0;
      assertThat(resultOf(json, false))
          .as("seed %d: %s", seed, json)
          .isEqualTo(resultOf(json, true));
    }
    assertThat(parsedFast).as("texts read by the fast parser").isGreaterThan(MUTATIONS / 20);
  }

  private static Object resultOf(String text, boolean yaml) {
    try {
      return yaml
          ? new RulesReader(new ProblemCollector("test")).readRule(text)
          : Rules.readOne("test", text);
    } catch (InvalidConfigurationException e) {
      return e.problems();
    }
  }

  private static void mutate(StringBuilder text, Random random) {
    String signs = "\"\"\\\\{}[]:,, \n\t-0123456789.eutrfalsn#&*!|>'%@`~é\u0085\u2028\u007f\uD83D";
    int at = random.nextInt(text.length());
    char sign = signs.charAt(random.nextInt(signs.length()));
    switch (random.nextInt(4)) {
      case 0 -> text.insert(at, sign);
      case 1 -> text.deleteCharAt(at);
      case 2 -> text.setCharAt(at, sign);
      default -> {
        int to = Math.min(text.length(), at + random.nextInt(8));
        text.insert(random.nextInt(text.length()), text.substring(at, to));
      }
    }
    if (text.length() == 0) {
      text.append(sign);
    }
  }
}
