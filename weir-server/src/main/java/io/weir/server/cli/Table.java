package io.weir.server.cli;

import java.util.ArrayList;
import java.util.List;

/** Rows under headings, each column as wide as its widest cell; numbers stand to the right. */
final class Table {
  private static final String GAP = "  ";
  private static final int WIDEST = 60;
  private static final String NUMBER = "[0-9]+(\\.[0-9]+)?";

  private final List<List<String>> rows = new ArrayList<>();

  Table(String... headings) {
    rows.add(List.of(headings));
  }

  Table row(Object... cells) {
    List<String> row = new ArrayList<>();
    for (Object cell : cells) {
      row.add(cut(Words.line(String.valueOf(cell))));
    }
    rows.add(row);
    return this;
  }

  /** The lines, the headings first. */
  List<String> lines() {
    List<String> lines = new ArrayList<>();
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < row.size(); i++) {
        String space = " ".repeat(width(i) - length(row.get(i)));
        line.append(i == 0 ? "" : GAP);
        line.append(isNumbers(i) ? space + row.get(i) : row.get(i) + space);
      }
      lines.add(line.toString().stripTrailing());
    }
    return lines;
  }

  private int width(int column) {
    return rows.stream().mapToInt(row -> length(row.get(column))).max().orElse(0);
  }

  private boolean isNumbers(int column) {
    List<String> cells = rows.stream().skip(1).map(row -> row.get(column)).toList();
    return cells.stream().anyMatch(cell -> cell.matches(NUMBER))
        && cells.stream().allMatch(cell -> cell.matches(NUMBER + "|-"));
  }

  private static String cut(String cell) {
    return length(cell) <= WIDEST
        ? cell
        : cell.substring(0, cell.offsetByCodePoints(0, WIDEST - 1)) + "…";
  }

  private static int length(String text) {
    return text.codePointCount(0, text.length());
  }
}
