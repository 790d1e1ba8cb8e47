package io.weir.lab;

import io.weir.lab.ExperimentResult.PlotPoint;
import io.weir.lab.ExperimentResult.PlotSeries;
import java.util.List;
import java.util.Locale;

/** Draws an experiment result as standalone SVG, for light and dark color schemes. */
public final class SvgPlot {
  private static final int WIDTH = 800;
  private static final int HEIGHT = 440;
  private static final int LEFT = 70;
  private static final int RIGHT = 24;
  private static final int TOP = 56;
  private static final int BOTTOM = 92;
  private static final int TICKS = 6;
  private static final List<String> COLOURS =
      List.of("#0f7bc4", "#d1495b", "#2a9d6f", "#b7791f", "#7e57c2", "#4a5568", "#00838f");

  private static final String STYLE =
      """
      <style>
      .paper{fill:#fff}.ink{fill:#1a202c}.faint{fill:#5a6472}.grid{stroke:#e2e6ea}.axis{stroke:#8a94a0}
      text{font-family:system-ui,-apple-system,'Segoe UI',sans-serif;font-size:13px}
      .title{font-size:17px;font-weight:600}.line{fill:none;stroke-width:2.2;stroke-linejoin:round}
      @media (prefers-color-scheme:dark){.paper{fill:#14181d}.ink{fill:#edf0f3}.faint{fill:#a3adb8}
      .grid{stroke:#2b323a}.axis{stroke:#67717c}}
      </style>
      """;

  private final ExperimentResult finding;
  private final double maxX;
  private final double maxY;
  private final StringBuilder out = new StringBuilder();

  private SvgPlot(ExperimentResult finding) {
    this.finding = finding;
    maxX = maxCoordinate(finding, true);
    maxY = maxCoordinate(finding, false) * 1.05;
  }

  private static double maxCoordinate(ExperimentResult finding, boolean x) {
    double max = 0;
    for (PlotSeries series : finding.series()) {
      for (PlotPoint point : series.points()) {
        max = Math.max(max, x ? point.x() : point.y());
      }
    }
    return max > 0 ? max : 1;
  }

  /** Returns the plot as SVG. */
  public static String svg(ExperimentResult finding) {
    return new SvgPlot(finding).draw();
  }

  /** Returns an HTML page with the plot, the figures and the rows. */
  public static String html(ExperimentResult finding) {
    StringBuilder page = new StringBuilder();
    page.append("<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">")
        .append("<meta name=\"viewport\" content=\"width=device-width\"><title>")
        .append(escape(finding.title()))
        .append("</title><style>:root{color-scheme:light dark}")
        .append(
            "body{font:15px system-ui,sans-serif;max-width:860px;margin:2rem auto;padding:0 1rem}")
        .append("svg{width:100%;height:auto}table{border-collapse:collapse;margin:1rem 0}")
        .append("th,td{padding:.3rem .8rem;text-align:right;border-bottom:1px solid #8884}")
        .append("th:first-child,td:first-child{text-align:left}</style><body>")
        .append(svg(finding))
        .append("<table><tr><th>figure</th><th>value</th></tr>");
    finding
        .figures()
        .forEach(
            (name, value) ->
                appendRow(page, "td", List.of(name, ExperimentResult.formatNumber(value))));
    page.append("</table>");
    if (!finding.rows().isEmpty()) {
      page.append("<table>");
      appendRow(page, "th", finding.headings());
      finding.rows().forEach(cells -> appendRow(page, "td", cells));
      page.append("</table>");
    }
    return page.append("</body></html>\n").toString();
  }

  private static void appendRow(StringBuilder page, String tag, List<String> cells) {
    page.append("<tr>");
    for (String cell : cells) {
      page.append('<').append(tag).append('>').append(escape(cell));
      page.append("</").append(tag).append('>');
    }
    page.append("</tr>");
  }

  private String draw() {
    out.append(
        String.format(
            Locale.ROOT,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">%n",
            WIDTH,
            HEIGHT,
            escape(finding.title())));
    out.append(STYLE);
    out.append("<rect class=\"paper\" width=\"100%\" height=\"100%\" rx=\"8\"/>\n");
    drawText("title ink", LEFT, 32, "start", finding.title());
    drawGrid();
    int i = 0;
    for (PlotSeries series : finding.series()) {
      drawSeries(series, i++);
    }
    drawLegend();
    return out.append("</svg>\n").toString();
  }

  private void drawGrid() {
    for (double y = 0, step = tickStep(maxY); y <= maxY; y += step) {
      drawLine("grid", LEFT, toPixelY(y), WIDTH - RIGHT, toPixelY(y));
      drawText("faint", LEFT - 8, toPixelY(y) + 4, "end", ExperimentResult.formatNumber(y));
    }
    for (double x = 0, step = tickStep(maxX); x <= maxX * 1.0001; x += step) {
      drawLine("grid", toPixelX(x), TOP, toPixelX(x), HEIGHT - BOTTOM);
      drawText(
          "faint", toPixelX(x), HEIGHT - BOTTOM + 18, "middle", ExperimentResult.formatNumber(x));
    }
    drawLine("axis", LEFT, HEIGHT - BOTTOM, WIDTH - RIGHT, HEIGHT - BOTTOM);
    drawLine("axis", LEFT, TOP, LEFT, HEIGHT - BOTTOM);
    drawText("faint", WIDTH - RIGHT, HEIGHT - BOTTOM + 36, "end", finding.xLabel());
    drawText("faint", LEFT, TOP - 8, "start", finding.yLabel());
  }

  /** Returns a round distance between grid lines: 1, 2 or 5 times a power of ten. */
  private static double tickStep(double max) {
    double raw = max / TICKS;
    double power = Math.pow(10, Math.floor(Math.log10(raw)));
    double times = raw / power;
    return power * (times <= 1 ? 1 : times <= 2 ? 2 : times <= 5 ? 5 : 10);
  }

  /** Draws a series; every other one is dashed, so that overlapping lines are both visible. */
  private void drawSeries(PlotSeries series, int number) {
    String colour = COLOURS.get(number % COLOURS.size());
    String dashes = number % 2 == 1 ? "\" stroke-dasharray=\"9 6" : "";
    out.append("<polyline class=\"line\" stroke=\"").append(colour).append(dashes);
    out.append("\" points=\"");
    for (PlotPoint point : series.points()) {
      out.append(
          String.format(Locale.ROOT, "%.1f,%.1f ", toPixelX(point.x()), toPixelY(point.y())));
    }
    out.append("\"/>\n");
  }

  private void drawLegend() {
    int columns = 3;
    int width = (WIDTH - LEFT - RIGHT) / columns;
    for (int i = 0; i < finding.series().size(); i++) {
      int row = i / columns;
      double x = LEFT + i % columns * width;
      double y = HEIGHT - 36 + row * 16 - (finding.series().size() > 2 * columns ? 8 : 0);
      out.append(
          String.format(
              Locale.ROOT,
              "<rect x=\"%.1f\" y=\"%.1f\" width=\"14\" height=\"4\" rx=\"2\" fill=\"%s\"/>%n",
              x,
              y - 6,
              COLOURS.get(i % COLOURS.size())));
      drawText("ink", x + 20, y, "start", finding.series().get(i).name());
    }
  }

  private void drawLine(String kind, double x1, double y1, double x2, double y2) {
    out.append(
        String.format(
            Locale.ROOT,
            "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>%n",
            kind,
            x1,
            y1,
            x2,
            y2));
  }

  private void drawText(String kind, double x, double y, String anchor, String text) {
    out.append(
        String.format(
            Locale.ROOT,
            "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>%n",
            kind,
            x,
            y,
            anchor,
            escape(text)));
  }

  private double toPixelX(double x) {
    return LEFT + x / maxX * (WIDTH - LEFT - RIGHT);
  }

  private double toPixelY(double y) {
    return HEIGHT - BOTTOM - y / maxY * (HEIGHT - TOP - BOTTOM);
  }

  private static String escape(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }
}
