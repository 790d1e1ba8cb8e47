package io.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.internal.algorithm.Algorithm;
import io.weir.internal.algorithm.Algorithms;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every algorithm is documented in the pages and dashboard forms that list algorithms. */
class AlgorithmDocumentationTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "../docs/guide/rules.md",
        "../docs/guide/choosing-an-algorithm.md",
        "../weir-admin/src/main/resources/io/weir/admin/dashboard/form.js"
      })
  void documentationPage_mentionsEveryAlgorithm(String file) throws IOException {
    List<String> names = Algorithms.all().stream().map(Algorithm::name).toList();
    assertThat(Files.readString(Path.of(file))).contains(names);
  }
}
