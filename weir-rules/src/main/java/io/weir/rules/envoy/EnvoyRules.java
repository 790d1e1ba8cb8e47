package io.weir.rules.envoy;

import io.weir.rule.Rule;
import io.weir.rules.text.Problems;
import io.weir.rules.text.TextException;
import io.weir.rules.text.Unprintable;
import java.util.List;

/**
 * Configurations of envoyproxy/ratelimit as rules that limit the same calls of Envoy's alike: each
 * limit becomes a rule of fixed windows that meets the descriptors the limit would be found for.
 */
public final class EnvoyRules {

  private EnvoyRules() {}

  /**
   * The rules of a configuration, in its order.
   *
   * @param name of the text, shown where something is wrong
   * @throws TextException with everything that is wrong, or that no rule can say
   */
  public static List<Rule> read(String name, String text) {
    return read(new Problems(name), text);
  }

  /** As {@link #read(String, String)}, of bytes that must be UTF-8. */
  public static List<Rule> read(String name, byte[] utf8) {
    Problems problems = new Problems(name);
    return read(problems, Unprintable.text(utf8, problems));
  }

  private static List<Rule> read(Problems problems, String text) {
    EnvoyReader.Domain domain = new EnvoyReader(problems).read(text);
    List<Rule> rules = new EnvoyImport(problems, domain).rules();
    if (problems.any()) {
      throw problems.exception();
    }
    return rules;
  }
}
