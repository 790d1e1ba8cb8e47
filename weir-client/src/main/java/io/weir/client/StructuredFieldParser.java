package io.weir.client;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Parses the items of a structured field (RFC 9651), such as {@code "orders";r=23;t=37,
 * "all";r=5;t=9}.
 *
 * <p>Lenient, because servers send many variants, and bounded, because input may be malicious:
 * invalid items are skipped.
 */
final class StructuredFieldParser {
  private static final int MAX_FIELD_LENGTH = 8192;
  private static final int MAX_ITEMS = 32;

  private StructuredFieldParser() {}

  /** One item: its name without quotes, and its parameters as text. */
  record StructuredFieldItem(String name, Map<String, String> parameters) {

    long number(String parameter) {
      return NumberParser.parseFloor(parameters.get(parameter));
    }
  }

  static List<StructuredFieldItem> parse(List<String> lines) {
    String field = String.join(",", lines);
    if (field.length() > MAX_FIELD_LENGTH) {
      return List.of();
    }
    List<StructuredFieldItem> items = new ArrayList<>();
    for (String text : split(field, ',')) {
      List<String> parts = split(text, ';');
      String name = unquoted(parts.get(0));
      if (name.isEmpty() || items.size() == MAX_ITEMS) {
        continue;
      }
      Map<String, String> parameters = new LinkedHashMap<>();
      for (String part : parts.subList(1, parts.size())) {
        int equals = part.indexOf('=');
        if (equals > 0) {
          parameters.put(part.substring(0, equals).strip(), unquoted(part.substring(equals + 1)));
        }
      }
      items.add(new StructuredFieldItem(name, parameters));
    }
    return items;
  }

  /** Splits at unquoted separators. */
  private static List<String> split(String text, char separator) {
    List<String> parts = new ArrayList<>();
    boolean quoted = false;
    int begin = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '\\' && quoted) {
        i++;
      } else if (c == '"') {
        quoted = !quoted;
      } else if (c == separator && !quoted) {
        parts.add(text.substring(begin, i));
        begin = i + 1;
      }
    }
    parts.add(text.substring(begin));
    return parts;
  }

  private static String unquoted(String text) {
    String bare = text.strip();
    return bare.length() >= 2 && bare.startsWith("\"") && bare.endsWith("\"")
        ? bare.substring(1, bare.length() - 1).replaceAll("\\\\(.)", "$1")
        : bare;
  }
}
