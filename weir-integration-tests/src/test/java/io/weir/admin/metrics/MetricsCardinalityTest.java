package io.weir.admin.metrics;

import static java.util.Locale.ROOT;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limiter;
import io.weir.Request;
import io.weir.Weir;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.server.refusals.RefusalLog;
import io.weir.store.Clock;
import io.weir.testkit.FakeClock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MetricsCardinalityTest {
  private static final int CALLERS = 1_000_000;
  private static final String MARKER = "m4rker";

  @Test
  @DisplayName("A million callers with secrets add no time series and leak no secret")
  void millionCallers_addNoSeriesAndLeakNoSecret(@TempDir Path folder) throws Exception {
    RuleSet rules =
        RuleSet.of(
            Rule.named("per-user").per("user").limit("1/hour").build(),
            Rule.named("per-key").per("api_key", "endpoint").limit("1/hour").build(),
            Rule.named("all").limit("1000/hour").build(),
            Rule.named("dark").per("ip").limit("1/hour").shadow(true).build());
    Path file = folder.resolve("refusals.log");
    try (ServerMetrics metrics = new ServerMetrics(Clock.system())) {
      metrics.bindNode(() -> rules);
      try (RefusalLog log = RefusalLog.open("file:" + file, 1000, Optional.empty())) {
        Limiter limiter =
            Weir.limiter(rules)
                .clock(new FakeClock())
                .listener(metrics.decisionMetrics())
                .listener(log)
                .build();
        limiter.decideNow(caller(0));
        List<String> before = ScrapedMetrics.of(metrics).weirSeries();
        for (int i = 1; i < CALLERS; i++) {
          limiter.decideNow(caller(i));
        }
        ScrapedMetrics after = ScrapedMetrics.of(metrics);
        assertThat(after.weirSeries()).isEqualTo(before);
        assertThat(after.value("weir_requests_total{outcome=\"refused\"}"))
            .isEqualTo(CALLERS - 1000);
        assertThat(after.text().toLowerCase(ROOT)).doesNotContain(MARKER);
      }
      String refusals = Files.readString(file);
      assertThat(refusals).contains("\"rule\":\"all\"").contains("\"endpoint\":\"GET /reset/*\"");
      assertThat(refusals.toLowerCase(ROOT)).doesNotContain(MARKER);
      assertThat(Files.size(file)).isLessThan(100_000_000);
    }
  }

  private static Request caller(int i) {
    String secret = MARKER + i;
    return Request.of(
        "user", secret,
        "api_key", "sk-" + secret,
        "ip", secret + "\n{\"rule\":\"forged\"}",
        "header.authorization", "Bearer " + secret,
        "endpoint", "GET /reset/" + secret + "?token=" + secret);
  }
}
