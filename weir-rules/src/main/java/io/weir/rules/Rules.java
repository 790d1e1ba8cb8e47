package io.weir.rules;

import io.weir.internal.JsonText;
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
 * <p>A text is read as a whole or rejected with all its problems; rules that are written and read
 * back are equal.
 */
public final class Rules {
  private static final String DEFAULT_NAME = "rules";

  private Rules() {}

  /**
   * Parses the rules of a text into a rule set of revision 1.
   *
   * @throws InvalidConfigurationException with all problems of the text
   */
  public static RuleSet parse(String text) {
    return parse(DEFAULT_NAME, text);
  }

  /** As {@link #parse(String)}, for a text whose name is shown in error messages. */
  public static RuleSet parse(String name, String text) {
    return RuleSet.of(1, read(name, text));
  }

  /**
   * Reads the rules of a text, in their order.
   *
   * @throws InvalidConfigurationException with all problems of the text
   */
  public static List<Rule> read(String text) {
    return read(DEFAULT_NAME, text);
  }

  /** As {@link #read(String)}, for a text whose name is shown in error messages. */
  public static List<Rule> read(String name, String text) {
    return List.copyOf(RulesReader.readRules(name, text));
  }

  /** As {@link #read(String, String)}, for bytes, which must be UTF-8. */
  public static List<Rule> read(String name, byte[] utf8) {
    return read(name, TextDecoder.decode(utf8, new ProblemCollector(name)));
  }

  /**
   * Reads the rules of a file, in their order.
   *
   * @throws InvalidConfigurationException with all problems of the file, or if it cannot be read
   */
  public static List<Rule> read(Path file) {
    return FileContent.of(file, RulesSizeLimit.defaultMaxBytes()).parseRules();
  }

  /**
   * Reads a text with a single rule, such as {@code {id: api, limit: 100/minute}}.
   *
   * @throws InvalidConfigurationException with all problems of the text
   */
  public static Rule readOne(String name, String text) {
    return RulesReader.readRule(name, text);
  }

  /** As {@link #readOne(String, String)}, for bytes, which must be UTF-8. */
  public static Rule readOne(String name, byte[] utf8) {
    return readOne(name, TextDecoder.decode(utf8, new ProblemCollector(name)));
  }

  /** Writes rules as YAML, without fields that have their default. */
  public static String toYaml(Collection<Rule> rules) {
    return YamlWriter.rules(rules.stream().map(RuleFields::of).toList());
  }

  /** Writes one rule as YAML, as {@link #readOne} reads it. */
  public static String toYaml(Rule rule) {
    return YamlWriter.rule(RuleFields.of(rule));
  }

  /** Writes rules as JSON, of the same shape as the YAML, one rule per line. */
  public static String toJson(Collection<Rule> rules) {
    StringBuilder out = new StringBuilder("{\"rules\":[");
    String separator = "\n  ";
    for (Rule rule : rules) {
      JsonText.writeForYaml(out.append(separator), RuleFields.of(rule));
      separator = ",\n  ";
    }
    return out.append(rules.isEmpty() ? "]}\n" : "\n]}\n").toString();
  }

  /** Writes one rule as JSON, as {@link #readOne} reads it. */
  public static String toJson(Rule rule) {
    return JsonText.writeForYaml(new StringBuilder(), RuleFields.of(rule)).toString();
  }
}
