package io.weir.rules;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.snakeyaml.engine.v2.scanner.StreamReader;

/** Writes fields as JSON, one rule per line. */
final class JsonWriter {
  private final StringBuilder out = new StringBuilder();

  private JsonWriter() {}

  static String rules(List<Map<String, Object>> rules) {
    JsonWriter writer = new JsonWriter();
    writer.out.append(rules.isEmpty() ? "{\"rules\":[" : "{\"rules\":[\n  ");
    writer.writeAll(rules, ",\n  ", writer::value);
    return writer.out.append(rules.isEmpty() ? "]}\n" : "\n]}\n").toString();
  }

  static String rule(Map<String, Object> rule) {
    JsonWriter writer = new JsonWriter();
    writer.value(rule);
    return writer.out.toString();
  }

  /** Returns a text in double quotes, with escapes that are valid in both JSON and YAML. */
  static String quoted(String text) {
    JsonWriter writer = new JsonWriter();
    writer.string(text);
    return writer.out.toString();
  }

  private void value(Object value) {
    if (value instanceof Map<?, ?> map) {
      out.append('{');
      writeAll(map.entrySet(), ",", this::field);
      out.append('}');
    } else if (value instanceof List<?> list) {
      out.append('[');
      writeAll(list, ",", this::value);
      out.append(']');
    } else if (value instanceof RuleFields.UnquotedText plain) {
      string(plain.text());
    } else if (value instanceof String text) {
      string(text);
    } else {
      out.append(value);
    }
  }

  private void field(Map.Entry<?, ?> field) {
    string(String.valueOf(field.getKey()));
    out.append(':');
    value(field.getValue());
  }

  private <T> void writeAll(Collection<? extends T> items, String separator, Consumer<T> write) {
    String before = "";
    for (T item : items) {
      out.append(before);
      write.accept(item);
      before = separator;
    }
  }

  private void string(String text) {
    out.append('"');
    for (int i = 0; i < text.length(); i += Character.charCount(text.codePointAt(i))) {
      escape(text.codePointAt(i));
    }
    out.append('"');
  }

  private void escape(int c) {
    switch (c) {
      case '"' -> out.append("\\\"");
      case '\\' -> out.append("\\\\");
      case '\n' -> out.append("\\n");
      case '\r' -> out.append("\\r");
      case '\t' -> out.append("\\t");
      default -> {
        // line separators and byte order marks are allowed, but invisible
        boolean visible = StreamReader.isPrintable(c) && c != 0x85 && c != 0x2028 && c != 0x2029;
        if (visible && c != 0xFEFF) {
          out.appendCodePoint(c);
        } else {
          out.append(String.format("\\u%04x", c));
        }
      }
    }
  }
}
