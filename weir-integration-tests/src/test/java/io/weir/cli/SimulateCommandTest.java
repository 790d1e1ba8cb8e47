package io.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code weir simulate}. */
class SimulateCommandTest {
  @TempDir Path folder;

  @Test
  void syncWithThreeNodesAt400Millis_overshootsBy80Percent() {
    CommandRun ran =
        CommandRun.of("simulate", "sync", "--nodes", "3", "--limit", "60", "--interval", "400ms");
    assertThat(ran.exitCode()).as(ran.err()).isZero();
    assertThat(ran.out()).containsPattern("total +108\\n").containsPattern("factor +1.8\\n");
    assertThat(CommandRun.of("simulate", "sync", "--interval", "0").out())
        .containsPattern("factor +1\\n");
    assertThat(CommandRun.of("simulate", "sync", "--interval", "1s").out())
        .containsPattern("factor +3\\n");
  }

  @Test
  void edge_fixedWindowAdmitsTwiceTheLimit() {
    CommandRun ran = CommandRun.of("simulate", "edge", "--limit", "100", "--position", "0.99");
    assertThat(ran.out())
        .containsPattern("fixed-window +200 +200 +2\\n")
        .containsPattern("sliding-log +200 +100 +1\\n");
  }

  @Test
  void skewAndBurst_printExpectedFigures() {
    assertThat(CommandRun.of("simulate", "skew", "--nodes", "2", "--limit", "20").out())
        .containsPattern("weir_factor +1\\n");
    assertThat(CommandRun.of("simulate", "burst").out())
        .containsPattern("leaky-bucket +50 +30 +490 +10");
  }

  @Test
  void traceWithPlot_writesSvgAndHtml() throws IOException {
    Path csv = Files.writeString(folder.resolve("trace.csv"), "time,key,cost\n0,a,8\n0.1,a,8\n");
    Path svg = folder.resolve("trace.svg");
    Path html = folder.resolve("trace.html");
    for (Path plot : new Path[] {svg, html}) {
      CommandRun ran =
          CommandRun.of("simulate", "trace", csv.toString(), "--plot", plot.toString());
      assertThat(ran.exitCode()).as(ran.err()).isZero();
      assertThat(ran.out()).containsPattern("fixed-window +1 +1 +8 +50");
    }
    assertThat(svg).content().startsWith("<svg").contains("polyline");
    assertThat(html).content().startsWith("<!doctype html>").contains("<svg", "fixed-window");
  }

  @Test
  void invalidArguments_areOneLineErrors() throws IOException {
    Path csv = Files.writeString(folder.resolve("trace.csv"), "0,a,8\nlater,a,8\n");
    assertThat(CommandRun.of("simulate", "trace", csv.toString()).err())
        .startsWith("weir: line 2: 'later' is not a time; write");
    assertThat(CommandRun.of("simulate", "trace", "none.csv").err())
        .startsWith("weir: none.csv does not exist");
    assertThat(CommandRun.of("simulate", "sync", "--nodes", "0").err())
        .isEqualTo("weir: nodes must be between 1 and 50 (was 0)\n");
    assertThat(CommandRun.of("simulate", "burst", "--plot", "x.png").err())
        .contains(".svg or .html");
  }
}
