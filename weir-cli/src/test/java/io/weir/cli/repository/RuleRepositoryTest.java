package io.weir.cli.repository;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.rule.Rule;
import io.weir.rules.Rules;
import io.weir.rules.database.StaleRevisionException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RuleRepositoryTest {
  @TempDir Path folder;

  private static List<Rule> rules(String... ids) {
    return List.of(ids).stream().map(id -> Rule.named(id).limit("1/second").build()).toList();
  }

  @Test
  void database_replacesAllRulesUnlessStale() {
    String url = "jdbc:h2:file:" + folder.resolve("h2");
    assertThatThrownBy(() -> RuleRepository.open(url, false))
        .isInstanceOfSatisfying(
            RuleRepositoryException.class,
            e ->
                assertThat(e.failure())
                    .isEqualTo(RuleRepositoryException.RepositoryFailure.NOT_FOUND));
    try (RuleRepository repository = RuleRepository.open(url, true);
        RuleRepository concurrent = RuleRepository.open(url, false)) {
      assertThat(repository.content().entries()).isEmpty();
      long first = repository.replace(rules("a", "b"), "ann", repository.content().revision());
      assertThat(repository.content().rules()).isEqualTo(rules("a", "b"));
      assertThat(repository.content().revision()).isEqualTo(first);
      concurrent.replace(rules("c"), "bob", first);
      assertThatThrownBy(() -> repository.replace(rules("a"), "ann", first))
          .isInstanceOf(StaleRevisionException.class);
      assertThat(repository.content().rules()).isEqualTo(rules("c"));
    }
  }

  @Test
  void file_isReadOnly() throws IOException {
    Path file = Files.writeString(folder.resolve("r.yaml"), Rules.toYaml(rules("a")));
    try (RuleRepository repository = RuleRepository.open("file:" + file, true)) {
      assertThat(repository.name()).isEqualTo(file.toString());
      assertThat(repository.content().rules()).isEqualTo(rules("a"));
      assertThat(repository.content().revisionSuffix()).isEmpty();
      assertThatThrownBy(() -> repository.replace(rules("b"), "ann", 0))
          .isInstanceOf(RuleRepositoryException.class)
          .hasMessage(file + " is a file and is reloaded when it changes; copy the rules over it");
    }
  }
}
