package io.weir.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Checks that all modules have one version and that the BOM lists the published modules. */
class ReleaseConsistencyTest {
  private static final Set<String> NOT_PUBLISHED =
      Set.of(
          "weir-bom",
          "weir-bench",
          "weir-bench-spring",
          "weir-architecture-tests",
          "weir-integration-tests");

  /** The same code for another Spring version, which cannot be on the same class path. */
  private static final String NOT_ON_CLASS_PATH = "weir-spring-boot3-starter";

  private static final Pattern VERSION =
      Pattern.compile("<artifactId>weir[\\w-]*</artifactId>\\s*<version>([^<$]+)</version>");
  private static final Pattern MANAGED = Pattern.compile("<artifactId>(weir-[\\w-]+)</artifactId>");

  @Test
  void allModules_haveOneVersion() {
    List<String> versions =
        Stream.concat(Stream.of(SourceTree.ROOT), SourceTree.modules().stream())
            .flatMap(module -> found(VERSION, SourceTree.read(module.resolve("pom.xml"))))
            .distinct()
            .toList();
    assertThat(versions).hasSize(1);
    assertThat(SourceTree.read("CHANGELOG.md"))
        .contains("## " + versions.get(0).replace("-SNAPSHOT", ""));
  }

  @Test
  void bom_listsPublishedModules() {
    String managed = SourceTree.read("weir-bom/pom.xml");
    assertThat(found(MANAGED, managed.substring(managed.indexOf("<dependencyManagement>"))))
        .containsExactlyInAnyOrderElementsOf(
            SourceTree.modules().stream()
                .map(Path::getFileName)
                .map(String::valueOf)
                .filter(name -> name.startsWith("weir-") && !NOT_PUBLISHED.contains(name))
                .toList());
  }

  /** This module must depend on every published module, so that its tests cover all of them. */
  @Test
  void thisModule_dependsOnPublishedModules() {
    assertThat(found(MANAGED, SourceTree.read("weir-architecture-tests/pom.xml")))
        .containsAll(
            found(MANAGED, SourceTree.read("weir-bom/pom.xml"))
                .filter(name -> !name.equals("weir-bom") && !name.equals(NOT_ON_CLASS_PATH))
                .toList());
  }

  private static Stream<String> found(Pattern pattern, String text) {
    return pattern.matcher(text).results().map((MatchResult found) -> found.group(1));
  }
}
