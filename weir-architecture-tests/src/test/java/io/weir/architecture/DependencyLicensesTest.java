package io.weir.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Checks that every compile, runtime and test dependency has a license that is compatible with
 * Apache-2.0.
 *
 * <p>The license is read from the pom next to the jar in the local Maven repository, or from the
 * pom's parents.
 */
class DependencyLicensesTest {
  private static final Path REPOSITORY = Path.of(System.getProperty("weir.repository"));

  /** Names of the allowed licenses in poms; one of several is enough. */
  private static final Pattern ALLOWED_LICENSES =
      Pattern.compile(
          "(?i).*(apache|public domain|eclipse public|eclipse distribution"
              + "|\\b(mit|mit-0|bsd|edl|epl|mpl|cc0|upl)\\b).*");

  private static final Pattern PARENT = Pattern.compile("<parent>(.*?)</parent>", Pattern.DOTALL);
  private static final Pattern LICENSE =
      Pattern.compile("<license>.*?<name>(.*?)</name>", Pattern.DOTALL);

  @Test
  void everyDependency_hasAllowedLicense() {
    Map<String, List<String>> wrong = new TreeMap<>();
    List<Path> jars = dependencies();
    for (Path jar : jars) {
      List<String> licences = licenses(pomOf(jar));
      if (licences.stream().noneMatch(DependencyLicensesTest::isAllowed)) {
        wrong.put(String.valueOf(jar.getFileName()), licences);
      }
    }
    assertThat(jars).hasSizeGreaterThan(40);
    assertThat(wrong).as("dependencies without an allowed license").isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GNU General Public License v3",
        "AGPL-3.0",
        "SSPL",
        "Business Source License 1.1"
      })
  void otherLicenses_areDetected(String licence) {
    assertThat(isAllowed(licence)).isFalse();
  }

  private static boolean isAllowed(String licence) {
    return ALLOWED_LICENSES.matcher(licence).matches();
  }

  private static List<Path> dependencies() {
    return Stream.of(System.getProperty("java.class.path").split(java.io.File.pathSeparator, -1))
        .map(Path::of)
        .filter(jar -> jar.startsWith(REPOSITORY))
        .toList();
  }

  private static Path pomOf(Path jar) {
    Path version = folder(jar);
    Path artifact = folder(version);
    return version.resolve(artifact.getFileName() + "-" + version.getFileName() + ".pom");
  }

  private static Path folder(Path file) {
    Path parent = file.toAbsolutePath().getParent();
    return parent == null ? file : parent;
  }

  /** Returns the licenses of a pom, or else those of its parent, and so on. */
  private static List<String> licenses(Path pom) {
    List<String> found = new ArrayList<>();
    String text = SourceTree.read(pom).replaceAll("(?s)<!--.*?-->", "");
    LICENSE.matcher(text).results().forEach(licence -> found.add(licence.group(1).strip()));
    Matcher parent = PARENT.matcher(text);
    if (!found.isEmpty() || !parent.find()) {
      return found;
    }
    String artifact = field("artifactId", parent.group(1));
    String version = field("version", parent.group(1));
    Path next =
        REPOSITORY
            .resolve(field("groupId", parent.group(1)).replace('.', '/'))
            .resolve(artifact)
            .resolve(version)
            .resolve(artifact + "-" + version + ".pom");
    return Files.exists(next) ? licenses(next) : found;
  }

  private static String field(String name, String of) {
    Matcher field = Pattern.compile("<" + name + ">(.*?)</", Pattern.DOTALL).matcher(of);
    assertThat(field.find()).as(name).isTrue();
    return field.group(1).strip();
  }
}
