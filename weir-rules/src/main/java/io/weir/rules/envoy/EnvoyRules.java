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
 * Imports configurations of envoyproxy/ratelimit as rules with the same effect: each limit becomes
 * a fixed-window rule that matches the descriptors to which the limit would apply.
 */
public final class EnvoyRules {

  private EnvoyRules() {}

  /** A configuration: the name of its file, shown in error messages, and its bytes. */
  public static final class EnvoySource {
    private final String name;
    private final byte[] utf8;

    public EnvoySource(String name, byte[] utf8) {
      this.name = name;
      this.utf8 = utf8.clone();
    }
  }

  /**
   * Returns the rules of a configuration, in its order.
   *
   * @param name of the text, shown in error messages
   * @throws InvalidConfigurationException with all problems, including what rules cannot express
   */
  public static List<Rule> read(String name, String text) {
    return importAll(List.of(parse(name, new ProblemCollector(name), text)));
  }

  /** As {@link #read(String, String)}, for bytes, which must be UTF-8. */
  public static List<Rule> read(String name, byte[] utf8) {
    return read(List.of(new EnvoySource(name, utf8)));
  }

  /**
   * Returns the rules of several configurations. Files of the same domain are merged, as
   * envoyproxy/ratelimit does with {@code MERGE_DOMAIN_CONFIG}.
   *
   * @throws InvalidConfigurationException with all problems of the first file that has any
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
    byDomain.forEach(
        (domain, domainFiles) -> rules.addAll(new EnvoyImport(domain, domainFiles).toRules()));
    for (EnvoyFile file : files) {
      if (file.problems().hasProblems()) {
        throw file.problems().toException();
      }
    }
    return rules;
  }
}
