package io.weir.house;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The modules are of one version, and those that are published stand in the BOM. */
class ReleaseTest {
  private static final Set<String> NOT_PUBLISHED =
      Set.of("weir-bom", "weir-bench", "weir-bench-spring", "weir-house");

  /** Is the same code on another Spring, which cannot be on one class path with the first. */
  private static final String UNSEEN = "weir-spring-boot3-starter";

  private static final Pattern VERSION =
      Pattern.compile("<artifactId>weir[\\w-]*</artifactId>\\s*<version>([^<$]+)</version>");
  private static final Pattern MANAGED = Pattern.compile("<artifactId>(weir-[\\w-]+)</artifactId>");

  @Test
  void everyModuleIsOfOneVersion() {
    List<String> versions =
        Stream.concat(Stream.of(Tree.ROOT), Tree.modules().stream())
            .flatMap(module -> found(VERSION, Tree.read(module.resolve("pom.xml"))))
            .distinct()
            .toList();
    assertThat(versions).hasSize(1);
    assertThat(Tree.read("CHANGELOG.md"))
        .contains("## " + versions.get(0).replace("-SNAPSHOT", ""));
  }

  @Test
  void theBomHasWhatIsPublished() {
    String managed = Tree.read("weir-bom/pom.xml");
    assertThat(found(MANAGED, managed.substring(managed.indexOf("<dependencyManagement>"))))
        .containsExactlyInAnyOrderElementsOf(
            Tree.modules().stream()
                .map(Path::getFileName)
                .map(String::valueOf)
                .filter(name -> name.startsWith("weir-") && !NOT_PUBLISHED.contains(name))
                .toList());
  }

  /** What is published must be seen by the tests of this module, which stand for all others. */
  @Test
  void theHouseSeesWhatIsPublished() {
    assertThat(found(MANAGED, Tree.read("weir-house/pom.xml")))
        .containsAll(
            found(MANAGED, Tree.read("weir-bom/pom.xml"))
                .filter(name -> !name.equals("weir-bom") && !name.equals(UNSEEN))
                .toList());
  }

  private static Stream<String> found(Pattern pattern, String text) {
    return pattern.matcher(text).results().map((MatchResult found) -> found.group(1));
  }
}
