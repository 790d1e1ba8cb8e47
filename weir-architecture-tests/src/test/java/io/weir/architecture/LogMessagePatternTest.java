package io.weir.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Checks log message patterns. {@code System.Logger} formats a pattern with {@code MessageFormat},
 * where a single apostrophe hides what follows, and does not format it at all if the only parameter
 * is an exception: then a literal <code>{0}</code> is logged.
 */
class LogMessagePatternTest {
  private static final Pattern CALL = Pattern.compile("\\bLOG\\s*\\.log\\(");
  private static final Pattern LITERAL = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"");
  private static final Pattern PARAMETER = Pattern.compile("\\{\\d+");
  private static final Pattern LONE_APOSTROPHE = Pattern.compile("(?<!')(?:'')*'(?!')");

  @Test
  void everyLogPattern_isFormattedAsWritten() {
    List<String> wrong = new ArrayList<>();
    int calls = 0;
    for (Path module : SourceTree.modules()) {
      for (Path file : SourceTree.below(module.resolve("src/main/java"), ".java")) {
        String source = SourceTree.read(file);
        Matcher call = CALL.matcher(source);
        while (call.find()) {
          calls++;
          String problem = problem(arguments(source, call.end()), source);
          if (!problem.isEmpty()) {
            wrong.add(SourceTree.name(file) + ": " + problem);
          }
        }
      }
    }
    assertThat(calls).isGreaterThan(50);
    assertThat(wrong).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "LOG.log(Level.INFO, \"{0} is the node's\", name)                    | apostrophe",
        "LOG.log(Level.INFO, \"{0} is the node''s\", name)                   | ``",
        "LOG.log(Level.INFO, \"the node's\")                                 | ``",
        "catch (IOException e) { LOG.log(Level.INFO, \"failed: {0}\", e)     | exception",
        "catch (IOException e) { LOG.log(Level.INFO, \"{0}: {1}\", name, e)  | ``",
        "catch (IOException e) { LOG.log(Level.INFO, \"failed\", e)          | ``",
        "catch (IOException e) { LOG.log(Level.INFO, \"failed: {0}\", e.toString()) | ``",
      })
  void wrongPattern_isDetected(String source, String expected) {
    Matcher call = CALL.matcher(source);
    assertThat(call.find()).isTrue();
    String problem = problem(arguments(source, call.end()), source);
    if (expected == null || expected.isEmpty()) {
      assertThat(problem).isEmpty();
    } else {
      assertThat(problem).contains(expected);
    }
  }

  private static String problem(List<String> arguments, String source) {
    String pattern = arguments.size() < 2 ? "" : literals(arguments.get(1));
    boolean formatted = PARAMETER.matcher(pattern).find() && arguments.size() > 2;
    if (!formatted) {
      return "";
    }
    if (LONE_APOSTROPHE.matcher(pattern).find()) {
      return "an apostrophe must be doubled in \"" + pattern + "\"";
    }
    return arguments.size() == 3 && isException(arguments.get(2), source)
        ? "an exception alone is not formatted into \"" + pattern + "\"; use its toString()"
        : "";
  }

  private static boolean isException(String name, String source) {
    return name.matches("\\w+")
        && Pattern.compile("(Exception|Throwable|Error|\\|\\s*\\w+)\\s+" + name + "\\b")
            .matcher(source)
            .find();
  }

  private static String literals(String expression) {
    StringBuilder text = new StringBuilder();
    LITERAL.matcher(expression).results().forEach(part -> text.append(part.group(1)));
    return text.toString();
  }

  /** Returns the arguments of a call, starting after its opening parenthesis. */
  private static List<String> arguments(String source, int from) {
    List<String> arguments = new ArrayList<>();
    int depth = 0;
    boolean quoted = false;
    int begin = from;
    for (int i = from; i < source.length(); i++) {
      char c = source.charAt(i);
      if (quoted) {
        if (c == '\\') {
          i++;
        } else if (c == '"') {
          quoted = false;
        }
      } else if (c == '"') {
        quoted = true;
      } else if (c == '(') {
        depth++;
      } else if (c == ')' && depth-- == 0) {
        arguments.add(source.substring(begin, i).strip());
        return arguments;
      } else if (c == ',' && depth == 0) {
        arguments.add(source.substring(begin, i).strip());
        begin = i + 1;
      }
    }
    return arguments;
  }
}
