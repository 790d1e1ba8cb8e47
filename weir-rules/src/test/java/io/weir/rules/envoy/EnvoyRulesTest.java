package io.weir.rules.envoy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.rule.Rule;
import io.weir.rules.Rules;
import io.weir.rules.text.InvalidConfigurationException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The configurations in envoyproxy/ratelimit's documentation, and errors in others. */
class EnvoyRulesTest {

  @Test
  void exactValues_becomeRules() {
    assertThat(
            importToYaml(
                """
                domain: databases
                descriptors:
                  - key: database
                    value: users
                    rate_limit: {unit: second, requests_per_unit: 500}
                  - key: database
                    value: default
                    rate_limit: {unit: second, requests_per_unit: 300}
                """))
        .isEqualTo(
            """
            rules:
              - id: databases-database-users
                match: {domain: databases, descriptor: database, database: users}
                limit: 500/second
                algorithm: fixed-window
              - id: databases-database-default
                match: {domain: databases, descriptor: database, database: default}
                limit: 300/second
                algorithm: fixed-window
            """);
  }

  @Test
  void nestedDescriptors_matchAllTheirKeys() {
    assertThat(
            importToYaml(
                """
                domain: mail
                descriptors:
                  - key: kind
                    value: advertising
                    descriptors:
                      - key: to
                        rate_limit: {unit: day, requests_per_unit: 5}
                  - key: to
                    rate_limit: {unit: week, requests_per_unit: 100}
                """))
        .isEqualTo(
            """
            rules:
              - id: mail-kind-advertising-to
                match: {domain: mail, descriptor: kind/to, kind: advertising}
                per: [to]
                limit: 5/day
                algorithm: fixed-window
              - id: mail-to
                match: {domain: mail, descriptor: to}
                per: [to]
                limit: 100/7d
                algorithm: fixed-window
            """);
  }

  @Test
  void moreSpecificValues_areExcludedFromOthers() {
    assertThat(
            importToYaml(
                """
                domain: edge
                descriptors:
                  - key: remote_address
                    rate_limit: {unit: second, requests_per_unit: 10}
                  - key: remote_address
                    value: 192.0.2.1
                    rate_limit: {unit: second, requests_per_unit: 0}
                  - key: remote_address
                    value: 192.0.2.2
                    rate_limit: {unlimited: true}
                  - key: remote_address
                    value: 192.0.2.3
                  - key: remote_address
                    value: 10.1.*
                    rate_limit: {unit: month, requests_per_unit: 7}
                  - key: remote_address
                    value: 10.*
                    share_threshold: true
                    shadow_mode: true
                    rate_limit: {unit: year, requests_per_unit: 8, name: inside}
                """))
        .isEqualTo(
            """
            rules:
              - id: edge-remote-address
                match:
                  domain: edge
                  descriptor: remote_address
                  remote_address: ["!192.0.2.1", "!192.0.2.2", "!192.0.2.3", "!10.1.*/**", "!10.*/**"]
                per: [remote_address]
                limit: 10/second
                algorithm: fixed-window
              - id: edge-remote-address-192-0-2-1
                match: {domain: edge, descriptor: remote_address, remote_address: "192.0.2.1"}
                limit: 0/second
                algorithm: fixed-window
              - id: edge-remote-address-10-1
                match: {domain: edge, descriptor: remote_address, remote_address: "10.1.*/**"}
                per: [remote_address]
                limit: 7/30d
                algorithm: fixed-window
              - id: edge-inside
                match: {domain: edge, descriptor: remote_address, remote_address: ["10.*/**", "!10.1.*/**"]}
                limit: 8/365d
                algorithm: fixed-window
                shadow: true
            """);
  }

  @Test
  void repeatedKeys_areNumbered() {
    List<Rule> rules =
        read(
            """
            domain: edge
            descriptors:
              - key: generic_key
                value: slow
                descriptors:
                  - key: generic_key
                    rate_limit: {unit: HOUR, requests_per_unit: 5}
              - key: domain
                rate_limit: {unit: Hour, requests_per_unit: 5}
            """);
    assertThat(rules.get(0).match().patterns())
        .containsEntry("descriptor", List.of("generic_key/generic_key"))
        .containsEntry("generic_key", List.of("slow"));
    assertThat(rules.get(0).per()).containsExactly("generic_key.2");
    assertThat(rules.get(1).match().patterns()).containsEntry("domain", List.of("edge"));
    assertThat(rules.get(1).per()).containsExactly("domain.2");
  }

  @Test
  void ids_areStableWhateverIsAdded() {
    String one =
        """
        domain: Édge
        descriptors:
          - {key: path, value: /a-b, rate_limit: {unit: day, requests_per_unit: 1}}
        """;
    String more =
        one
            + """
              - {key: path, value: /a/b, rate_limit: {unit: day, requests_per_unit: 1}}
              - {key: path, value: /%s, rate_limit: {unit: day, requests_per_unit: 1}}
            """
                .formatted("long".repeat(20));
    assertThat(read(one)).extracting(Rule::id).containsExactly("dge-path-a-b");
    List<String> ids = read(more).stream().map(Rule::id).toList();
    assertThat(ids).doesNotHaveDuplicates().allMatch(id -> id.matches("[a-z0-9-]{1,64}"));
    assertThat(ids.get(0)).startsWith("dge-path-a-b-");
    assertThat(read(more)).extracting(Rule::id).isEqualTo(ids);
  }

  @Test
  void metricsSettingsAndEmptyFields_areIgnored() {
    assertThat(read("domain: edge\n")).isEmpty();
    assertThat(read("domain: edge\ndescriptors:\n")).isEmpty();
    assertThat(
            read(
                """
                domain: edge
                descriptors:
                  - {key: a, detailed_metric: true, value_to_metric: true, descriptors: []}
                """))
        .isEmpty();
  }

  @Test
  void bytes_mustBeUtf8() {
    assertThat(EnvoyRules.read("x", "domain: edge".getBytes(UTF_8))).isEmpty();
    assertThatThrownBy(() -> EnvoyRules.read("x", new byte[] {(byte) 0xFF}))
        .isInstanceOf(InvalidConfigurationException.class);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "''                            | 1:1: must be a map with domain and descriptors (was text)",
        "{}                            | 1:1: domain: must be set, for example edge",
        "{domain: 'a*'}                | 1:1: domain: must not have a * before its end",
        "{domain: a, descriptor: []}   | 1:13: descriptor: is not a field here; did you mean descriptors?",
        "{domain: a, descriptors: {}}  | 1:26: descriptors: must be a list of descriptors (was a map)",
        "{domain: a, descriptors: [x]} | 1:27: descriptors: must be a map with a key (was text)",
        "{domain: a, descriptors: [{}]} | 1:27: key: must be set",
        "{domain: a, descriptors: [{key: k, limit: 1}]} | 1:36: limit: is not a field here; must be one of key, value, rate_limit",
        "{domain: a, descriptors: [{key: k, value: v}, {key: k, value: v}]} | 1:47: k=v: must occur once (was already in line 1)",
        "{domain: a, descriptors: [{key: 'k k'}]} | 1:27: k k: key: 'k k' is not an attribute; write",
        "{domain: a, descriptors: [{key: weir.mode}]} | 1:27: weir.mode: key: must not begin with weir.",
        "{domain: a, descriptors: [{key: k, value: 'a*b'}]} | 1:27: k=a*b: value: must not have a * before its end",
        "{domain: a, descriptors: [{key: k, value: 'a**'}]} | 1:27: k=a**: value: must not have a * before its end",
        "{domain: a, descriptors: [{key: k, value: '!x'}]} | 1:27: k=!x: value: must not begin with !",
        "{domain: a, descriptors: [{key: k, value: ' '}]} | 1:27: k= : value: must not be blank",
        "{domain: a, descriptors: [{key: k, share_threshold: true}]} | 1:53: k: share_threshold: must be left out unless the value ends with *",
        "{domain: a, descriptors: [{key: k, shadow_mode: yes}]} | 1:49: k: shadow_mode: must be true or false (was 'yes')",
      })
  void invalidDescriptor_isReportedWithPosition(String text, String problem) {
    assertProblem(text, problem);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "x                              | 1:48: k: rate_limit: must be a map (was text)",
        "{requests_per_unit: 1}         | 1:48: k: unit: must be set to one of second, minute",
        "{unit: second}                 | 1:48: k: requests_per_unit: must be set, for example 100, or 0",
        "{unit: secnd, requests_per_unit: 1} | 1:55: k: unit: must be one of second, minute, hour, day, week, month, year (was 'secnd'); did you mean second?",
        "{unit: second, requests_per_unit: -1} | 1:82: k: requests_per_unit: must be between 0 and 4294967295 (was -1)",
        "{unit: second, requests_per_unit: 4294967296} | 1:82: k: requests_per_unit: must be between 0 and 4294967295 (was 4294967296)",
        "{unit: second, requests_per_unit: 1e3} | 1:82: k: requests_per_unit: must be a whole number (was '1e3')",
        "{unit: second, requests_per_unit: 4294967295} | 1:48: k: rate_limit: 4294967295/second must be at most 10 million permits per second",
        "{unit: second, unlimited: true} | 1:55: k: unit: must be left out if unlimited is true",
        "{unit: second, requests_per_unit: 1, replaces: [{name: x}]} | 1:95: k: replaces: must be left out: a rule cannot replace the limit of another descriptor",
      })
  void invalidLimit_isReportedWithPosition(String limit, String problem) {
    assertProblem("{domain: a, descriptors: [{key: k, rate_limit: " + limit + "}]}", problem);
  }

  @Test
  void severalProblems_areReportedTogetherWithPaths() {
    assertThatThrownBy(
            () ->
                EnvoyRules.read(
                    "envoy.yaml",
                    """
                    domain: edge
                    descriptors:
                      - key: a
                        value: x
                        descriptors:
                          - key: b
                            rate_limit: {unit: fortnight, requests_per_unit: 1}
                          - value: lost
                      - key: c
                        rate_limt: {unit: day, requests_per_unit: 1}
                    """))
        .isInstanceOf(InvalidConfigurationException.class)
        .message()
        .satisfies(
            message ->
                assertThat(message.lines())
                    .satisfiesExactly(
                        line ->
                            assertThat(line)
                                .startsWith("envoy.yaml:7:28: a=x/b: unit: must be one of second"),
                        line ->
                            assertThat(line).startsWith("envoy.yaml:8:9: a=x: key: must be set"),
                        line ->
                            assertThat(line)
                                .startsWith(
                                    "envoy.yaml:10:5: rate_limt: is not a field here; did you mean"
                                        + " rate_limit?")));
  }

  @Test
  void deepPaths_areAllowedButNamesMustDiffer() {
    List<String> deep = List.of("k1", "k2", "k3", "k4", "k5", "k6");
    assertThat(read(nested(deep)).get(0).per()).isEqualTo(deep);
    assertProblem(nested(List.of("a.2", "a", "a")), "must be unique (was 'a.2' twice)");
  }

  private static String nested(List<String> keys) {
    String inner = "rate_limit: {unit: day, requests_per_unit: 1}";
    for (int i = keys.size() - 1; i >= 0; i--) {
      inner = "descriptors: [{key: " + keys.get(i) + ", " + inner + "}]";
    }
    return "{domain: d, " + inner + "}";
  }

  private static void assertProblem(String text, String problem) {
    assertThatThrownBy(() -> read(text))
        .isInstanceOf(InvalidConfigurationException.class)
        .message()
        .satisfies(
            message ->
                assertThat(message.lines().toList())
                    .as(message)
                    .hasSize(1)
                    .allMatch(line -> line.contains(problem)));
  }

  private static List<Rule> read(String text) {
    return EnvoyRules.read("envoy.yaml", text);
  }

  private static String importToYaml(String text) {
    return Rules.toYaml(read(text));
  }
}
