package io.weir.rules.lint;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rules.Rules;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Plausible mistakes in selectors, each with the remedy that is reported. */
class SelectorLintTest {

  private static List<RuleLint.LintWarning> lint(String fields) {
    return RuleLint.check(Rules.read("rules: [{id: a, " + fields + "}]"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      textBlock =
          """
          match: {endpoint: "GET /search?q=*"} ; a query is not part of it; write /search
          match: {endpoint: "/search?q=*"} ; a query is not part of it; write /search
          match: {endpoint: "GET /a#top"} ; a fragment is not sent; write /a
          match: {endpoint: "login"} ; write a method and a path, for example GET /login
          match: {endpoint: "GET login"} ; a path begins with /; write /login
          match: {endpoint: "GET/login"} ; write a method and a path, for example GET /login
          match: {endpoint: "GET|POST /login"} ; write a list, one item for each method
          match: {endpoint: "GET,POST /login"} ; write a list, one item for each method
          match: {endpoint: "GETT /login"} ; did you mean GET?
          match: {endpoint: "https://example.com/login"} ; leave out scheme and host
          match: {endpoint: "GET /login/"} ; leave out the / at the end
          match: {endpoint: "GET /a//b"} ; write the path without //
          match: {endpoint: "GET /a/../b"} ; write the path without //
          match: {endpoint: "GET /users/{id}"} ; write * for a part that varies
          match: {endpoint: "GET /users/:id"} ; write * for a part that varies
          match: {endpoint: ["GET /a", "!GET /b?x"]} ; a query is not part of it; write /b
          match: {path: "login"} ; a path begins with /; write /login
          match: {path: "/login?x=1"} ; a query is not part of it; write /login
          match: {path: "/login/"} ; leave out the / at the end
          match: {method: "GTE"} ; did you mean GET?
          match: {method: "GET,POST"} ; write a list
          match: {host: "https://example.com"} ; without scheme, port and path
          match: {host: "example.com:8080"} ; without scheme, port and path
          match: {host: "Example.com"} ; write example.com
          match: {ip: "localhost"} ; write an address or a network
          match: {ip: "10.0.0.0/33"} ; write an address or a network
          match: {ip: "10.0.0.300"} ; write an address or a network
          match: {ip: "10.0.0"} ; write an address or a network
          match: {ip: "10.0.0.1-10.0.0.9"} ; write an address or a network
          match: {ip: "2001:db8::/129"} ; write an address or a network
          match: {IP: "10.0.0.1"} ; did you mean ip?
          per: [users] ; did you mean user?
          per: [api-key] ; did you mean api_key?
          per: [User] ; did you mean user?
          per: [endpoints] ; did you mean endpoint?
          per: [headers.x-tenant] ; did you mean header.x-tenant?
          overrides: [{when: {endpoint: "GET /x?y"}, limit: 1/s}] ; a query is not part of it; write /x
          overrides: [{when: {teir: pro}, limit: 1/s}] ; did you mean tier?
          """)
  void mistake_isReportedWithRemedy(String fields, String remedy) {
    assertThat(lint(fields + ", limit: 5/s"))
        .singleElement()
        .satisfies(warning -> assertThat(warning.help()).contains(remedy));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "match: {endpoint: /login}",
        "match: {endpoint: get /login}",
        "match: {endpoint: \"* /login\"}",
        "match: {endpoint: \"**\"}",
        "match: {endpoint: \"OPTIONS *\"}",
        "match: {ip: 127.0.0.0/8}",
        "match: {ip: [\"2001:DB8::/32\", \"!2001:db8:1::/48\"]}",
        "match: {ip: 10.1.2.3/8}",
        "match: {ip: \"10.*\"}",
        "match: {method: [get, POST, PROPFIND]}",
        "match: {host: \"*.example.com\"}",
        "match: {header.X-Tenant: a}",
        "per: [header.X-Tenant]",
        "per: [session]",
        "match: {endpoint: \"GET /**\"}, per: [user], missing: skip"
      })
  void intention_isNotReported(String fields) {
    assertThat(lint(fields + ", limit: 5/s")).isEmpty();
  }

  @Test
  void ruleForEveryRequest_isReported() {
    assertThat(lint("action: block")).singleElement().asString().contains("blocks every request");
    assertThat(lint("action: allow")).singleElement().asString().contains("exempts every request");
    assertThat(lint("action: allow, match: {endpoint: GET /health}")).isEmpty();
  }

  @Test
  void unreportedHeader_isReported() {
    var rules = Rules.read("rules: [{id: a, per: [header.X-Tenant], limit: 5/s}]");
    assertThat(RuleLint.check(rules, List.of("X-Plan")))
        .singleElement()
        .asString()
        .isEqualTo(
            "a: uses header.x-tenant, which the endpoints of this node do not report; add x-tenant to identity-headers");
    assertThat(RuleLint.check(rules, List.of("X-TENANT"))).isEmpty();
  }
}
