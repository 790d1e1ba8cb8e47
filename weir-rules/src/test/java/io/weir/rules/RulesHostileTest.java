package io.weir.rules;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeout;

import io.weir.rules.text.InvalidConfigurationException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Hostile text of any kind is rejected quickly, with a short message. */
class RulesHostileTest {
  private static final int HUGE_LENGTH = 10_000_000;

  static Stream<Arguments> hostile() {
    StringBuilder laughs = new StringBuilder("a0: &a0 [x, x]\n");
    for (int i = 1; i < 40; i++) {
      String last = "*a" + (i - 1);
      laughs.append("a" + i + ": &a" + i + " [" + (last + ", ").repeat(9) + last + "]\n");
    }
    return Stream.of(
        Arguments.of("billion laughs", laughs + "rules: *a39\n", "aliases are not supported"),
        Arguments.of("itself", "rules: &r [*r]\n", "aliases are not supported"),
        Arguments.of("deep list", "[".repeat(100_000), "nested at most 16 levels"),
        Arguments.of("deep map", "{a: ".repeat(100_000), "nested at most 16 levels"),
        Arguments.of("deep block", "- ".repeat(100_000), "nested at most 16 levels"),
        Arguments.of("deep keys", "? ".repeat(100_000), "nested at most 16 levels"),
        Arguments.of("long id", "rules: [{id: " + "a".repeat(HUGE_LENGTH) + "}]", "at most 65536"),
        Arguments.of("long name", "{\"" + "a".repeat(HUGE_LENGTH) + "\": 1}", "1:2"),
        Arguments.of("long quote", "rules: \"" + "a ".repeat(HUGE_LENGTH / 2), "is not closed"),
        Arguments.of("long lines", "rules: \"" + "\n".repeat(HUGE_LENGTH), "is not closed"),
        Arguments.of("long number", "rules: " + "9".repeat(HUGE_LENGTH), "at most 65536"),
        Arguments.of(
            "many wrong", "rules: [" + "x,".repeat(1_000_000) + "]", "more than 1000 problems"),
        Arguments.of(
            "many values", "rules: [" + "[],".repeat(3_000_000) + "]", "at most 2000000 values"),
        Arguments.of("too large", " ".repeat((64 << 20) + 1), "at most 67108864"),
        Arguments.of("script", "!!javax.script.ScriptEngineManager []", "tags are not supported"),
        Arguments.of("class", "rules: [!!java.io.File [/tmp/x]]", "tags are not supported"),
        Arguments.of("local tag", "rules: !x []", "tags are not supported"),
        Arguments.of(
            "directive", "%TAG ! tag:x,2000:\n--- !y\nrules: []\n", "tags are not supported"),
        Arguments.of("version", "%YAML 9.9\n---\nrules: []\n", "YAML"),
        Arguments.of("NUL", "rules: []\u0000", "NUL"),
        Arguments.of("half a pair", "rules: [{id: \ud800}]", "U+D800"),
        Arguments.of("bell", "rules: [{id: \u0007}]", "U+0007"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("hostile")
  void hostileText_isRejectedQuicklyWithShortMessage(String name, String text, String reason) {
    assertTimeout(
        Duration.ofSeconds(20),
        () ->
            assertThatThrownBy(() -> Rules.read(name, text))
                .isInstanceOf(InvalidConfigurationException.class)
                .hasMessageContaining(reason)
                .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(200_000)));
  }

  @Test
  void invalidUtf8_isRejectedWithPosition() {
    byte[] bytes = "rules:\n  - id: caf?\n".getBytes(UTF_8);
    for (int wrong : new int[] {0x80, 0xC0, 0xE9, 0xFE, 0xFF}) {
      bytes[18] = (byte) wrong;
      assertThatThrownBy(() -> Rules.read("f", bytes))
          .hasMessageContaining(
              "f:2:12: the byte 0x" + Integer.toHexString(wrong).toUpperCase(Locale.ROOT));
    }
    byte[] cut = "rules: [] # é".getBytes(UTF_8);
    assertThatThrownBy(() -> Rules.read("f", Arrays.copyOf(cut, cut.length - 1)))
        .hasMessageContaining("is not UTF-8");
  }
}
