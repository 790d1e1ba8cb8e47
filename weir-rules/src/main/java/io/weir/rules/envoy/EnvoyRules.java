package io.weir.rules.envoy;

import io.weir.rule.Rule;
import io.weir.rules.text.InvalidConfigurationException;
import io.weir.rules.text.ProblemCollector;
import io.weir.rules.text.TextDecoder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Configurations of envoyproxy/ratelimit as rules that limit the same calls of Envoy's alike: each
 * limit becomes a rule of fixed windows that meets the descriptors the limit would be found for.
 */
public final class EnvoyRules {

  private EnvoyRules() {}

  /** A configuration: the name of its file, shown where something is wrong, and its bytes. */
  public static final class EnvoySource {
    private final String name;
    private final byte[] utf8;

    public EnvoySource(String name, byte[] utf8) {
      this.name = name;
      this.utf8 = utf8.clone();
    }
  }

  /**
   * The rules of a configuration, in its order.
   *
   * @param name of the text, shown where something is wrong
   * @throws InvalidConfigurationException with everything that is wrong, or that no rule can say
   */
  public static List<Rule> read(String name, String text) {
    return importAll(List.of(parse(name, new ProblemCollector(name), text)));
  }

  /** As {@link #read(String, String)}, of bytes that must be UTF-8. */
  public static List<Rule> read(String name, byte[] utf8) {
    return read(List.of(new EnvoySource(name, utf8)));
  }

  /**
   * The rules of several configurations. Files of one domain are merged, as envoyproxy/ratelimit
   * does with {@code MERGE_DOMAIN_CONFIG}: descriptors of one are exceptions to those of another.
   *
   * @throws InvalidConfigurationException with everything that is wrong in the first file that is
   *     wrong
   */
  public static List<Rule> read(List<EnvoySource> sources) {
    List<EnvoyFile> files = new ArrayList<>();
    for (EnvoySource source : sources) {
      ProblemCollector problems = new ProblemCollector(source.name);
      files.add(parse(source.name, problems, TextDecoder.decode(source.utf8, problems)));
    }
    return importAll(files);
  }

  private static EnvoyFile parse(String name, ProblemCollector problems, String text) {
    return new EnvoyFile(name, problems, new EnvoyReader(problems).read(text));
  }

  private static List<Rule> importAll(List<EnvoyFile> files) {
    Map<String, List<EnvoyFile>> byDomain = new LinkedHashMap<>();
    for (EnvoyFile file : files) {
      byDomain.computeIfAbsent(file.domain().name(), name -> new ArrayList<>()).add(file);
    }
    List<Rule> rules = new ArrayList<>();
    byDomain.forEach((domain, its) -> rules.addAll(new EnvoyImport(domain, its).toRules()));
    for (EnvoyFile file : files) {
      if (file.problems().hasProblems()) {
        throw file.problems().toException();
      }
    }
    return rules;
  }
}
