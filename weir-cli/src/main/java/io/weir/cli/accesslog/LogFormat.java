package io.weir.cli.accesslog;

import java.util.Map;

/** The format of the lines of an access log. */
interface LogFormat {

  /**
   * Returns the fields of a line by name.
   *
   * @throws IllegalArgumentException if the line does not have this format
   */
  Map<String, String> parse(String line);

  /** Returns whether the first line holds the names of the fields, not a request. */
  default boolean hasHeader() {
    return false;
  }

  /**
   * Recognizes the format by the first line: an object is JSON, a line with a time in brackets and
   * a request in quotes is the common or combined log format, and any other is the header of a CSV
   * file.
   *
   * @throws IllegalArgumentException if the line is none of them
   */
  static LogFormat detect(String firstLine) {
    if (firstLine.startsWith("{")) {
      return new JsonLogFormat();
    }
    if (CommonLogFormat.matches(firstLine)) {
      return new CommonLogFormat();
    }
    return CsvLogFormat.withHeader(firstLine);
  }
}
