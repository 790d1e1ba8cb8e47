package io.weir.rules;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.snakeyaml.engine.v2.scanner.StreamReader;

/** Writes fields as JSON, one rule to a line. */
final class JsonWriter {

  private JsonWriter() {}

  static String rules(List<Map<String, Object>> rules) {
    return rules.isEmpty()
        ? "{\"rules\":[]}\n"
        : rules.stream()
            .map(JsonWriter::value)
            .collect(Collectors.joining(",\n  ", "{\"rules\":[\n  ", "\n]}\n"));
  }

  static String rule(Map<String, Object> rule) {
    return value(rule);
  }

  private static String value(Object value) {
    if (value instanceof Map<?, ?> map) {
      return map.entrySet().stream()
          .map(e -> quoted(String.valueOf(e.getKey())) + ":" + value(e.getValue()))
          .collect(Collectors.joining(",", "{", "}"));
    }
    if (value instanceof List<?> list) {
      return list.stream().map(JsonWriter::value).collect(Collectors.joining(",", "[", "]"));
    }
    if (value instanceof RuleFields.Plain plain) {
      return quoted(plain.text());
    }
    return value instanceof String text ? quoted(text) : String.valueOf(value);
  }

  /** In double quotes, with escapes that JSON and YAML both have. */
  static String quoted(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    text.codePoints().forEach(c -> escape(quoted, c));
    return quoted.append('"').toString();
  }

  private static void escape(StringBuilder out, int c) {
    switch (c) {
      case '"' -> out.append("\\\"");
      case '\\' -> out.append("\\\\");
      case '\n' -> out.append("\\n");
      case '\r' -> out.append("\\r");
      case '\t' -> out.append("\\t");
      default -> {
        // line separators and marks are allowed, but nobody would see them
        boolean seen = StreamReader.isPrintable(c) && c != 0x85 && c != 0x2028 && c != 0x2029;
        if (seen && c != 0xFEFF) {
          out.appendCodePoint(c);
        } else {
          out.append(String.format("\\u%04x", c));
        }
      }
    }
  }
}
