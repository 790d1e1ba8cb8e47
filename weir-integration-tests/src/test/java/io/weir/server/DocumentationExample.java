package io.weir.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A code example in README.md or docs that readers may copy: a fenced or an indented block.
 *
 * @param line the line it starts at
 * @param language the language of the fence; {@link #INDENTED} if there is none
 * @param marker the comment on the line before that tells which test runs it, if present
 */
public record DocumentationExample(
    String page, int line, String language, String text, Optional<String> marker) {
  public static final String INDENTED = "indented";

  /** The project's root, relative to the directory of a module. */
  public static final Path PROJECT_ROOT = Path.of("..");

  private static final Pattern EXAMPLE_PATTERN =
      Pattern.compile(
          "(?:^<!-- ((?:not run|run by)[^\n]*) -->\n)?"
              + "(?:^```([^\n]*)\n(?s:(.*?))^```$|(?<=\n\n|-->\n)((?:^ {4}[^\n]*\n|^\n(?= {4}))+))",
          Pattern.MULTILINE);
  private static final Pattern INDENT_PATTERN = Pattern.compile("^ {4}", Pattern.MULTILINE);
  private static final Pattern PROMPT_PATTERN = Pattern.compile("^\\$ ", Pattern.MULTILINE);

  /** The handwritten pages: not the generated CLI reference, and not the benchmark results. */
  public static List<String> pages() {
    try (Stream<Path> docs = Files.walk(PROJECT_ROOT.resolve("docs"))) {
      Stream<String> docPages =
          docs.map(file -> PROJECT_ROOT.relativize(file).toString().replace('\\', '/'))
              .filter(page -> page.endsWith(".md"))
              .filter(page -> !page.endsWith("/cli.md") && !page.endsWith("/benchmarks.md"));
      return Stream.concat(Stream.of("README.md"), docPages).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the examples of a page, in order. */
  public static List<DocumentationExample> readPage(String page) {
    try {
      String text = Files.readString(PROJECT_ROOT.resolve(page));
      return EXAMPLE_PATTERN
          .matcher(text)
          .results()
          .map(found -> readPage(page, text, found))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static DocumentationExample readPage(String page, String text, MatchResult found) {
    int line = 1 + (int) text.substring(0, found.start()).lines().count();
    String indented = found.group(4);
    return new DocumentationExample(
        page,
        line,
        indented == null ? found.group(2) : INDENTED,
        indented == null ? found.group(3) : INDENT_PATTERN.matcher(indented).replaceAll(""),
        Optional.ofNullable(found.group(1)));
  }

  /** Whether it is a shell example. */
  public boolean isShell() {
    return language.equals("sh") || language.equals(INDENTED);
  }

  /** The commands: all lines, or only those that start with {@code $}, if there are any. */
  public List<String> commands() {
    return lines(true);
  }

  /** The expected output of the commands. */
  public List<String> expectedOutput() {
    return lines(false);
  }

  private List<String> lines(boolean commands) {
    boolean hasPrompts = PROMPT_PATTERN.matcher(text).find();
    return text.replace("\\\n", " ")
        .lines()
        .filter(line -> !line.isBlank() && (!hasPrompts || line.startsWith("$ ")) == commands)
        .map(line -> hasPrompts && commands ? line.substring(2) : line)
        .toList();
  }

  @Override
  public String toString() {
    return page + ":" + line;
  }
}
