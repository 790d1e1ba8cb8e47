package io.weir.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonReaderTest {

  @Test
  void tooDeepJson_isRejected() {
    assertThatThrownBy(() -> JsonReader.readObject("{\"a\":" + "[".repeat(100_000)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("nested too deeply");
  }

  @Test
  void escapedText_isRead() {
    assertThat(JsonReader.readObject("{ \"a\" : [ \"\\u00e9\\n\\\"\\\\\\/é\" , 1, -2.5, null ] }"))
        .hasToString("{a=[é\n\"\\/é, 1, -2.5, null]}");
  }

  @Test
  void values_areRead() {
    assertThat(
            JsonReader.readObject(
                "\t{\"a\":[true,false,{}],\r\n\"b\":-12,\"c\":1e3,\"d\":[],\"e\":{\"f\":\"\"},\"b\":0.5} "))
        .hasToString("{a=[true, false, {}], b=0.5, c=1000.0, d=[], e={f=}}");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{",
        "[]",
        "{\"a\"",
        "{\"a\":",
        "{\"a\":}",
        "{\"a\":1",
        "{\"a\":1,}",
        "{,}",
        "{\"a\":[1,]}",
        "{\"a\":[1 2]}",
        "{\"a\":1d}",
        "{\"a\":1e}",
        "{\"a\":NaN}",
        "{\"a\":tru}",
        "{\"a\":\"\n\"}",
        "{\"a\":\"\\x\"}",
        "{\"a\":\"\\u12\"}",
        "{\"a\":\"\\u٠٠٠٠\"}",
        "{\"a\":\"b",
        "{} x"
      })
  void invalidJson_isRejected(String text) {
    assertThatThrownBy(() -> JsonReader.readObject(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("invalid JSON: ");
  }
}
