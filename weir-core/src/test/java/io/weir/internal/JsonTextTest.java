package io.weir.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JsonTextTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          plain | "plain"
          say "hi" | "say \\"hi\\""
          back\\slash | "back\\\\slash"
          é€ | "é€"
          """)
  void text_isQuoted(String text, String quoted) {
    assertThat(JsonText.quote(new StringBuilder(), text)).hasToString(quoted);
  }

  @Test
  void controlCharacters_areEscaped() {
    assertThat(JsonText.quote(new StringBuilder(), "\0\b\t\n\f\r\u001f\u007f\"\\"))
        .hasToString("\"\\u0000\\u0008\\t\\n\\u000c\\r\\u001f\\u007f\\\"\\\\\"");
  }

  @Test
  void loneSurrogates_areEscaped() {
    assertThat(JsonText.quote(new StringBuilder(), "a😀b")).hasToString("\"a😀b\"");
    assertThat(JsonText.quote(new StringBuilder(), "\ud83d")).hasToString("\"\\ud83d\"");
    assertThat(JsonText.quote(new StringBuilder(), "\ude00x")).hasToString("\"\\ude00x\"");
    assertThat(JsonText.quote(new StringBuilder(), "\ud83d\ud83d\ude00"))
        .hasToString("\"\\ud83d😀\"");
  }

  @Test
  void charactersThatYamlRejects_areEscapedForYamlOnly() {
    String text = "\u007f\u0085\u009f\u00a0é\u2028\u2029\ufeff\ufffd\uffff😀\ud83d";
    assertThat(JsonText.quote(new StringBuilder(), text))
        .hasToString("\"\\u007f\u0085\u009f\u00a0é\u2028\u2029\ufeff\ufffd\uffff😀\\ud83d\"");
    assertThat(JsonText.quoteForYaml(new StringBuilder(), text))
        .hasToString("\"\u007f\\u0085\\u009f\u00a0é\\u2028\\u2029\\ufeff\ufffd\\uffff😀\\ud83d\"");
  }

  @Test
  void values_areWritten() {
    Map<String, Object> fields = new TreeMap<>();
    fields.put("a", List.of(1, "x\n", true));
    fields.put("b", Map.of("c", List.of()));
    assertThat(JsonText.writeForYaml(new StringBuilder(), fields))
        .hasToString("{\"a\":[1,\"x\\n\",true],\"b\":{\"c\":[]}}");
  }
}
