package io.weir.rules;

import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.rules.text.InvalidConfigurationException;
import io.weir.rules.text.ProblemCollector;
import io.weir.rules.text.TextDecoder;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;

/**
 * Rules as text: YAML, or JSON of the same shape.
 *
 * <pre>{@code
 * Limiter limiter = Weir.inMemory(Rules.parse("rules: [{id: api, per: [user], limit: 100/minute}]"));
 * }</pre>
 *
 * <p>What is read is read whole or not at all; what is written is read back as equal rules.
 */
public final class Rules {
  private static final String DEFAULT_NAME = "rules";

  private Rules() {}

  /**
   * The rules of a text, as a first snapshot.
   *
   * @throws InvalidConfigurationException with everything that is wrong
   */
  public static RuleSet parse(String text) {
    return parse(DEFAULT_NAME, text);
  }

  /** As {@link #parse(String)}, of a text whose name is shown where something is wrong. */
  public static RuleSet parse(String name, String text) {
    return RuleSet.of(1, read(name, text));
  }

  /**
   * The rules of a text, in their order.
   *
   * @throws InvalidConfigurationException with everything that is wrong
   */
  public static List<Rule> read(String text) {
    return read(DEFAULT_NAME, text);
  }

  /** As {@link #read(String)}, of a text whose name is shown where something is wrong. */
  public static List<Rule> read(String name, String text) {
    return List.copyOf(RulesReader.readRules(name, text));
  }

  /** As {@link #read(String, String)}, of bytes that must be UTF-8. */
  public static List<Rule> read(String name, byte[] utf8) {
    return read(name, TextDecoder.decode(utf8, new ProblemCollector(name)));
  }

  /**
   * The rules of a file, in their order.
   *
   * @throws InvalidConfigurationException with everything that is wrong, and if it cannot be read
   */
  public static List<Rule> read(Path file) {
    return FileContent.of(file, RulesSizeLimit.defaultMaxBytes()).parseRules();
  }

  /**
   * The rule of a text that is a single one, such as {@code {id: api, limit: 100/minute}}.
   *
   * @throws InvalidConfigurationException with everything that is wrong
   */
  public static Rule readOne(String name, String text) {
    return RulesReader.readRule(name, text);
  }

  /** As {@link #readOne(String, String)}, of bytes that must be UTF-8. */
  public static Rule readOne(String name, byte[] utf8) {
    return readOne(name, TextDecoder.decode(utf8, new ProblemCollector(name)));
  }

  /** These rules in YAML; what is not said is the default. */
  public static String toYaml(Collection<Rule> rules) {
    return YamlWriter.rules(rules.stream().map(RuleFields::of).toList());
  }

  /** One rule in YAML, as {@link #readOne} reads it. */
  public static String toYaml(Rule rule) {
    return YamlWriter.rule(RuleFields.of(rule));
  }

  /** These rules in JSON, of the shape of the YAML. */
  public static String toJson(Collection<Rule> rules) {
    return JsonWriter.rules(rules.stream().map(RuleFields::of).toList());
  }

  /** One rule in JSON, as {@link #readOne} reads it. */
  public static String toJson(Rule rule) {
    return JsonWriter.rule(RuleFields.of(rule));
  }
}
