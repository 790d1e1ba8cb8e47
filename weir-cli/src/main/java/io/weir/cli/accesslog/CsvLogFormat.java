package io.weir.cli.accesslog;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Comma-separated values with a header; a value with commas or quotes is quoted. */
final class CsvLogFormat implements LogFormat {
  private final List<String> names;

  private CsvLogFormat(List<String> names) {
    this.names = names;
  }

  static CsvLogFormat withHeader(String line) {
    List<String> names = split(line).stream().map(String::strip).toList();
    if (!LogFields.haveTime(names)) {
      throw new IllegalArgumentException(
          "must be a CSV header with a time column, for example time,ip,user,method,path, or a line"
              + " in the common log format or a JSON object");
    }
    return new CsvLogFormat(names);
  }

  @Override
  public boolean hasHeader() {
    return true;
  }

  @Override
  public Map<String, String> parse(String line) {
    List<String> values = split(line);
    if (values.size() != names.size()) {
      throw new IllegalArgumentException(
          "must have %d values as the header does (has %d)".formatted(names.size(), values.size()));
    }
    Map<String, String> fields = new LinkedHashMap<>();
    for (int i = 0; i < names.size(); i++) {
      String value = values.get(i).strip();
      if (!value.isEmpty()) {
        fields.put(names.get(i), value);
      }
    }
    return fields;
  }

  private static List<String> split(String line) {
    List<String> values = new ArrayList<>();
    StringBuilder value = new StringBuilder();
    boolean quoted = false;
    for (int i = 0; i < line.length(); i++) {
      char c = line.charAt(i);
      if (c == '"' && quoted && i + 1 < line.length() && line.charAt(i + 1) == '"') {
        value.append('"');
        i++;
      } else if (c == '"') {
        quoted = !quoted;
      } else if (c == ',' && !quoted) {
        values.add(value.toString());
        value.setLength(0);
      } else {
        value.append(c);
      }
    }
    if (quoted) {
      throw new IllegalArgumentException("has a quote that is not closed");
    }
    values.add(value.toString());
    return values;
  }
}
