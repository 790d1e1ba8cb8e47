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
 * What a reader of README.md or docs may copy: a fenced or an indented block.
 *
 * @param line the one it begins at
 * @param kind what stands behind the fence; {@link #INDENTED} if there is none
 * @param mark what the comment on the line before says of who runs it, if it says so
 */
public record Block(String page, int line, String kind, String text, Optional<String> mark) {
  public static final String INDENTED = "indented";

  /** Of the whole project, from a module's folder. */
  public static final Path ROOT = Path.of("..");

  private static final Pattern BLOCK =
      Pattern.compile(
          "(?:^<!-- ((?:not run|run by)[^\n]*) -->\n)?"
              + "(?:^```([^\n]*)\n(?s:(.*?))^```$|(?<=\n\n|-->\n)((?:^ {4}[^\n]*\n|^\n(?= {4}))+))",
          Pattern.MULTILINE);
  private static final Pattern MARGIN = Pattern.compile("^ {4}", Pattern.MULTILINE);
  private static final Pattern SHELL = Pattern.compile("^\\$ ", Pattern.MULTILINE);

  /** The pages that people write; the command line's is generated, the benchmarks' are figures. */
  public static List<String> pages() {
    try (Stream<Path> docs = Files.list(ROOT.resolve("docs"))) {
      Stream<String> written =
          docs.map(file -> "docs/" + file.getFileName())
              .filter(page -> page.endsWith(".md"))
              .filter(page -> !page.endsWith("/cli.md") && !page.endsWith("/benchmarks.md"));
      return Stream.concat(Stream.of("README.md"), written).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** All of a page, in their order. */
  public static List<Block> of(String page) {
    try {
      String text = Files.readString(ROOT.resolve(page));
      return BLOCK.matcher(text).results().map(found -> of(page, text, found)).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Block of(String page, String text, MatchResult found) {
    int line = 1 + (int) text.substring(0, found.start()).lines().count();
    String indented = found.group(4);
    return new Block(
        page,
        line,
        indented == null ? found.group(2) : INDENTED,
        indented == null ? found.group(3) : MARGIN.matcher(indented).replaceAll(""),
        Optional.ofNullable(found.group(1)));
  }

  /** Whether it is for a shell. */
  public boolean isShell() {
    return kind.equals("sh") || kind.equals(INDENTED);
  }

  /** Its commands: all of it or, where some lines begin with {@code $}, those. */
  public List<String> commands() {
    return lines(true);
  }

  /** What it shows of their output. */
  public List<String> shown() {
    return lines(false);
  }

  private List<String> lines(boolean commands) {
    boolean both = SHELL.matcher(text).find();
    return text.replace("\\\n", " ")
        .lines()
        .filter(line -> !line.isBlank() && (!both || line.startsWith("$ ")) == commands)
        .map(line -> both && commands ? line.substring(2) : line)
        .toList();
  }

  @Override
  public String toString() {
    return page + ":" + line;
  }
}
