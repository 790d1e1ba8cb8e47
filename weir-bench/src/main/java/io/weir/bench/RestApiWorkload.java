package io.weir.bench;

import io.weir.Request;
import io.weir.internal.rule.CompiledRuleSet;
import io.weir.internal.rule.Fingerprint;
import io.weir.rule.Rule;
import io.weir.rule.RuleBuilder;
import io.weir.rule.RuleSet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Rules and requests of an API with many resources: one rule per resource and one for all, all per
 * user, so that exactly two rules match each request.
 */
final class RestApiWorkload {
  private final RuleSet rules;
  private final String[] endpoints;

  RestApiWorkload(int ruleCount) {
    List<Rule> list = new ArrayList<>();
    endpoints = new String[ruleCount - 1];
    for (int i = 0; i < endpoints.length; i++) {
      list.add(rule("resource-" + i).match("endpoint", "GET /v1/resource" + i + "/**").build());
      endpoints[i] = "GET /v1/resource" + i + "/items/";
    }
    list.add(rule("everything").build());
    rules = RuleSet.of(1, list);
  }

  private static RuleBuilder rule(String id) {
    return KeyedLimiter.ruleBuilder(id).per("user");
  }

  RuleSet rules() {
    return rules;
  }

  /** Returns one request per user, spread over the first {@code resources} resources. */
  Request[] requests(int users, int resources) {
    Request[] requests = new Request[users];
    Arrays.setAll(
        requests,
        i ->
            Request.of("user", BenchmarkKeys.userKey(i), "endpoint", endpoints[i % resources] + i));
    for (int i = 0; i < Math.min(users, 1000); i++) {
      int matches = CompiledRuleSet.of(rules).claims(requests[i], new Fingerprint(1, 2), 1).length;
      if (matches != 2) {
        throw new IllegalStateException(requests[i] + " matches " + matches + " rules, expected 2");
      }
    }
    return requests;
  }
}
