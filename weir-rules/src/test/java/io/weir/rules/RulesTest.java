package io.weir.rules;

import static io.weir.testkit.DecisionAssert.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.Limiter;
import io.weir.Request;
import io.weir.Weir;
import io.weir.internal.algorithm.Algorithms;
import io.weir.rule.Consistency;
import io.weir.rule.LimitOverride;
import io.weir.rule.Rule;
import io.weir.rule.Selector;
import io.weir.rule.StoreFailureFallback;
import io.weir.rules.text.ConfigurationProblem;
import io.weir.rules.text.InvalidConfigurationException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RulesTest {

  @Test
  void exampleOfContract_works() {
    Limiter limiter =
        Weir.inMemory(Rules.parse("rules: [{id: api, per: [user], limit: 100/minute}]"));
    assertThat(limiter.decide(Request.of("user", "42")).join()).isAllowed().hasRemaining(99);
  }

  @Test
  void everyFieldOfContract_isRead() {
    String text =
        """
        rules:
          - id: orders-per-user                   # unique; [a-z0-9-]
            match: { endpoint: "GET /v1/orders/**", tier: [free, trial] }
            per: [user]
            limit: 100/minute
            algorithm: token-bucket
            burst: 200
            consistency: synced
            sync-every: 200ms
            on-store-failure: local
            local-share: 20%
            regions: { eu-west-1: 50%, us-east-1: 50% }
            overrides: [ { when: { user: acme }, limit: 6000/minute } ]
            durable: true
            shadow: true
            enabled: false
        """;
    Rule expected =
        Rule.named("orders-per-user")
            .match("endpoint", "GET /v1/orders/**")
            .match("tier", "free", "trial")
            .per("user")
            .limit("100/minute")
            .algorithm(Algorithms.TOKEN_BUCKET.name())
            .burst(200)
            .consistency(Consistency.synced(Duration.ofMillis(200)))
            .onStoreFailure(StoreFailureFallback.local(20))
            .regions(Map.of("eu-west-1", 50, "us-east-1", 50))
            .overrides(LimitOverride.of(Selector.of("user", "acme"), "6000/minute"))
            .durable(true)
            .shadow(true)
            .enabled(false)
            .build();
    assertThat(Rules.read(text)).containsExactly(expected);
  }

  @Test
  void omittedFields_takeDefaults() {
    Rule rule = Rules.readOne("one", "{id: api, limit: 100/minute}");
    assertThat(rule).isEqualTo(Rule.named("api").limit("100/minute").build());
    assertThat(Rules.readOne("one", "{id: a, limit: 1/s, consistency: synced}").consistency())
        .isEqualTo(Consistency.synced(Duration.ofMillis(100)));
    assertThat(Rules.readOne("one", "{id: a, limit: 1/s, on-store-failure: local}").fallback())
        .isEqualTo(StoreFailureFallback.local(10));
  }

  @Test
  void writtenRules_areReadable() {
    Rule api =
        Rule.named("api")
            .match("endpoint", "GET /v1/orders/**")
            .match("tier", "free", "yes")
            .per("user")
            .limit("10/second", "1000/hour")
            .onStoreFailure(StoreFailureFallback.CLOSED)
            .build();
    assertThat(Rules.toYaml(List.of(api)))
        .isEqualTo(
            """
            rules:
              - id: api
                match: {endpoint: GET /v1/orders/**, tier: [free, "yes"]}
                per: [user]
                limit: [10/second, 1000/hour]
                on-store-failure: closed
            """);
    assertThat(Rules.toJson(api))
        .isEqualTo(
            "{\"id\":\"api\",\"match\":{\"endpoint\":\"GET /v1/orders/**\",\"tier\":[\"free\",\"yes\"]},"
                + "\"per\":[\"user\"],\"limit\":[\"10/second\",\"1000/hour\"],"
                + "\"on-store-failure\":\"closed\"}");
    assertThat(Rules.toYaml(List.of())).isEqualTo("rules: []\n");
    assertThat(Rules.read(Rules.toJson(List.of()))).isEmpty();
  }

  @Test
  void longValues_areWrittenOnSeparateLines() {
    String[] users = new String[40];
    for (int i = 0; i < users.length; i++) {
      users[i] = "user-" + i;
    }
    Rule rule =
        Rule.named("api")
            .limit("1/s")
            .overrides(
                LimitOverride.of(Selector.of("user", users), "9/s"),
                LimitOverride.of(Selector.of("tier", "pro"), "8/s"))
            .build();
    assertThat(Rules.toYaml(rule).lines())
        .contains("  - {when: {tier: pro}, limit: 8/second}", "        - user-39")
        .allSatisfy(line -> assertThat(line).hasSizeLessThan(110));
    assertThat(Rules.readOne("one", Rules.toYaml(rule))).isEqualTo(rule);
  }

  @Test
  void problem_hasItsPosition() {
    assertThatThrownBy(() -> Rules.parse("my.yaml", "rules:\n  - id: api\n    limt: 10/s\n"))
        .isInstanceOfSatisfying(
            InvalidConfigurationException.class,
            e -> {
              ConfigurationProblem problem = e.problems().get(0);
              assertThat(problem.file()).isEqualTo("my.yaml");
              assertThat(problem.line()).isEqualTo(3);
              assertThat(problem.column()).isEqualTo(5);
              assertThat(problem.rule()).isEqualTo("api");
              assertThat(problem.field()).isEqualTo("limt");
              assertThat(problem.reason()).startsWith("is not a field; did you mean limit?");
            });
    assertThat(new ConfigurationProblem("f", 0, 0, "", "", "is gone")).hasToString("f: is gone");
    assertThat(new ConfigurationProblem("f", 1, 2, "", "", "no")).hasToString("f:1:2: no");
    assertThat(new ConfigurationProblem("f", 1, 2, "r", "", "no")).hasToString("f:1:2: r: no");
    assertThat(new ConfigurationProblem("f", 1, 2, "r", "x", "no")).hasToString("f:1:2: r: x: no");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "[]",
        "hello",
        "{}",
        "{id: api}",
        "{id: api, limit: 1/s",
        "[{id: api, limit: 1/s}]"
      })
  void invalidSingleRule_isRejected(String text) {
    assertThatThrownBy(() -> Rules.readOne("one", text))
        .isInstanceOf(InvalidConfigurationException.class)
        .hasMessageStartingWith("one:1:");
  }
}
