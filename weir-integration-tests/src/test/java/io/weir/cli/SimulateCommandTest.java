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

  @Test
  void rulesWithAccessLog_saysWhoWouldBeRefusedAndWhen() throws IOException {
    Path rules =
        Files.writeString(
            folder.resolve("rules.yaml"),
            """
            rules:
              - {id: login, match: {endpoint: "POST /login"}, per: [ip], limit: 2/minute, algorithm: fixed-window}
              - {id: users, per: [user], limit: 3/minute, algorithm: fixed-window, shadow: true}
              - {id: free, match: {tier: free}, limit: 1/minute}
            """);
    StringBuilder csv = new StringBuilder("time,ip,user,method,path\n");
    for (int i = 0; i < 10; i++) {
      String ip = i < 7 ? "203.0.113.1" : "203.0.113.2";
      csv.append("2026-11-18T12:00:%02d.5Z,%s,ann,POST,/login?i=%d\n".formatted(i, ip, i));
    }
    Path log = Files.writeString(folder.resolve("access.csv"), csv);
    Path plot = folder.resolve("plot.html");
    CommandRun ran =
        CommandRun.of(
            "simulate", "rules", rules.toString(), "--log", log.toString(), "--plot", plot + "");
    assertThat(ran.exitCode()).as(ran.err()).isZero();
    assertThat(ran.out())
        .contains("2026-11-18 12:00:00 to 2026-11-18 12:00:09 UTC")
        .containsPattern("requests +10\\nallowed +4\\nrefused +6\\n")
        .containsPattern("login +10 +6 +60 +2 +2026-11-18 12:00:02 +1 at 2026-11-18 12:00:02\\n")
        .containsPattern("users \\(shadow\\) +10 +2 +20 +1 ")
        .containsPattern("free +0 +0 +0 +0 +- +-\\n")
        .containsPattern(
            "login +ip=203.0.113.1 +5\\nlogin +ip=203.0.113.2 +1\\nusers +user=ann +2\\n")
        .contains(
            "note: rule free uses tier, which the log does not have; add it with --set tier=");
    assertThat(plot).content().contains("refused by login");
    assertThat(
            CommandRun.of("simulate", "rules", rules + "", "--log", log + "", "--set", "tier=free")
                .out())
        .containsPattern("free +10 +9 +90 ")
        .doesNotContain("note:");
  }

  @Test
  void rulesWithInvalidLog_nameFileAndLine() throws IOException {
    Path rules = Files.writeString(folder.resolve("r.yaml"), "rules: [{id: a, limit: 1/s}]");
    Path log = Files.writeString(folder.resolve("a.csv"), "time,ip\n1,10.0.0.1\nnever,10.0.0.1\n");
    assertThat(CommandRun.of("simulate", "rules", rules + "", "--log", log + "").err())
        .startsWith("weir: " + log + ":3: time must be a date")
        .hasLineCount(1);
    assertThat(
            CommandRun.of("simulate", "rules", rules + "", "--log", log + "", "--skip-invalid")
                .out())
        .contains("note: 1 line skipped (1 not of the log's format, 0 not valid requests)", ":3: ");
    Files.writeString(rules, "rules: [{id: a, limit: 1/fortnight}]");
    assertThat(CommandRun.of("simulate", "rules", rules + "", "--log", log + "").err())
        .startsWith(rules + ":1:");
  }
}
