package io.weir.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.rule.Rate;
import java.io.StringReader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.xml.sax.InputSource;

/** The experiments produce the known figures of the algorithms, with the production classes. */
class ExperimentsTest {

  @Test
  void windowEdge_admitsTwiceTheLimitForFixedWindowOnly() {
    ExperimentResult finding = new WindowEdgeExperiment(100, Duration.ofMinutes(1), 0.99).run();
    assertThat(finding.figures())
        .containsAllEntriesOf(
            Map.of("admitted", 200.0, "factor", 2.0, "gap_ms", 600.0, "burst_per_second", 333.333));
    assertThat(finding.rows())
        .contains(
            List.of("fixed-window", "200", "200", "2"),
            List.of("token-bucket", "200", "101", "1.01"),
            List.of("sliding-log", "200", "100", "1"),
            List.of("sliding-counter", "200", "100", "1"));
  }

  @Test
  void burstsOneWindowApart_admitTheLimit() {
    assertThat(new WindowEdgeExperiment(100, Duration.ofMinutes(1), 0).run().figures())
        .containsEntry("factor", 1.0);
  }

  @ParameterizedTest
  @CsvSource({"0,60", "100,72", "400,108", "1000,180", "5000,180"})
  void syncedNodes_overshootWithinBound(long millis, double total) {
    ExperimentResult finding = new SyncExperiment(3, 60, Duration.ofMillis(millis)).run();
    assertThat(finding.figures())
        .containsEntry("total", total)
        .containsEntry("factor", total / 60)
        .containsEntry("bound", millis == 0 ? 60.0 : 180.0);
  }

  @Test
  void oneNode_doesNotOvershoot() {
    assertThat(new SyncExperiment(1, 60, Duration.ofSeconds(1)).run().figures())
        .containsEntry("factor", 1.0);
  }

  @Test
  void clockSkew_overshootsUnlessStoreClockDecides() {
    Map<String, Double> figures =
        new ClockSkewExperiment(3, 60, Duration.ofMillis(300)).run().figures();
    assertThat(figures).containsEntry("weir_factor", 1.0);
    assertThat(figures.get("worst_factor")).isGreaterThan(2);
    assertThat(new ClockSkewExperiment(3, 60, Duration.ZERO).run().figures())
        .containsEntry("worst_factor", 1.0);
  }

  @Test
  void burst_isAdmittedByBothBuckets_delayedByLeakyBucket() {
    assertThat(new BurstExperiment(100, 50, 80).run().rows())
        .containsExactly(
            List.of("token-bucket", "50", "30", "0", "50"),
            List.of("leaky-bucket", "50", "30", "490", "10"));
  }

  @Test
  void trace_isReplayedOnAllAlgorithms() {
    List<String> csv = new ArrayList<>(List.of("time,key,cost", "# a comment", ""));
    for (int i = 0; i < 20; i++) {
      csv.add("2026-01-31T12:00:00." + (90 + i / 2) + "Z,alice,1");
    }
    csv.add("2026-01-31T12:00:05Z,bob,3");
    ExperimentResult finding =
        new TraceExperiment(TraceLine.read(csv), new Rate(10, Duration.ofSeconds(1)), 0).run();
    assertThat(finding.figures()).containsEntry("requests", 21.0).containsEntry("keys", 2.0);
    assertThat(finding.rows())
        .extracting(row -> row.get(0) + " " + row.get(2))
        .containsExactlyInAnyOrder(
            "token-bucket 10",
            "leaky-bucket 10",
            "fixed-window 10",
            "sliding-log 10",
            "sliding-counter 10");
    assertThat(finding.series()).hasSize(6);
  }

  @Test
  void unsupportedRate_leavesRowEmpty() {
    List<TraceLine> lines = TraceLine.read(List.of("1,a", "2.5,a,4"));
    ExperimentResult finding =
        new TraceExperiment(lines, new Rate(20_000, Duration.ofSeconds(1)), 0).run();
    assertThat(finding.rows()).contains(List.of("sliding-log", "-", "-", "-", "-", "-", "-"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "soon,a,1|line 2: 'soon' is not a time; write seconds or a date",
        "12.5|line 2: '12.5' is not time,key,cost; write a line such as 12.5,alice,1",
        "1,a,-3|line 2: '-3' is not a cost; write a whole number, at least 1",
        "1,a,0|line 2: cost must be"
      })
  void invalidTraceLine_isReportedWithLineAndExample(String line, String reason) {
    assertThatThrownBy(() -> TraceLine.read(List.of("0,a", line))).hasMessageStartingWith(reason);
  }

  @Test
  void invalidParameters_areReportedWithRange() {
    assertThatThrownBy(() -> new SyncExperiment(3, 60_000, Duration.ZERO))
        .hasMessage("limit must be between 1 and 6666 (was 60000)");
    assertThatThrownBy(() -> new WindowEdgeExperiment(100, Duration.ofMinutes(1), 2))
        .hasMessageContaining("0 to 1");
    assertThatThrownBy(() -> new TraceExperiment(List.of(), new Rate(1, Duration.ofSeconds(1)), 0))
        .hasMessageStartingWith("the trace is empty");
  }

  @Test
  void plot_isWellFormedAndShowsEverySeries() throws Exception {
    ExperimentResult finding = new WindowEdgeExperiment(100, Duration.ofSeconds(1), 0.5).run();
    var builder = DocumentBuilderFactory.newInstance().newDocumentBuilder();
    var svg = builder.parse(new InputSource(new StringReader(SvgPlot.svg(finding))));
    assertThat(svg.getElementsByTagName("polyline").getLength()).isEqualTo(5);
    assertThat(SvgPlot.html(finding)).contains("<svg", "burst_per_second", "sliding-log");
  }

  @Test
  void plot_escapesNames() {
    ExperimentResult.ResultBuilder notes =
        new ExperimentResult.ResultBuilder("<script>alert(1)</script>", "x", "y");
    ExperimentResult finding =
        notes.series("<b>", List.of(new ExperimentResult.PlotPoint(0, 0))).build();
    assertThat(SvgPlot.svg(finding) + SvgPlot.html(finding)).doesNotContain("<script>", "<b>");
  }
}
