package io.weir.rules.text;

import java.util.Optional;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/** Says in our words what a text that is not YAML has wrong. */
final class YamlSyntaxErrors {

  private YamlSyntaxErrors() {}

  static InvalidConfigurationException toException(
      YamlEngineException e, ProblemCollector problems) {
    if (!(e instanceof MarkedYamlEngineException marked)) {
      return problems.fatal(
          SourcePosition.WHOLE_FILE, "cannot be read: " + e.getMessage() + "; write YAML");
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
          "what begins here never ends: the file ends first; close it by " + closingToken(context));
    }
    SourcePosition place = at.map(YamlReader::positionOf).orElse(SourcePosition.WHOLE_FILE);
    if (problem.contains("TAB")) {
      return problems.fatal(place, "is a tab; write spaces");
    }
    if (problem.contains("could not find expected ':'")) {
      return problems.fatal(
          marked.getContextMark().map(YamlReader::positionOf).orElse(place),
          "has no ':' after it; write name: value");
    }
    if (problem.startsWith("expected <block end>")) {
      boolean bracket = problem.matches(".*'[\\]},]'");
      return problems.fatal(
          place,
          bracket
              ? "closes nothing; write brackets in pairs"
              : "is indented unlike its neighbours; write equal indents");
    }
    return problems.fatal(
        place,
        "is not YAML: "
            + (context.isEmpty() ? "" : context + ", ")
            + problem
            + "; write quotes around special characters");
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
