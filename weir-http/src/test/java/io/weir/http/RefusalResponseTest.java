package io.weir.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.Decision;
import io.weir.rule.MissingAttributePolicy;
import io.weir.rule.Rule;
import io.weir.rule.RuleAction;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the JSON bodies of decisions and refusals. */
class RefusalResponseTest {

  @Test
  void admittedDecision_isWrittenAsDocumented() {
    Decision d = new DecisionFixture(rule("orders-per-user", "100/minute")).take(1);
    assertThat(DecisionJson.format(d))
        .isEqualTo(
            """
            {"allowed":true,"degraded":false,"delay_ms":0,"retry_after_ms":0,"revision":%d,\
            "rules":[{"id":"orders-per-user","allowed":true,"shadow":false,"limit":100,\
            "remaining":99,"reset_ms":600,"retry_after_ms":0}]}"""
                .formatted(d.revision()));
  }

  @Test
  void refusedDecision_reportsRuleAndWait() {
    Decision d = refused();
    assertThat(DecisionJson.format(d))
        .isEqualTo(
            """
            {"allowed":false,"degraded":false,"delay_ms":0,"retry_after_ms":59999,"revision":%d,\
            "rules":[{"id":"login","allowed":false,"shadow":false,"limit":1,"remaining":0,\
            "reset_ms":59999,"retry_after_ms":59999},{"id":"trial","allowed":false,"shadow":true,\
            "limit":1,"remaining":0,"reset_ms":86399999,"retry_after_ms":86399999}],\
            "error":"rate_limited","rule":"login","retry_after_seconds":60}"""
                .formatted(d.revision()));
  }

  @Test
  void leakyBucket_reportsDelay() {
    DecisionFixture queue =
        new DecisionFixture(
            Rule.named("queue").algorithm("leaky-bucket").per("user").limit("3/second").build());
    queue.take(1);
    assertThat(DecisionJson.format(queue.take(1))).contains("\"delay_ms\":334,");
  }

  @Test
  void noMatchingRule_hasEmptyRules() {
    assertThat(DecisionJson.format(new DecisionFixture().take(1)))
        .contains("\"allowed\":true")
        .endsWith("\"rules\":[]}");
  }

  @Test
  void refusalBody_omitsShadowRules() {
    RefusalResponse plain = RefusalResponse.of(refused(), null);
    assertThat(plain)
        .isEqualTo(
            new RefusalResponse(
                429,
                "application/json",
                "{\"error\":\"rate_limited\",\"rule\":\"login\",\"retry_after_seconds\":60}"));
  }

  @Test
  void problemJson_namesViolatedPolicies() {
    DecisionFixture both =
        new DecisionFixture(rule("both", "2/second", "2/hour", "9/day"), rule("login", "2/minute"));
    both.take(2);
    assertThat(RefusalResponse.of(both.take(1), "application/problem+json"))
        .isEqualTo(
            new RefusalResponse(
                429,
                "application/problem+json",
                """
                {"type":"https://iana.org/assignments/http-problem-types#quota-exceeded",\
                "title":"Request cannot be satisfied as assigned quota has been exceeded",\
                "status":429,"detail":"both has too few permits available for this request; retry after 1800 seconds.",\
                "violated-policies":["both/second","both/hour","login"],\
                "error":"rate_limited","rule":"both","retry_after_seconds":1800}"""));
  }

  @Test
  void costAboveCapacity_hasItsOwnError() {
    Decision never = new DecisionFixture(rule("api", "100/minute")).take(101);
    assertThat(DecisionJson.format(never))
        .endsWith("\"error\":\"cost_exceeds_limit\",\"rule\":\"api\"}");
    assertThat(RefusalResponse.of(never, null).body())
        .isEqualTo("{\"error\":\"cost_exceeds_limit\",\"rule\":\"api\"}");
    assertThat(RefusalResponse.of(never, "application/problem+json").body())
        .contains("A cost of 101 exceeds the capacity of 100 permits of api")
        .doesNotContain("retry");
  }

  @Test
  void rulesWithoutCounter_answer403AndReportNoLimits() {
    Rule block = Rule.named("bots").action(RuleAction.BLOCK).match("user", "42").build();
    Decision blocked = new DecisionFixture(rule("api", "9/minute"), block).take(1);
    assertThat(RefusalResponse.of(blocked, null))
        .isEqualTo(
            new RefusalResponse(
                403, "application/json", "{\"error\":\"blocked\",\"rule\":\"bots\"}"));
    assertThat(RefusalResponse.of(blocked, "application/problem+json").body())
        .isEqualTo(
            """
            {"type":"urn:weir:problem:blocked","title":"Request is blocked","status":403,\
            "detail":"bots blocks this request.","error":"blocked","rule":"bots"}""");
    assertThat(DecisionFixture.headers(blocked)).isEmpty();
    assertThat(DecisionJson.format(blocked))
        .contains(
            """
            "rules":[{"id":"bots","action":"block","allowed":false,"shadow":false,"limit":null,\
            "remaining":null,"reset_ms":0,"retry_after_ms":0}],"error":"blocked","rule":"bots"}""");
    Rule named =
        Rule.named("named")
            .per("tenant")
            .limit("1/hour")
            .missing(MissingAttributePolicy.REFUSE)
            .build();
    RefusalResponse missing =
        RefusalResponse.of(new DecisionFixture(named).take(1), "application/problem+json");
    assertThat(missing.status()).isEqualTo(403);
    assertThat(missing.body())
        .contains(
            "urn:weir:problem:missing-attribute",
            "\"detail\":\"named requires tenant.\"",
            "\"error\":\"missing_attribute\"");
  }

  @Test
  void admittedDecision_hasNoRefusal() {
    assertThatThrownBy(() -> RefusalResponse.of(new DecisionFixture().take(1), null))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      quoteCharacter = '`',
      textBlock =
          """
          -                                                        | false
          ``                                                       | false
          */*                                                      | false
          application/*                                            | false
          application/json                                         | false
          text/html                                                | false
          application/problem+json                                 | true
          Application/Problem+JSON                                 | true
          application/problem+json, */*                            | true
          application/json, application/problem+json               | true
          application/json;q=0.9, application/problem+json         | true
          application/json, application/problem+json;q=0.9         | false
          application/problem+json;q=0.5, */*;q=0.1                | true
          application/problem+json;q=0.5, */*                      | false
          application/problem+json;q=0.5, application/*;q=0.4, */* | true
          application/problem+json;q=0                             | false
          application/problem+json;q=0.000, text/html              | false
          application/problem+json ; charset=utf-8 ; q=0.001       | true
          application/problem+json;x="a,b;q=0", application/json;q=0.5 | true
          application/problem+json;q=2                             | false
          application/problem+json;q=1.001                         | false
          application/problem+json;q=-1                            | false
          application/problem+json;q=                              | false
          application/problem+json;q=0.1234                        | false
          application/problem+json;q=1.                            | true
          application/problem+jsonx                                | false
          xapplication/problem+json                                | false
          ,,, application/problem+json,,                           | true
          text/html, application/xhtml+xml, application/xml;q=0.9, image/avif, */*;q=0.8 | false
          """)
  void acceptHeader_selectsContentType(String accept, boolean problem) {
    assertThat(AcceptHeader.prefersProblemJson(accept)).isEqualTo(problem);
  }

  @Test
  void tooLongAcceptHeader_isIgnored() {
    assertThat(AcceptHeader.prefersProblemJson("application/problem+json" + ", a/b".repeat(10_000)))
        .isFalse();
  }

  private static Decision refused() {
    Rule shadow = rule("trial", "1/day").edit().shadow(true).build();
    DecisionFixture both = new DecisionFixture(rule("login", "1/minute"), shadow);
    both.take(1);
    both.clock.advance(Duration.ofNanos(1_001_000));
    return both.take(1);
  }

  private static Rule rule(String id, String... limits) {
    return Rule.named(id).per("user").limit(limits).build();
  }
}
