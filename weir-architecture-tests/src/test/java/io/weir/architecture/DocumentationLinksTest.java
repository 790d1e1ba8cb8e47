package io.weir.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Checks that every link of the documentation has a target, including headings. */
class DocumentationLinksTest {
  private static final Pattern LINK =
      Pattern.compile("\\]\\((?!https?:|mailto:)([^)#\\s]*)(?:#([^)\\s]+))?\\)");

  static Stream<Path> pages() {
    return Stream.concat(
        Stream.of("README.md", "CONTRIBUTING.md", "CHANGELOG.md").map(SourceTree.ROOT::resolve),
        SourceTree.below(SourceTree.ROOT.resolve("docs"), ".md").stream());
  }

  @ParameterizedTest
  @MethodSource("pages")
  void everyLink_hasTarget(Path page) {
    Path folder = Objects.requireNonNull(page.getParent());
    LINK.matcher(SourceTree.read(page).replaceAll("(?s)```.*?```|`[^`\n]*`", ""))
        .results()
        .forEach(
            link -> {
              Path target = link.group(1).isEmpty() ? page : folder.resolve(link.group(1));
              assertThat(Files.exists(target))
                  .as("%s %s", SourceTree.name(page), link.group())
                  .isTrue();
              if (link.group(2) != null) {
                assertThat(anchors(target)).as(SourceTree.name(page)).contains(link.group(2));
              }
            });
  }

  /** Returns the anchors of a page's headings. */
  private static List<String> anchors(Path page) {
    return SourceTree.read(page)
        .lines()
        .filter(line -> line.startsWith("#"))
        .map(line -> line.replaceFirst("#+ ", "").toLowerCase(Locale.ROOT))
        .map(line -> line.replaceAll("[^\\p{L}\\p{N} _-]", "").replace(' ', '-'))
        .toList();
  }
}
