package io.weir.rules;

import io.weir.internal.JsonText;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Writes fields as YAML: in one line where they fit, else one value per line. */
final class YamlWriter {
  private static final int MAX_LINE_WIDTH = 100;

  /** Text that begins with a letter or a slash and has no character special to YAML. */
  private static final Pattern UNQUOTED_PATTERN =
      Pattern.compile("[A-Za-z/][A-Za-z0-9_./*-]*( [A-Za-z0-9_./*-]+)*");

  /** Words that YAML 1.1 or 1.2 does not read as text. */
  private static final Set<String> RESERVED_WORDS =
      Set.of("y", "n", "yes", "no", "on", "off", "true", "false", "null");

  private final StringBuilder out = new StringBuilder();

  private YamlWriter() {}

  static String rules(List<Map<String, Object>> rules) {
    YamlWriter writer = new YamlWriter();
    writer.out.append(rules.isEmpty() ? "rules: []\n" : "rules:\n");
    rules.forEach(rule -> writer.item(rule, "  ", false));
    return writer.out.toString();
  }

  static String rule(Map<String, Object> rule) {
    YamlWriter writer = new YamlWriter();
    writer.fields(rule, "");
    return writer.out.toString();
  }

  private void fields(Map<?, ?> fields, String indent) {
    fields.forEach(
        (name, value) -> {
          out.append(indent).append(scalar(name)).append(':');
          value(value, indent);
        });
  }

  /** Writes the value of a field: on the line of its name if it fits, else below. */
  private void value(Object value, String indent) {
    String line = flow(value);
    boolean fits = isScalar(value) || indent.length() + line.length() < MAX_LINE_WIDTH;
    if (fits) {
      out.append(' ').append(line).append('\n');
    } else if (value instanceof Map<?, ?> map) {
      out.append('\n');
      fields(map, indent + "  ");
    } else if (value instanceof List<?> list) {
      out.append('\n');
      list.forEach(item -> item(item, indent + "  ", true));
    }
  }

  private void item(Object item, String indent, boolean mayFlow) {
    String line = flow(item);
    boolean fits = mayFlow && indent.length() + line.length() < MAX_LINE_WIDTH;
    if (item instanceof Map<?, ?> map && !fits) {
      int begin = out.length();
      fields(map, indent + "  ");
      out.replace(begin + indent.length(), begin + indent.length() + 1, "-");
    } else {
      out.append(indent).append("- ").append(line).append('\n');
    }
  }

  private static boolean isScalar(Object value) {
    return !(value instanceof Map || value instanceof List);
  }

  /** Returns a value in one line, however long. */
  static String flow(Object value) {
    if (value instanceof Map<?, ?> map) {
      return map.entrySet().stream()
          .map(e -> scalar(e.getKey()) + ": " + flow(e.getValue()))
          .collect(Collectors.joining(", ", "{", "}"));
    }
    if (value instanceof List<?> list) {
      return list.stream().map(YamlWriter::flow).collect(Collectors.joining(", ", "[", "]"));
    }
    return scalar(value);
  }

  private static String scalar(Object value) {
    if (!(value instanceof String text)) {
      return String.valueOf(value);
    }
    boolean bare =
        text.length() < MAX_LINE_WIDTH
            && UNQUOTED_PATTERN.matcher(text).matches()
            && !RESERVED_WORDS.contains(text.toLowerCase(Locale.ROOT));
    return bare ? text : JsonText.quoteForYaml(new StringBuilder(), text).toString();
  }
}
