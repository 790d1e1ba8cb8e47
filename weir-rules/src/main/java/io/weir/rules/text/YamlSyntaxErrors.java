package io.weir.rules.text;

import java.util.Optional;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/** Translates errors of the YAML parser into problems with advice. */
final class YamlSyntaxErrors {

  private YamlSyntaxErrors() {}

  static InvalidConfigurationException toException(
      YamlEngineException e, ProblemCollector problems) {
    if (!(e instanceof MarkedYamlEngineException marked)) {
      return problems.fatal(SourcePosition.WHOLE_FILE, "is not valid YAML: " + e.getMessage());
    }
    String problem = Optional.ofNullable(marked.getProblem()).orElse("");
    String context = Optional.ofNullable(marked.getContext()).orElse("");
    Optional<Mark> at = marked.getProblemMark();
    if (isEnd(problem)) {
      return problems.fatal(
          marked
              .getContextMark()
              .or(() -> at)
              .map(YamlReader::positionOf)
              .orElse(SourcePosition.WHOLE_FILE),
          "is not closed before the end of the file; add " + closingToken(context));
    }
    SourcePosition place = at.map(YamlReader::positionOf).orElse(SourcePosition.WHOLE_FILE);
    if (problem.contains("TAB")) {
      return problems.fatal(place, "is a tab; use spaces");
    }
    if (problem.contains("could not find expected ':'")) {
      return problems.fatal(
          marked.getContextMark().map(YamlReader::positionOf).orElse(place),
          "must be followed by ':', for example name: value");
    }
    if (problem.startsWith("expected <block end>")) {
      boolean bracket = problem.matches(".*'[\\]},]'");
      return problems.fatal(
          place,
          bracket
              ? "closes a bracket that was not opened; remove it"
              : "must be indented like the lines around it");
    }
    return problems.fatal(
        place,
        "is not valid YAML: "
            + (context.isEmpty() ? "" : context + ", ")
            + problem
            + "; put quotes around special characters");
  }

  private static boolean isEnd(String problem) {
    return problem.contains("stream end") || problem.contains("end of stream");
  }

  private static String closingToken(String context) {
    if (context.contains("sequence")) {
      return "]";
    }
    return context.contains("mapping") ? "}" : "a quote";
  }
}
