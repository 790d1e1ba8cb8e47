package io.weir.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Checks that the traceability page lists every requirement and case with existing tests. */
class TraceabilityTest {
  private static final List<String> REQUIREMENTS =
      ids("A8", "R9", "I10", "C7", "F8", "P4", "O5", "S5");
  private static final List<String> CASES =
      ids("A14", "B4", "C5", "D5", "E4", "F2", "G3", "H5", "I2");

  private static final Pattern ROW =
      Pattern.compile("^\\| ([A-Z]\\d+) \\| ([^|]+) \\| ([^|]+) \\|$", Pattern.MULTILINE);
  private static final Pattern NAMED =
      Pattern.compile("`(\\w+(?:Test|Contract|Laws))(?:#(\\w+))?`");

  private final String document = SourceTree.read("docs/internals/traceability.md");

  @Test
  void everyRequirementAndCase_hasRow() {
    assertThat(rowsOf("## Requirements").keySet()).containsExactlyElementsOf(REQUIREMENTS);
    assertThat(rowsOf("## Cases").keySet()).containsExactlyElementsOf(CASES);
  }

  @Test
  void everyRow_namesEvidence() {
    List<String> open = List.copyOf(missing());
    rowsOf("## Requirements")
        .forEach(
            (id, shown) -> {
              boolean proof = NAMED.matcher(shown).find() || shown.contains("`./bench ");
              assertThat(proof || shown.contains("not yet shown")).as(id).isTrue();
              assertThat(shown.contains("not yet shown")).as(id).isEqualTo(open.contains(id));
            });
    assertThat(rowsOf("## Cases").values()).allMatch(shown -> NAMED.matcher(shown).find());
  }

  @Test
  void everyNamedTest_exists() {
    Map<String, List<String>> sources = new HashMap<>();
    for (Path module : SourceTree.modules()) {
      for (Path file : SourceTree.below(module.resolve("src"), ".java")) {
        String name = String.valueOf(file.getFileName()).replace(".java", "");
        sources.computeIfAbsent(name, n -> new ArrayList<>()).add(SourceTree.read(file));
      }
    }
    List<String> pages =
        List.of("docs/internals/traceability.md", "docs/internals/architecture.md", "README.md");
    for (String page : pages) {
      NAMED
          .matcher(SourceTree.read(page))
          .results()
          .forEach(
              named -> {
                assertThat(sources.keySet()).as(page).contains(named.group(1));
                if (named.group(2) != null) {
                  String method = " " + named.group(2) + "(";
                  assertThat(
                          sources.getOrDefault(named.group(1), List.of()).stream()
                              .anyMatch(s -> s.contains(method)))
                      .as("%s: %s", page, named.group())
                      .isTrue();
                }
              });
    }
  }

  /** Returns all ids up to the given last id of each letter. */
  private static List<String> ids(String... last) {
    List<String> all = new ArrayList<>();
    for (String id : last) {
      for (int i = 1; i <= Integer.parseInt(id.substring(1)); i++) {
        all.add(id.charAt(0) + String.valueOf(i));
      }
    }
    return all;
  }

  private List<String> missing() {
    String end = document.contains("## Not yet shown") ? section("## Not yet shown") : "";
    return Pattern.compile("^\\| ([A-Z]\\d+) \\|", Pattern.MULTILINE)
        .matcher(end)
        .results()
        .map(row -> row.group(1))
        .toList();
  }

  private Map<String, String> rowsOf(String heading) {
    Map<String, String> rows = new LinkedHashMap<>();
    ROW.matcher(section(heading)).results().forEach(row -> rows.put(row.group(1), row.group(3)));
    return rows;
  }

  private String section(String heading) {
    return Stream.of(document.split("\n(?=## )"))
        .filter(part -> part.startsWith(heading))
        .findAny()
        .orElseThrow();
  }
}
