package io.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.weir.Decision;
import io.weir.Limiter;
import io.weir.Request;
import io.weir.internal.decision.EvaluatedDecision;
import io.weir.testkit.CapturedLogs;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;

/** Startup logs the rate limiting status and rejects invalid rules and settings. */
class WeirStartupTest {

  /** An application with Weir only. */
  @SpringBootConfiguration
  @ImportAutoConfiguration(WeirAutoConfiguration.class)
  static class MinimalApplication {}

  /** A bean with a limit on a method that handles no requests. */
  @Import(MinimalApplication.class)
  static class MisplacedRateLimit {
    @RateLimit("1/m")
    void work() {}
  }

  @Test
  void expressionThatCanHaveNoValue_preventsStart() {
    for (String expression :
        new String[] {"headr('x')", "@nobody.key(header('x'))", "pricipal?.name"}) {
      Throwable failure =
          catchThrowable(
              () ->
                  start(MinimalApplication.class, "weir.attributes.tenant=" + expression).close());
      assertThat(failure).isInstanceOf(StartFailureException.class);
      assertThat(failure)
          .hasStackTraceContaining(expression.contains("@") ? "nobody" : "did you mean");
    }
  }

  @Test
  void noSettings_startsInMemoryAndLogsStatus() {
    try (CapturedLogs log = new CapturedLogs();
        ConfigurableApplicationContext app = start(MinimalApplication.class)) {
      assertThat(app.getBean(Limiter.class).decideNow(Request.of()).allowed()).isTrue();
      assertThat(String.join("\n", log.lines()))
          .contains(
              "Weir enforces rate limits",
              "store  memory (counters of this process only)",
              "rules  none, nothing is limited");
    }
  }

  @Test
  void injectedLimiter_appliesRules() {
    try (CapturedLogs log = new CapturedLogs();
        ConfigurableApplicationContext app = start(MinimalApplication.class, rule("user", "1/m"))) {
      Limiter limiter = app.getBean(Limiter.class);
      assertThat(limiter.decideNow(Request.of("user", "ann")).allowed()).isTrue();
      assertThat(limiter.decideNow(Request.of("user", "ann")).allowed()).isFalse();
      assertThat(String.join("\n", log.lines())).contains("api: 1/minute per user");
    }
  }

  @Test
  void shadowAndOffMode_refuseNothingAndLogMode() {
    try (CapturedLogs log = new CapturedLogs();
        ConfigurableApplicationContext app =
            start(MinimalApplication.class, rule("user", "0/m"), "weir.mode=shadow")) {
      Decision d = app.getBean(Limiter.class).decideNow(Request.of("user", "ann"));
      assertThat(d.allowed()).isTrue();
      assertThat(d.shadowRefused()).isTrue();
      assertThat(String.join("\n", log.lines())).contains("weir.mode: shadow");
    }
    try (CapturedLogs log = new CapturedLogs();
        ConfigurableApplicationContext app =
            start(MinimalApplication.class, rule("user", "0/m"), "weir.mode=off")) {
      Decision d = app.getBean(Limiter.class).decideNow(Request.of("user", "ann"));
      assertThat(EvaluatedDecision.of(d).claimCount()).isZero();
      assertThat(String.join("\n", log.lines())).contains("weir.mode: off");
    }
  }

  @Test
  void typoInRule_isReportedWithPositionAndSuggestion() {
    assertThat(
            startupFailure(
                MinimalApplication.class, "spring.config.location=classpath:bad-rules.yaml"))
        .contains("bad-rules.yaml:5:13: api: limt: is not a field; did you mean limit?")
        .contains("bad-rules.yaml:6:25: api: limit: 'plenty' is not a rate")
        .contains("bad-rules.yaml:6:13: api: id: must be unique (was already used in line 3)");
  }

  @Test
  void unmatchableRule_isRejected() {
    assertThat(
            startupFailure(
                MinimalApplication.class,
                "spring.config.location=classpath:unmatchable-rules.yaml"))
        .contains("a: per: unknown attribute 'usr'; did you mean user?")
        .doesNotContain("b: match", "c: match") // no method, and a method in lower case
        .contains("d: match: path: 'orders/' matches no request: paths must start with /")
        .contains("e: match: handler: 'io.weir.spring.app.Quotes.qoute' matches no request")
        .doesNotContain("fine");
  }

  @Test
  void misspelledSetting_isRejected() {
    assertThat(
            startupFailure(
                MinimalApplication.class,
                "weir.stroe=memory",
                "weir.identity.trusted-proxie=10.0.0.0/8"))
        .contains("weir: stroe: is not a setting; did you mean store?")
        .contains("weir.identity: trusted-proxie: is not a setting; did you mean trusted-proxies?");
  }

  @Test
  void misplacedAnnotation_isRejected() {
    assertThat(startupFailure(MisplacedRateLimit.class))
        .contains("MisplacedRateLimit.work: the method handles no request")
        .contains("io.weir.Limiter");
  }

  @Test
  void invalidExpressionStoreOrRules_areRejected() {
    assertThat(startupFailure(MinimalApplication.class, "weir.attributes.tier=principal..x"))
        .contains("weir.attributes: tier: 'principal..x' is not a valid expression");
    assertThat(startupFailure(MinimalApplication.class, "weir.store=redis:/nowhere"))
        .contains(
            "store must be a Redis URL (was 'redis:/nowhere'), for example redis://host:port");
    assertThat(startupFailure(MinimalApplication.class, "weir.rules=rules.yaml"))
        .contains("weir.rules must be a list of rules", "(was 'rules.yaml')", "file:rules.yaml");
  }

  private static String rule(String per, String limit) {
    return "weir.rules[0].id=api,weir.rules[0].per=" + per + ",weir.rules[0].limit=" + limit;
  }

  private static ConfigurableApplicationContext start(Class<?> app, String... settings) {
    String[] each =
        Arrays.stream(settings).flatMap(s -> Stream.of(s.split(","))).toArray(String[]::new);
    return new SpringApplicationBuilder(app)
        .web(WebApplicationType.NONE)
        .properties(each)
        .logStartupInfo(false)
        .run();
  }

  /** Returns the description and action that Spring Boot shows when startup fails. */
  private static String startupFailure(Class<?> app, String... settings) {
    Throwable thrown = catchThrowable(() -> start(app, settings).close());
    FailureAnalysis analysis = new StartFailureAnalyzer().analyze(thrown);
    if (analysis == null) {
      throw new AssertionError("no failure analysis", thrown);
    }
    return analysis.getDescription() + "\n" + analysis.getAction();
  }
}
