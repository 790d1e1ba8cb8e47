package io.weir.cli;

import java.util.ArrayList;
import java.util.List;

/** A text table with headings. Columns are as wide as needed; numbers are right-aligned. */
final class TextTable {
  private static final String COLUMN_GAP = "  ";
  private static final int MAX_CELL_WIDTH = 60;
  private static final String NUMBER_PATTERN = "[0-9]+(\\.[0-9]+)?";

  private final List<List<String>> rows = new ArrayList<>();

  TextTable(String... headings) {
    rows.add(List.of(headings));
  }

  TextTable addRow(Object... cells) {
    List<String> row = new ArrayList<>();
    for (Object cell : cells) {
      row.add(truncate(TerminalText.sanitize(String.valueOf(cell))));
    }
    rows.add(row);
    return this;
  }

  /** Returns the formatted lines, the headings first. */
  List<String> lines() {
    List<String> lines = new ArrayList<>();
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < row.size(); i++) {
        String space = " ".repeat(columnWidth(i) - length(row.get(i)));
        line.append(i == 0 ? "" : COLUMN_GAP);
        line.append(isNumeric(i) ? space + row.get(i) : row.get(i) + space);
      }
      lines.add(line.toString().stripTrailing());
    }
    return lines;
  }

  private int columnWidth(int column) {
    return rows.stream().mapToInt(row -> length(row.get(column))).max().orElse(0);
  }

  private boolean isNumeric(int column) {
    List<String> cells = rows.stream().skip(1).map(row -> row.get(column)).toList();
    return cells.stream().anyMatch(cell -> cell.matches(NUMBER_PATTERN))
        && cells.stream().allMatch(cell -> cell.matches(NUMBER_PATTERN + "|-"));
  }

  private static String truncate(String cell) {
    return length(cell) <= MAX_CELL_WIDTH
        ? cell
        : cell.substring(0, cell.offsetByCodePoints(0, MAX_CELL_WIDTH - 1)) + "…";
  }

  private static int length(String text) {
    return text.codePointCount(0, text.length());
  }
}
