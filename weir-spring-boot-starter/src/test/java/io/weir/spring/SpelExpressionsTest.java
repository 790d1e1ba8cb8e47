package io.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.http.IpAddress;
import io.weir.testkit.CapturedLogs;
import java.security.Principal;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.web.method.HandlerMethod;

/** Expressions that fail when they are evaluated. */
class SpelExpressionsTest {
  private static final String FAILING = "#{principal().name.noSuchThing}";

  private final SpelExpressions expressions = new SpelExpressions(new DefaultListableBeanFactory());

  @Test
  void failingExpression_isLoggedOnceWithItsRule() {
    expressions.recordUse(FAILING, "rule quotes-quote");
    try (CapturedLogs log = new CapturedLogs()) {
      for (int i = 0; i < 3; i++) {
        assertThat(expressions.evaluate(FAILING, new PlannedRequest(() -> "ann"))).isNull();
      }
      assertThat(log.lines())
          .hasSize(1)
          .allMatch(line -> line.contains(FAILING) && line.contains("rule quotes-quote"));
    }
  }

  @Test
  void valueOfAnonymousCaller_isMissingWithoutALog() {
    try (CapturedLogs log = new CapturedLogs()) {
      assertThat(expressions.evaluate(FAILING, new PlannedRequest(null))).isNull();
      assertThat(log.lines()).isEmpty();
    }
  }

  /** A request with this principal. */
  private record PlannedRequest(@Nullable Principal principal) implements SpringRequest {
    @Override
    public IpAddress peer() {
      return IpAddress.ofSocket("127.0.0.1");
    }

    @Override
    public String method() {
      return "GET";
    }

    @Override
    public String target() {
      return "/";
    }

    @Override
    public @Nullable HandlerMethod handler() {
      return null;
    }

    @Override
    public Map<String, String> variables() {
      return Map.of();
    }

    @Override
    public @Nullable String get(String name) {
      return null;
    }

    @Override
    public List<String> all(String name) {
      return List.of();
    }
  }
}
